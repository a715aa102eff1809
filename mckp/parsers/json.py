"""Parse JSON text to plain Python values, strictly: nothing is guessed, rounded or dropped.

The place of each value is found by a slow companion of the fast parser. It knows that the text is
grammatical, so one pass over the tokens with a stack of open containers is enough.
"""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING, Final

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, JsonValue, depth_of, dump, dump_bytes, load
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator


TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels; split the document"
_NOT_JSON = regex(r"-?(?:NaN|Infinity)")


def parse_json(text: str) -> TreeNode:
    """Parse a text that is a single JSON value, with or without blanks around it.

    Integers keep all digits. Bad grammar, a duplicate key, NaN or Infinity, a number beyond the
    range of a double, a lone surrogate, and nesting beyond 200 levels raise a `ParseError` with
    line and column. So does an integer that is too long for Python, but without them.
    """
    value = _load_or_explain(text)
    if _may_be_invalid(text, value):
        deque(value_offsets(text), maxlen=0)
    return TreeNode.of(value, source=text)


def _load_or_explain(text: str) -> JsonValue:
    """Return the value of a JSON text; if it is not JSON, raise a `ParseError` that says why."""
    try:
        return load(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise ParseError(
                "the input is empty; expected a JSON value", line=1, column=1
            ) from None
        raise _explained_error(text, error) from None
    except ValueError as error:
        raise ParseError(f"an integer is too long to read: {error}") from None
    except RecursionError:
        raise ParseError(TOO_DEEP) from None


def _explained_error(text: str, error: json.JSONDecodeError) -> ParseError:
    """Return a `ParseError` that says where the text is not JSON, and what to do about it."""
    if (surrogate := re.search("[\ud800-\udfff]", text)) is not None:
        return ParseError.at("a lone surrogate is not text", text, surrogate.start())
    message = error.msg
    if _NOT_JSON.match(text, error.pos):
        message = "NaN and Infinity are not JSON; write null or a string"
    elif message.startswith("unexpected content after") and "\n" in text.strip():
        message += "; if these are JSON lines, use mckp batch, or put them into an array"
    elif message.startswith("depth limit"):
        message = TOO_DEEP
    return ParseError(message, line=error.lineno, column=error.colno)


def _may_be_invalid(text: str, value: JsonValue) -> bool:
    r"""Whether a text may have a duplicate key or be nested too deeply.

    If it does, the answer is True; if it does not, it may be True as well. A member lost to a
    duplicate key takes its quotation marks along, so the text and the value written again have
    different numbers of them, unless marks were escaped as ``\u0022``.
    """
    is_too_deep = text.count("[") + text.count("{") > MAX_DEPTH and depth_of(value) > MAX_DEPTH
    return is_too_deep or "\\u0022" in text or text.count('"') != dump_bytes(value).count(b'"')


_TOKEN = regex(rf'({STRING})\s*:|{STRING}|[{{}}\[\]]|[^\s{{}}\[\],"]+')


def value_offsets(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield the path of every value in a JSON text and the offset where it begins, in order.

    The text must be JSON. A key that occurs twice in one object, and nesting beyond `MAX_DEPTH`,
    raise a `ParseError`.
    """
    path: list[str | int] = []
    names_seen: list[set[str]] = []  # the names so far in each open container
    for match in _TOKEN.finditer(text):
        token, offset = match[0], match.start()
        if match[1]:
            path[-1] = key = json.loads(match[1])
            if key in names_seen[-1]:
                raise ParseError.at(f"the key {dump(key)} occurs twice in one object", text, offset)
            names_seen[-1].add(key)
        elif token in "}]":
            path.pop()
            names_seen.pop()
        else:
            if path and isinstance(path[-1], int):
                path[-1] += 1
            yield tuple(path), offset
            if token in "{[":
                if len(path) >= MAX_DEPTH:
                    raise ParseError.at(TOO_DEEP, text, offset)
                path.append("" if token == "{" else -1)
                names_seen.append(set())
