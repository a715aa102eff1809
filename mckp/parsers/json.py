"""JSON text to plain Python values, strictly: nothing is guessed, rounded or dropped."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, depth_of, dump, dumped, load
from mckp.regexes import regex
from mckp.tree import TreeNode

TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels; split the document"
_NOT_JSON = regex(r"-?(?:NaN|Infinity)")


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
    value = _loaded(text)
    if _suspicious(text, value):
        _check(text)
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


_TOKEN = regex(rf"({STRING})\s*:|{STRING}|[{{}}\[\]]")
"""A name with its colon, or what else opens, closes, or hides such."""


def _check(text: str) -> None:
    """Refuse a key that stands twice in one object, and nesting beyond `MAX_DEPTH`.

    The text is known to be grammatical, so one pass over its tokens is enough.
    """
    stack: list[set[str]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if match[1]:
            key, seen = json.loads(match[1]), stack[-1]
            if key in seen:
                say = f"the key {dump(key)} stands twice in one object"
                raise ParseError.at(say, text, match.start())
            seen.add(key)
        elif token in "{[":
            if len(stack) >= MAX_DEPTH:
                raise ParseError.at(TOO_DEEP, text, match.start())
            stack.append(set())
        elif token in "}]":
            stack.pop()
