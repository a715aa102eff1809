"""Where each value of a JSON text stands; the slow companion of the fast parser.

The text is known to be grammatical here (a library checked it), so one pass over its
tokens with a stack of open containers is enough.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, dump
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = regex(rf'{STRING}|[{{}}\[\],:]|[^\s{{}}\[\],:"]+')


class _Open:
    """A container whose end has not been read yet."""

    __slots__ = ("is_object", "key", "seen", "wants_key")

    def __init__(self, is_object: bool) -> None:
        self.is_object = self.wants_key = is_object
        self.key: str | int = -1
        self.seen: set[str] = set()

    def begin_value(self) -> None:
        if self.is_object:
            self.wants_key = True
        else:
            self.key = int(self.key) + 1


def place(text: str, offset: int) -> tuple[int, int]:
    r"""Return line and column, both counted from 1, of an offset in characters.

    Examples
    --------
    >>> place("ab\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def places(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield path and offset of every value, in document order.

    Raises
    ------
    ParseError
        At a key that stands twice in one object, and at nesting beyond `MAX_DEPTH`.
    """
    stack: list[_Open] = []
    for match in _TOKEN.finditer(text):
        token, top = match[0], stack[-1] if stack else None
        if token in ",:":
            continue
        if token in "}]":
            stack.pop()
        elif top is not None and top.wants_key:
            _take_key(top, token, text, match.start())
        else:
            if top is not None:
                top.begin_value()
            yield tuple(open_.key for open_ in stack), match.start()
            if token in "{[":
                _open(stack, token, text, match.start())


def _take_key(top: _Open, token: str, text: str, offset: int) -> None:
    key = json.loads(token)
    if key in top.seen:
        line, column = place(text, offset)
        raise ParseError(
            f"the key {dump(key)} stands twice in one object", line=line, column=column
        )
    top.seen.add(key)
    top.key, top.wants_key = key, False


def _open(stack: list[_Open], token: str, text: str, offset: int) -> None:
    if len(stack) >= MAX_DEPTH:
        line, column = place(text, offset)
        raise ParseError(
            f"nested deeper than {MAX_DEPTH} levels; split the document", line=line, column=column
        )
    stack.append(_Open(token == "{"))
