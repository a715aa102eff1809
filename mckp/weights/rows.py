"""Which rows of a document are remarkable: exceptions, and what people say in conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.regexes import regex
from mckp.unlike import FEWEST, MOST_CODES, UNUSUAL, FieldCells, unlike
from mckp.weights.columns import ITEM
from mckp.weights.following import newest_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.weights.columns import Columns, LeafColumn
    from mckp.weights.traits import ColumnTraits

SPEAKERS: Final = frozenset({'"user', '"system', '"developer'})
"""Roles of those who give instructions."""
TALKS: Final = frozenset({'"assistant', '"tool', '"model'})
"""Roles that show that records are the messages of a conversation."""
_TOOL_RESULT: Final = '"tool_result'
"""The type of a block of a message that has the result of a tool, not the words of a person."""

IGNORED: Final = frozenset(
    {"name 0", "name 1", "item 0", "item 1", "id own", "id second", "id nested"}
)
"""Traits of columns whose values are no news, however rare they are."""

OUTCOMES: Final = frozenset({"name 5", "name 6", "name 7"})
"""Traits of columns that say how something is, or how it ended."""

OUTCOME: Final = 1.1
"""How much more it counts if a cell of such a column is unlike the others."""

LISTED: Final = 0.6
"""How much an unlike item of a list counts, such as a rare tag: a record may have several."""

_CODE: Final = regex(r"\"?[0-9]{1,3}")


class RowTraits(NamedTuple):
    """What is remarkable about the rows of a document.

    Attributes
    ----------
    marks : list of str
        A trait for each row, or for most an empty string: ``exception``, ``around`` for a row that
        has an exception within it, ``newest`` or ``said``. Row 0, the document, has none.
    sizes : dict of int to int
        The number of rows of its table, for each exceptional row.
    cells : dict of LeafColumn to set
        The texts of each column's values that are unlike the others, if there are any.
    """

    marks: list[str]
    sizes: dict[int, int]
    cells: dict[LeafColumn, set[str]]


def row_traits(columns: Columns, entries: list[ColumnTraits]) -> RowTraits:
    """Return what is remarkable about rows and their cells.

    An ``exception`` is a row that is unlike the other rows of its table; ``newest`` is the last row
    of a series. ``said`` is a row of a message by a person or the system in a conversation, at any
    depth, except for results of tools; it replaces the others.
    """
    above = columns.above
    marks = [""] * len(above)
    sizes = dict[int, int]()
    cells = _mark_exceptions(columns, entries, marks, sizes)
    speaker_rows, result_rows = set[int](), set[int]()
    for entry in entries:
        name, rows = entry.column.path[-1], entry.column.rows
        if name == "role" and TALKS & entry.own.keys():
            pairs = zip(entry.texts, rows, strict=True)
            speaker_rows.update(row for text, row in pairs if text in SPEAKERS)
        elif name == "type" and _TOOL_RESULT in entry.own:
            pairs = zip(entry.texts, rows, strict=True)
            result_rows.update(row for text, row in pairs if text == _TOOL_RESULT)
    for row in _newest_rows(entries):
        marks[row] = marks[row] or "newest"
    if speaker_rows:
        for row in range(1, len(above)):  # each row comes after the row around it
            if row in speaker_rows or (marks[above[row]] == "said" and row not in result_rows):
                marks[row] = "said"
    return RowTraits(marks, sizes, cells)


def _mark_exceptions(
    columns: Columns, entries: Iterable[ColumnTraits], marks: list[str], sizes: dict[int, int]
) -> dict[LeafColumn, set[str]]:
    """Mark the exceptional rows of each table and the rows around them; return unlike cells.

    `sizes` gets the size of the table of each exceptional row.
    """
    tables: dict[tuple[str, ...], list[ColumnTraits]] = {}
    cells: dict[LeafColumn, set[str]] = {}
    for entry in entries:
        if entry.column.runs:  # a row has all of these numbers, so only they may be exceptions
            size = len(entry.texts)
            cells[entry.column] = set(unlike([FieldCells(entry.texts, range(size))], size).cells[0])
        elif path := _record_path(entry.column):
            tables.setdefault(path, []).append(entry)
    rows_by_path = {
        path: sorted({row for entry in siblings for row in entry.column.rows})
        for path, siblings in tables.items()
    }
    with_inner: dict[tuple[str, ...], list[set[int]]] = {}
    for path, rows in rows_by_path.items():
        holders = {columns.above[row] for row in rows}
        with_inner.setdefault(_records_around(path[:-1]), []).append(holders)
    for path, siblings in tables.items():
        rows = rows_by_path[path]
        if len(rows) < FEWEST:
            continue
        numbers = {row: number for number, row in enumerate(rows)}
        fields = [_field(entry, numbers) for entry in siblings]
        inner = [[numbers.get(row, -1) for row in own] for own in with_inner.get(path, ())]
        found = unlike(fields, len(rows), inner)
        for entry, texts in zip(siblings, found.cells, strict=True):
            if texts:
                cells[entry.column] = {text for text, bits in texts.items() if bits >= UNUSUAL}
        for number in found.exceptional:
            row = rows[number]
            marks[row], sizes[row] = "exception", len(rows)
            while (row := columns.above[row]) and not marks[row]:
                marks[row] = "around"
    return cells


def _record_path(column: LeafColumn) -> tuple[str, ...]:
    """Return the path of the records that have a column; () if it is in no array or map."""
    return _records_around(column.path[:-1] if column.is_tuple_part else column.path)


def _records_around(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path of the records that a path is in, which may be the path itself."""
    size = len(path)
    while size and path[size - 1] != ITEM:
        size -= 1
    return path[:size]


def _field(entry: ColumnTraits, numbers: Mapping[int, int]) -> FieldCells:
    """Return a column as a field of its table; `numbers` has the number of each row in that."""
    rows = [numbers[row] for row in entry.column.rows]
    return FieldCells(entry.texts, rows, _field_weight(entry))


def _field_weight(entry: ColumnTraits) -> float:
    """Return how much it counts if a cell of a column is unlike the others."""
    common = entry.common
    if entry.column.is_key or "echo" in common or "again" in common:
        return 0.0
    ignored = IGNORED.intersection(common)
    if ignored and not (ignored == frozenset({"name 1"}) and _has_codes(entry)):
        return 0.0
    weight = 1.0 if OUTCOMES.isdisjoint(common) else OUTCOME
    is_item = entry.column.path[-1] == ITEM and not entry.column.is_tuple_part
    return weight * LISTED if is_item else weight


def _has_codes(entry: ColumnTraits) -> bool:
    """Whether a column has a few codes: its name says little, as ``http``, but one may be rare."""
    return len(entry.own) <= MOST_CODES and all(_CODE.fullmatch(text) for text in entry.own)


def _newest_rows(entries: Sequence[ColumnTraits]) -> Iterable[int]:
    """Yield the last row of each series of measurements over time."""
    entries_by_record: dict[tuple[str, ...], list[ColumnTraits]] = {}
    for entry in entries:
        if len(entry.column.path) > 1 and entry.column.path[-2] == ITEM:
            entries_by_record.setdefault(entry.column.path[:-1], []).append(entry)
    for siblings in entries_by_record.values():
        dates = [all("kind date" in traits for traits in entry.own.values()) for entry in siblings]
        row = newest_row([entry.column for entry in siblings], dates) if any(dates) else None
        if row is not None:
            yield row
