"""JSON text to plain Python values, strictly: nothing is guessed, rounded or dropped."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import Any

import orjson

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, dump, is_array, is_container, is_object
from mckp.parsers.scan import place, places
from mckp.tree import TreeNode

_BIG_INTEGER = re.compile(r"\d{19}")
_LONG_INTEGER = re.compile(r"(?<![\d.eE])(?<![eE][+-])\d{19,}(?![\d.eE])")
_NOT_JSON = re.compile(r"-?(?:NaN|Infinity)")


def parse_json(text: str) -> TreeNode:
    """Parse a JSON text.

    Parameters
    ----------
    text : str
        One JSON value; blanks around it are allowed, a byte order mark is not.

    Returns
    -------
    TreeNode
        The typed tree; ``.value`` is the plain Python value. Integers keep all digits.

    Raises
    ------
    ParseError
        With line and column: bad grammar, a duplicate key, NaN or Infinity, a number
        beyond the range of a double, a lone surrogate, nesting beyond 200 levels.

    Examples
    --------
    >>> parse_json('{"id": 12345678901234567890123}').value
    {'id': 12345678901234567890123}
    """
    exact = _BIG_INTEGER.search(text) is not None
    value = _fast(text, exact)
    if exact or _suspicious(text, value):
        deque(places(text), maxlen=0)
    return TreeNode.of(_exact(text) if exact else value, source=text)


def _fast(text: str, exact: bool) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if not text.strip():
            raise ParseError("empty input; expected a JSON value") from None
        if exact and error.msg.startswith("number is infinity"):
            return _fast(_LONG_INTEGER.sub(_shorter, text), exact=False)
        raise _explained(text, error) from None


def _shorter(match: re.Match[str]) -> str:
    """Return a number the library can hold, as wide as the one it cannot."""
    return "1".ljust(len(match[0]))


def _explained(text: str, error: json.JSONDecodeError) -> ParseError:
    if (lone := re.search("[\ud800-\udfff]", text)) is not None:
        line, column = place(text, lone.start())
        return ParseError("a lone surrogate is not text", line=line, column=column)
    message = error.msg
    if _NOT_JSON.match(text, error.pos):
        message = "NaN and Infinity are not JSON; write null or a string"
    elif message.startswith("depth limit"):
        message = f"nested deeper than {MAX_DEPTH} levels; split the document"
    return ParseError(message, line=error.lineno, column=error.colno)


def _exact(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ParseError(f"an integer too long to read: {error}") from None


def _suspicious(text: str, value: Any) -> bool:
    """Whether a duplicate key or deep nesting is possible; never False when there is one.

    A member lost to a duplicate key takes its two quotation marks along, so the counts of
    marks in the source and in the value written again differ, unless marks were escaped.
    """
    deep = text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH
    return deep or "\\u0022" in text or text.count('"') != dump(value).count('"')


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level := [child for item in level for child in _containers(item)]:
        depth += 1
    return depth + is_container(value)


def _containers(value: Any) -> list[Any]:
    if is_object(value):
        return list(filter(is_container, value.values()))
    return list(filter(is_container, value)) if is_array(value) else []
