"""JSON text to plain Python values, strictly: nothing is guessed, rounded or dropped.

Where each value stands is told by a slow companion of the fast parser. The text is known to be
grammatical there, so one pass over its tokens with a stack of open containers is enough.
"""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, depth_of, dump, dumped, load
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator

TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels; split the document"
_NOT_JSON = regex(r"-?(?:NaN|Infinity)")


def parse_json(text: str) -> TreeNode:
    """Parse a text that is one JSON value, with blanks around it or without.

    Integers keep all digits. There is an error, with line and column, for bad grammar, a
    duplicate key, NaN or Infinity, a number beyond the range of a double, a lone surrogate,
    nesting beyond 200 levels.

    Examples
    --------
    >>> parse_json('{"id": 12345678901234567890123}').value
    {'id': 12345678901234567890123}
    """
    value = _loaded(text)
    if _suspicious(text, value):
        deque(places(text), maxlen=0)
    return TreeNode.of(value, source=text)


def _loaded(text: str) -> Any:
    try:
        return load(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ParseError("empty input; expected a JSON value", line=1, column=1) from None
        raise _explained(text, error) from None
    except ValueError as error:
        raise ParseError(f"an integer too long to read: {error}") from None
    except RecursionError:
        raise ParseError(TOO_DEEP) from None


def _explained(text: str, error: json.JSONDecodeError) -> ParseError:
    if (lone := re.search("[\ud800-\udfff]", text)) is not None:
        return ParseError.at("a lone surrogate is not text", text, lone.start())
    message = error.msg
    if _NOT_JSON.match(text, error.pos):
        message = "NaN and Infinity are not JSON; write null or a string"
    elif message.startswith("unexpected content after"):
        message += "; put JSON lines into an array, or say kind='text' if this is no JSON"
    elif message.startswith("depth limit"):
        message = TOO_DEEP
    return ParseError(message, line=error.lineno, column=error.colno)


def _suspicious(text: str, value: Any) -> bool:
    """Whether a duplicate key or deep nesting is possible; never False when there is one.

    A member lost to a duplicate key takes its two quotation marks along, so the counts of
    marks in the source and in the value written again differ, unless marks were escaped.
    """
    deep = text.count("[") + text.count("{") > MAX_DEPTH and depth_of(value) > MAX_DEPTH
    return deep or "\\u0022" in text or text.count('"') != dumped(value).count(b'"')


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


def places(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield path and offset of every value, in document order.

    A key that stands twice in one object is an error, and so is nesting beyond `MAX_DEPTH`.
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
        raise ParseError.at(f"the key {dump(key)} stands twice in one object", text, offset)
    top.seen.add(key)
    top.key, top.wants_key = key, False


def _open(stack: list[_Open], token: str, text: str, offset: int) -> None:
    if len(stack) >= MAX_DEPTH:
        raise ParseError.at(TOO_DEEP, text, offset)
    stack.append(_Open(token == "{"))
