"""A near repeat as a reference to an earlier text of the same call, with an exact delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.encoders.fakes import escape
from mckp.encoders.hints import Reference, read_hint
from mckp.encoders.hints.label import Patch
from mckp.session.content import json_value
from mckp.session.delta.lines import apply_lines, line_diff
from mckp.session.delta.values import changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.session.layers import Way
    from mckp.session.store import Entry
    from mckp.session.templates import Response


def near_texts(base: Entry, response: Response, way: Way) -> Iterator[str]:
    """Return texts that refer to an earlier one, each with all that differs.

    Parameters
    ----------
    base : Entry
        The earlier text, which was delivered and is still there.
    response : Response
        What came.
    way : Way
        How it would be sent.
    """
    if base.cut_to is None and (text := _values(base, response)) is not None:
        yield text
    if base.form == way.form and base.delivered != way.body:
        diff = line_diff(base.delivered, way.body)
        is_safe = escape(diff, raw=True) == diff
        if is_safe and apply_lines(base.delivered, diff) == way.body:
            yield f"{Patch(base.number)}\n{diff}"


def _values(base: Entry, response: Response) -> str | None:
    """Return a reference with changed values, if both are data and it can be read back."""
    old = None if response.value is None else json_value(base.text)
    found = None if old is None else changes(old, response.value)
    if not found:
        return None
    reference = Reference(base.number, found)
    line = str(reference)
    # Of two lines, as some readers count them, the second might look like ours.
    is_safe = len(line.splitlines()) == 1
    return line if is_safe and read_hint(line) == reference else None
