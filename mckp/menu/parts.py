"""What options of data are made of: lines with notes below them, and what a reader gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.words import is_word
from mckp.jsontext import dump, is_array, is_object
from mckp.menu.classes import Option
from mckp.menu.members import values
from mckp.regexes import regex
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.encoders.records import Records
    from mckp.menu.classes import Part

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines.

Items of an array may be blocks of their own up to the same number."""

MOST_IN_ONE: Final = 96
"""Leaves of a line's array, or records of a table, that are looked at each by itself."""

_COUNTED: Final = regex(r"\[([0-9]+)\]\Z")


def above_notes(text: str) -> str:
    """Return a document on a line so that it is read as such with notes below it.

    An array of one number looks like the header of a block, and so does one of a string of
    digits: only those with a zero in front stand without quotes.
    """
    item = _COUNTED.match(text.rstrip())
    if item is None:
        return text
    return f"[{dump(item[1])}{text[item.end(1) :]}" if is_word(item[1]) else f"[ {text[1:]}"


def part_of_line(
    name: str, text: str, part: Part, worth: float, kept: Callable[[], Any], note: str
) -> Iterator[Option]:
    """Yield a line with its notes below, then that of the document, unless it is no fragment."""
    if is_fragment(text + part.note):
        yield Option(name, (text, part.note), worth, tail=note, part=part, kept=kept)


def kept_rows(value: Callable[[], Any]) -> Callable[[Sequence[int]], Any]:
    """Return what a reader gets of the rows of a value."""

    def kept(rows: Sequence[int]) -> Any:
        whole = value()
        if is_object(whole):
            items = list(whole.items())
            return dict(items[row] for row in rows)
        return [whole[row] for row in rows]

    return kept


def constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def holds_long_array(value: list[Any]) -> bool:
    """Whether an array is long, or holds one that is."""
    return any(is_array(each) and len(each) > MOST_INLINE for each in values(value))


def is_one_class(records: Records) -> bool:
    """Whether one class is enough for records: there are many, and rows say all of them well."""
    is_nested = any(column.has_containers for column in records.columns.values())
    return records.size > (MOST_IN_ONE if is_nested else MOST_INLINE)
