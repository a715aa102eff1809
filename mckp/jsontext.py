"""Compact JSON text of plain Python values, exact for integers of any size."""

from __future__ import annotations

import json
import marshal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.plain import JsonValue as JsonValue
from mckp.plain import is_array as is_array
from mckp.plain import is_container as is_container
from mckp.plain import is_mapping as is_mapping
from mckp.plain import is_object as is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Mapping

STRING: Final = r'"(?:[^"\\]++|\\.)*+"'
"""A string of JSON, as a regular expression."""

NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
"""A number of JSON, as a regular expression."""

LITERAL: Final = rf"true|false|null|{NUMBER}"
"""A scalar of JSON that is no string, as a regular expression."""

MAX_DEPTH: Final = 200
"""Deepest nesting of arrays and objects that is read or written.

Everything that walks a tree here may recurse. Two frames a level leave more than half of
the interpreter's default limit of 1,000 to the caller.
"""


class CutObject(dict[str, JsonValue]):
    """An object that has lost members, so that a table does not show it as if it never had them.

    The members in `shown` have columns because other objects still have them, so this object needs
    a sign in these columns.
    """

    def __init__(
        self, members: Mapping[str, JsonValue], cut: Iterable[str], shown: Iterable[str] = ()
    ) -> None:
        super().__init__(members)
        self.shown = frozenset(shown)
        self.cut = self.shown.union(cut)

    def __repr__(self) -> str:
        return f"{super().__repr__()} without {sorted(self.cut)}"


def left_of(
    value: dict[str, JsonValue],
    members: dict[str, JsonValue],
    cut: Collection[str] = (),
    shown: Collection[str] = (),
) -> dict[str, JsonValue]:
    """Return what is left of an object as a `CutObject`, with the members cut now and before.

    If none are cut, `members`, which are what is left, are returned as they are.

    Examples
    --------
    >>> left = left_of({"a": 1, "b": 2}, {"a": 1}, ["b"])
    >>> left, left_of(left, {"a": 1}).cut
    ({'a': 1} without ['b'], frozenset({'b'}))
    """
    if isinstance(value, CutObject):
        cut, shown = value.cut.union(cut), value.shown.union(shown)
    return CutObject(members, cut, shown) if cut or shown else members


def dump(value: object) -> str:
    """Return a plain value as compact JSON, with only the escapes that JSON requires.

    Examples
    --------
    >>> dump({"a": [1, 2.0, "ü"], "b": 10**30})
    '{"a":[1,2.0,"ü"],"b":1000000000000000000000000000000}'
    """
    return dump_bytes(value).decode()


def dump_bytes(value: object, option: int = 0) -> bytes:
    """Return the compact JSON of a plain value in UTF-8; `option` has flags of orjson."""
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        return orjson.dumps(_with_raw_integers(value), option=option)


def copied(value: JsonValue) -> JsonValue:
    """Return a deep copy of plain data of built-in types; five times as fast as a walk.

    Raises a `ValueError` for values of other types, such as `CutObject`.
    """
    shares_nothing = 2  # a version of the format; later ones keep what is in two places as one
    copy: JsonValue = marshal.loads(marshal.dumps(value, shares_nothing))
    return copy


def may_hold_data(value: object) -> bool:
    """Whether a string in an object or array may be JSON or have several lines, by a cheap check.

    Examples
    --------
    >>> may_hold_data({"text": '{"a": 1}'}), may_hold_data([["one line"]])
    (True, False)
    """
    text = dump_bytes(value)
    return b'"{' in text or b'"[' in text or b"\\n" in text


def canonical(value: object) -> str:
    """Return JSON that is the same text for equal values: keys are sorted.

    Types are distinguished (``1``, ``1.0``, ``"1"``, ``true``); the order of keys is not.
    """
    return dump_bytes(value, orjson.OPT_SORT_KEYS).decode()


