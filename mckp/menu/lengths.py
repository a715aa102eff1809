"""What may stand on one line: which containers are too long for it, and so are blocks of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import LINE_CHARACTERS, MOST_CELLS
from mckp.encoders.words import is_word
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.members import values
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.records import Records

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines.

Items of an array may be blocks of their own up to the same number."""

MOST_IN_ONE: Final = 96
"""Leaves of a line's array, or records of a table, that are looked at each by itself."""

_COUNTED: Final = regex(r"\[([0-9]+)\]\Z")

FACTS: Final = 40
"""Facts of an object or array that may stand on a line."""


def holds_long_array(value: list[Any]) -> bool:
    """Whether an array is long, or holds one that is."""
    return any(is_array(each) and len(each) > MOST_INLINE for each in values(value))


def is_one_class(records: Records) -> bool:
    """Whether one class is enough for records: there are many, and rows say all of them well."""
    is_nested = any(column.has_containers for column in records.columns.values())
    return records.size > (MOST_IN_ONE if is_nested else MOST_INLINE)


def above_notes(text: str) -> str:
    """Return a document on a line so that it is read as such with notes below it.

    An array of one number looks like the header of a block, and so does one of a string of
    digits: only those with a zero in front stand without quotes.
    """
    item = _COUNTED.match(text.rstrip())
    if item is None:
        return text
    return f"[{dump(item[1])}{text[item.end(1) :]}" if is_word(item[1]) else f"[ {text[1:]}"


class Lengths:
    """What tells long containers of one document, each looked at once.

    Long are tables of more facts than a reader tells apart side by side, and what has too many
    facts, or characters as compact JSON, for a line. An array of leaves never is, however many it
    has: nothing in it has to be found. If `is_dense`, only tables of many records are long.

    Examples
    --------
    >>> lengths = Lengths(lambda value: 20)
    >>> lengths.is_long([{"id": 1}, {"id": 2}]), lengths.is_long({"id": 1}), lengths.is_long([1, 2])
    (True, False, False)
    """

    def __init__(self, facts: Callable[[Any], int], *, is_dense: bool = False) -> None:
        self._facts, self._is_dense = facts, is_dense
        self._known: dict[int, bool] = {}

    def is_long(self, value: dict[str, Any] | list[Any]) -> bool:
        """Whether a container is too long for one line, or has something in it that is."""
        found = self._known.get(id(value))
        if found is None:
            below = value.values() if is_object(value) else value
            inner = list(filter(is_container, below))
            # What needs no look into the members comes first: that tells of most long tables.
            found = (
                (is_array(value) and len(value) > MOST_INLINE and any(map(is_object, inner)))
                or (not self._is_dense and self._is_much(value, inner))
                or any(map(self.is_long, inner))
            )
            self._known[id(value)] = found
        return found

    def _is_much(self, value: dict[str, Any] | list[Any], inner: list[Any]) -> bool:
        """Whether a container is a table of many facts, or has too many facts or characters."""
        facts = self._facts(value)
        if facts <= MOST_CELLS or (is_array(value) and not inner):
            return False
        records = sum(map(is_object, inner))
        is_table = records > 1 and (is_array(value) or records == len(value))
        return is_table or facts > FACTS or len(dump(value)) > LINE_CHARACTERS
