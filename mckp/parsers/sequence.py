"""JSON values one after the other in any spelling, as JSON lines and joined pages of an API."""

from __future__ import annotations

import json
from math import isinf
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import MAX_DEPTH, depth_of, is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.jsontext import JsonValue

_BETWEEN: Final = regex(r"[ \t\r\n\x1e]*")
"""Blanks, line ends and the separator of RFC 7464."""
_BEGIN: Final = regex(r"[ \t\r\n\x1e]*[\[{]")


def values_of(text: str) -> list[JsonValue] | None:
    r"""Return the values of a text that is nothing but JSON objects, or nothing but JSON arrays.

    The result is None for fewer than two values, for a text with anything else in it, and if a
    value would not be read exactly: a key twice in one object, NaN, or a number beyond the range of
    a double. Arrays of a single value are rather references, such as ``[1]``.

    Examples
    --------
    >>> values_of('{"a": 1.10}\r\n\r\n{"a":2}'), values_of('{"a": 1}\nand {"a": 2}')
    ([{'a': 1.1}, {'a': 2}], None)
    """
    if not _BEGIN.match(text):
        return None
    values: list[Any] = []
    at, size = _end_of_blanks(text, 0), len(text)
    try:
        while at < size:
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _end_of_blanks(text, end)
    except (ValueError, RecursionError):
        return None
    is_data = all(map(is_object, values)) or all(is_array(v) and len(v) > 1 for v in values)
    return values if len(values) > 1 and is_data and depth_of(values) <= MAX_DEPTH else None


def _end_of_blanks(text: str, at: int) -> int:
    """Return where the next value begins."""
    match = _BETWEEN.match(text, at)
    return at if match is None else match.end()


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise a `ValueError` if a key occurs twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key occurs twice")
    return members


def _number(digits: str) -> float:
    """Return a float; raise a `ValueError` if it is beyond the range of a double."""
    number = float(digits)
    if isinf(number):
        raise ValueError("a number is too large")
    return number


def _no_constant(name: str) -> Any:
    """Refuse NaN and Infinity."""
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_number, parse_constant=_no_constant
)
