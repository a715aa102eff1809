"""Reading what was delivered in one context back: the proof that references are true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.fakes import unescape
from mckp.encoders.hints import RAW, Reference, read_hint, read_label, read_patch
from mckp.errors import ParseError, PathError
from mckp.session.classify import json_value
from mckp.session.delta import apply, apply_lines
from mckp.session.templates import by_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.hints import Label
    from mckp.session.templates import Template


class Reader:
    r"""Knows the texts that were delivered in one context, and nothing else.

    Parameters
    ----------
    templates : iterable of Template
        Those of your own that the session has.

    Examples
    --------
    >>> reader = Reader()
    >>> reader.read("> [#1]\nall is well")
    'all is well'
    >>> reader.read("> [ref #1]")
    'all is well'
    >>> reader.read("> [ref #1 as diff]\n@@ -1,1 +1,1 @@\n-all is well\n+so it is")
    'so it is'
    """

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self._reading = by_form(templates)
        self._bodies: dict[int, tuple[str, str]] = {}

    def read(self, text: str) -> Any:
        """Return what a delivered text says.

        Returns
        -------
        object
            The response's text as it came, or its data, or the tree of its Markdown; where
            parts were cut, what was kept.

        Raises
        ------
        PathError
            If it refers to a text that is not there.
        ParseError
            If it is damaged, or what it refers to is not what it says.
        """
        _check(text)
        first, _, below = text.partition("\n")
        if (label := read_label(first)) is not None:
            return self._labelled(label, below)
        if isinstance(reference := read_hint(first), Reference):
            return self._referred(reference)
        if (patch := read_patch(first)) is not None:
            form, body = self._body(patch.number)
            return self._content(form, apply_lines(body, below))
        return unescape(text, raw=True)

    def compact(self) -> None:
        """Forget all: the context was compacted."""
        self._bodies.clear()

    def drop(self, number: int) -> None:
        """Forget a text: it was taken out of the context."""
        self._bodies.pop(number, None)

    def _labelled(self, label: Label, below: str) -> Any:
        body = unescape(below, raw=label.form == RAW)
        if label.number is not None:
            self._bodies[label.number] = (label.form, body)
        return self._content(label.form, body)

    def _referred(self, reference: Reference) -> Any:
        content = self._content(*self._body(reference.number))
        if not reference.changes:
            return content
        value = json_value(content) if isinstance(content, str) else content
        return apply(value, reference.changes)

    def _body(self, number: int) -> tuple[str, str]:
        if number not in self._bodies:
            raise PathError(f"#{number}", "no text of that number is in this context")
        return self._bodies[number]

    def _content(self, form: str, body: str) -> Any:
        if form == RAW:
            return body
        if form not in self._reading:
            raise ParseError(f"nothing here reads the form {form!r}; give its template")
        return self._reading[form](body)


def _check(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"a text is to be read, not {type(text).__name__}")