_CONTAINERS: Final = frozenset({dict, list, CutObject})
LONG_NUMBER: Final = len(str(2**63))
"""Digits from which on an integer may be beyond 64 bits."""
_LONG = regex(rf"(?<![^\s\[,:-])[0-9]{{{LONG_NUMBER},}}+(?![^\s,\]}}])")
"""An integer of so many digits, or what looks like one in a string; no part of a fraction."""
_STEP = 4
_SAMPLED = regex(rf"[0-9]{{{LONG_NUMBER // _STEP},}}")
_LONG_INTEGER = regex(rf"{STRING}|(?<![0-9.eE])(?<![eE][+-])[0-9]{{{LONG_NUMBER},}}(?![0-9.eE])")


def _with_raw_integers(value: object) -> object:
    """Return a value with integers beyond signed 64 bits replaced by raw JSON."""
    if is_object(value):
        return {key: _with_raw_integers(item) for key, item in value.items()}
    if is_array(value):
        return [_with_raw_integers(item) for item in value]
    if isinstance(value, int) and value.bit_length() > 63:
        return orjson.Fragment(str(value))
    return value


def load(text: str) -> JsonValue:
    """Parse strict JSON; integers keep all digits.

    Raises `json.JSONDecodeError` if the text is not JSON, and `ValueError` for an integer with more
    digits than Python converts.
    """
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if not error.msg.startswith("number is infinity"):
            raise
        # Integers beyond a double are refused as well; with those made shorter, though as
        # wide, what is left is the library's to judge.
        orjson.loads(_LONG_INTEGER.sub(_as_one_digit, text))
        value = json.loads(text)
    else:
        if len(text) >= LONG_NUMBER and _may_have_long_integer(text):
            value = json.loads(text)
    return value


def is_json(text: str) -> bool:
    """Whether a text is strict JSON."""
    with suppress(ValueError):
        load(text)
        return True
    return False


def _may_have_long_integer(text: str) -> bool:
    """Whether a text may contain an integer beyond 64 bits.

    Such an integer is a long run of digits, so it is found by testing only every fourth character.
    """
    places = (
        (_STEP * (match.start() - 1) + 1, _STEP * match.end())
        for match in _SAMPLED.finditer(text[::_STEP])
    )
    return any(_LONG.search(text, max(0, first), end) for first, end in places)


def depth_of(value: object) -> int:
    """Return the nesting depth of the containers in a plain value."""
    level: list[Any] = [value] if is_container(value) else []
    depth = 0
    while level:
        inner = (item.values() if is_object(item) else item for item in level)
        below = [items for items in inner if not _CONTAINERS.isdisjoint(map(type, items))]
        level = [child for items in below for child in items if child.__class__ in _CONTAINERS]
        depth += 1
    return depth


def _as_one_digit(match: re.Match[str]) -> str:
    """Return a number as one digit with blanks behind it, and a string unchanged."""
    return match[0] if match[0].startswith('"') else "1".ljust(len(match[0]))


def difference(left: object, right: object, path: str = "$") -> str | None:
    """Return the path of the first place where two plain values differ, as ``$.a[1]``, or None.

    Types count (``1`` is not ``1.0``), the order of an object's keys does not.
    """
    if type(left) is not type(right):
        return path
    if is_object(left) and is_object(right):
        if left.keys() != right.keys():
            return path
        below = (difference(left[key], right[key], path + step_text(key)) for key in left)
        return next(filter(None, below), None)
    if is_array(left) and is_array(right):
        if len(left) != len(right):
            return path
        pairs = enumerate(zip(left, right, strict=True))
        return next(
            filter(
                None,
                (
                    difference(left_item, right_item, path + step_text(index))
                    for index, (left_item, right_item) in pairs
                ),
            ),
            None,
        )
    return None if repr(left) == repr(right) else path


def step_text(key: str | int | slice) -> str:
    """Return a step of a path as it is printed: ``.name``, ``["odd name"]``, ``[0]``, ``[2:]``."""
    if isinstance(key, int):
        return f"[{key}]"
    if isinstance(key, slice):
        first, last = ("" if end is None else end for end in (key.start, key.stop))
        return f"[{first}:{last}]" if key != slice(None) else "[*]"
    return f".{key}" if key.isidentifier() else f"[{dump(key)}]"


def path_text(path: Iterable[str | int | slice]) -> str:
    """Return a path as it is printed.

    Examples
    --------
    >>> path_text(("jobs", 0, "build name"))
    '$.jobs[0]["build name"]'
    """
    return "$" + "".join(step_text(key) for key in path)
