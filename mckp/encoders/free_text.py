"""Find columns of free text, whose cells end at a tab or at the end of the row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from mckp.encoders.shapes import Cell, Constant, Derived, Group
from mckp.encoders.words import NO_WORD
from mckp.jsontext import LITERAL
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.records import Column, Records
    from mckp.encoders.shapes import Shape

Path: TypeAlias = tuple[str, ...]

# Free text must not look like any meaning of a word, nor contain what ends a cell.
_START = rf"(?!(?:{LITERAL}|{NO_WORD})\Z|[=\"{{\[<\s/>])"
_REST = r"[^\x00-\x1f\x7f\ud800-\udfff]+(?<!\s)"
_TEXT = regex(_START + _REST)
_INLINE_TEXT = regex(rf"{_START}[^\x00-\x1f\x7f\ud800-\udfff\";{{}}\[\]]+(?<!\s)")
TEXTS: Final = regex("(?:{}{}\n)*+".format(_START.replace(r"\Z", r"\n"), _REST))
"""Lines that are all bare free text."""


def is_text(value: object, *, inline: bool) -> bool:
    """Whether a value can be free text without quotes; `inline` rows share a line."""
    pattern = _INLINE_TEXT if inline else _TEXT
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def with_free_text(group: Group, records: Records, total: int, *, inline: bool) -> Group:
    """Return a shape in which columns of free text need no quotation marks.

    `total` is the number of records that have members; `inline` rows share a line.
    """
    gains: dict[Path, tuple[int, int]] = {}
    _add_gains(group, records, total, (), gains, inline=inline)
    if not gains:
        return group
    ends = [path for path in gains if _may_end_row(group, path)]
    last = max(ends, key=lambda path: gains[path][0], default=None)
    # A tab costs one token per row, a pair of quotation marks two tokens where it is needed.
    tabs = {
        path
        for path, (gain, cell_count) in gains.items()
        if 4 * gain > 3 * cell_count and path != last
    }
    return _with_styles(group, (), last or (), tabs)


def _may_end_row(shape: Shape, path: Path) -> bool:
    """Whether every optional object around a column has another cell that shows its presence."""
    for key in path[:-1]:
        shape = shape.columns[key] if isinstance(shape, Group) else shape
        if isinstance(shape, Group) and shape.optional and _count_cells(shape) < 2:
            return False
    return True


def shows_presence(group: Group) -> bool:
    """Whether an object is required, or has a cell before the row's end that shows its presence."""
    return not group.optional or _count_cells(group) > group.end_count


def _count_cells(group: Group) -> int:
    """Return the fewest cells that a present object can have."""
    return sum(
        _count_cells(shape) if isinstance(shape, Group) and not shape.optional else 1
        for shape in group.columns.values()
        if not isinstance(shape, Constant | Derived)
    )


def _add_gains(
    group: Group,
    records: Records,
    total: int,
    path: Path,
    gains: dict[Path, tuple[int, int]],
    *,
    inline: bool,
) -> None:
    """Add to `gains` how many cells of each column would lose quotes, and how many it has.

    Columns that would lose none are left out. `path` leads to the group, which has `total` rows;
    rows that are `inline` share a line.
    """
    for key, shape in group.columns.items():
        column = records.columns[key]
        if isinstance(shape, Group):
            nested = column.nested
            _add_gains(shape, nested, nested.size, (*path, key), gains, inline=inline)
        elif shape is Cell.WORD and (
            gain := column.get_or_find(("gain", inline), partial(_gain_of, column, inline=inline))
        ):
            gains[(*path, key)] = gain, total


def _gain_of(column: Column, *, inline: bool) -> int:
    """Return the number of cells that need quotes as words but not as free text."""
    texts = free_texts(column, inline=inline)
    if not texts or len(column.bare) == column.count:
        return len(texts)
    return sum(value in texts for value in column.raw if isinstance(value, str))


def free_texts(column: Column, *, inline: bool) -> set[str]:
    """Return the strings of a column that need quotes as words but not as free text."""

    def find() -> set[str]:
        """Return the strings; called if they are not in the cache."""
        bare = column.bare.items()
        return {text for text, is_bare in bare if not is_bare and is_text(text, inline=inline)}

    return column.get_or_find(("free", inline), find)


def _with_styles(group: Group, path: Path, last: Path, tabs: set[Path]) -> Group:
    """Return a shape with its columns of free text marked, and the one that ends the row last.

    `path` leads to the group. `last` is the path of the column that ends the row, or empty, and
    `tabs` has the paths of those that end at a tab.
    """
    columns: dict[str, Shape] = {}
    for key in sorted(group.columns, key=lambda key: (*path, key) == last[: len(path) + 1]):
        here, shape = (*path, key), group.columns[key]
        if isinstance(shape, Group):
            columns[key] = _with_styles(shape, here, last, tabs)
        elif here == last:
            columns[key] = Cell.LAST
        else:
            columns[key] = Cell.TAB if here in tabs else shape
    return Group(columns, group.optional, group.more)
