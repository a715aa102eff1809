"""What options of data are made of: lines with notes below them, and what a reader gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.menu.classes import Option
from mckp.menu.members import values
from mckp.regexes import regex
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.menu.classes import AnyOption, Part, Series
    from mckp.menu.narrow import Narrow

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines.

Items of an array may be blocks of their own up to the same number."""

_COUNTED: Final = regex(r"\[[0-9]+\]\Z")


def above_notes(text: str) -> str:
    """Return a document on a line so that it is read as such with notes below it.

    An array of one number looks like the header of a block.
    """
    return f"[ {text[1:]}" if _COUNTED.match(text.rstrip()) else text


def part_of_line(
    name: str, text: str, part: Part, worth: float, kept: Callable[[], Any]
) -> Iterator[Option]:
    """Yield a line with its notes below, unless that is no fragment."""
    written = text + part.note
    if is_fragment(written):
        yield Option(name, (text, part.note), worth, part=part, kept=kept)


def with_note(option: AnyOption | Series, note: str) -> AnyOption | Series:
    """Return a part of the document on a line with the note that all texts have."""
    if not isinstance(option, Option):
        return option  # has it already
    return Option(
        option.format,
        (*option.fragments, note),
        option.worth,
        part=option.part,
        kept=option.kept,
    )


def kept_rows(value: Any) -> Callable[[Sequence[int]], Any]:
    """Return what a reader gets of the rows of a value."""

    def kept(rows: Sequence[int]) -> Any:
        if is_object(value):
            items = list(value.items())
            return dict(items[row] for row in rows)
        return [value[row] for row in rows]

    return kept


def kept_of(narrow: Narrow) -> Callable[[Sequence[int]], Any]:
    return lambda rows: kept_rows(narrow.value())(rows)


def constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def holds_long_array(value: list[Any]) -> bool:
    """Whether an array of few items stands around one of many."""
    return len(value) <= MOST_INLINE and any(
        is_array(each) and len(each) > MOST_INLINE for each in values(value)
    )
