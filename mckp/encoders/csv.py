"""``csv``: an array of objects as RFC 4180 records below a header.

Columns are the union of all keys, in order of first appearance, so no key is ever lost.
A record is always one line. An empty cell is an absent member; ``null`` is null, ``""``
(quoted once more by the RFC) the empty string; a nested value is a JSON cell.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.hints import take_hint
from mckp.encoders.records import as_array_records
from mckp.encoders.scalars import (
    ABSENT,
    number_texts,
    read_cell,
    read_key,
    values_of,
    write_cell,
    write_key,
)
from mckp.errors import ParseError
from mckp.jsontext import dump
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines
    from mckp.encoders.records import Column, Records

_SPECIAL = regex(r'[,"]')
_SPECIAL_FIRST = regex(r'[,"]|\A[/>]')
_SPECIAL_ALONE = regex(r'[,"]|\A[/>]|\A\Z')
_CELL = regex(r'(?:"((?:[^"]|"")*)"|([^",]*)),')


MOST_EMPTY: Final = 16
"""Most cells of a table per filled cell."""


def table_records(value: object) -> Records | None:
    """Return the records of an array of objects that fit a table, else None.

    They do not fit if they have no members, if a value was cut, or if nearly all cells would be
    empty.
    """
    records = as_array_records(value)
    # An empty cell means absent; there is no sign for a cut one.
    if records is None or records.odd or any(column.cut for column in records.columns.values()):
        return None
    filled = sum(column.count for column in records.columns.values())
    # Records with hardly a column in common make a table of empty cells.
    is_sparse = len(records.columns) * records.size > MOST_EMPTY * filled + 1000
    return None if is_sparse or not records.columns else records


def cells_of(column: Column, key: object, escape: Callable[[str], str]) -> list[str]:
    """Return the cells of a column with special characters escaped; absent cells are empty.

    `key` identifies the format: the cells are cached under it in the column.
    """

    def find() -> list[str]:
        """Return the cells; called if they are not in the cache."""
        if column.is_numbers:
            return column.texts_by_row(number_texts(column.raw), escape(""))
        known = {text: escape(write_cell(text)) for text in column.bare}
        texts = [known[v] if isinstance(v, str) else escape(dump(v)) for v in column.raw]
        return column.texts_by_row(texts, escape(""))

    return column.get_or_find(key, find)


def body(value: object) -> Body | None:
    """Write an array of objects as CSV; return None if it does not fit a table."""
    if (records := table_records(value)) is None:
        return None
    head = line([write_key(key) for key in records.columns])
    special = _SPECIAL_FIRST if len(records.columns) > 1 else _SPECIAL_ALONE
    columns: list[list[str]] = []
    for column in records.columns.values():
        columns.append(cells_of(column, special, partial(quote_cell, special)))
        special = _SPECIAL
    rows = tuple(f"{','.join(row)}\n" for row in zip(*columns, strict=True))
    return Body(f"[{records.size}]", head, rows)


def line(texts: list[str]) -> str:
    r"""Return one record with its line feed.

    A first cell with ``/`` or ``>`` at its beginning is quoted, and so is an empty only cell.

    Examples
    --------
    >>> line(["1", 'say "hi", then', "x"]), line(["/etc"])
    ('1,"say ""hi"", then",x\n', '"/etc"\n')
    """
    first = quote_cell(_SPECIAL_FIRST if len(texts) > 1 else _SPECIAL_ALONE, texts[0])
    return ",".join([first, *(quote_cell(_SPECIAL, text) for text in texts[1:])]) + "\n"


def quote_cell(special: re.Pattern[str], text: str) -> str:
    """Return a cell, in quotation marks if `special` matches it."""
    return '"' + text.replace('"', '""') + '"' if special.search(text) else text


def split(row: str) -> list[str] | None:
    """Return the cells of one record, or None if it is damaged.

    The reader of the standard library fails on cells above 128 kB.
    """
    if '"' not in row:
        return row.split(",")
    cells: list[str] = []
    place, row = 0, f"{row},"
    while place < len(row):
        if (cell := _CELL.match(row, place)) is None:
            return None
        cells.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
        place = cell.end()
    return cells


def read(lines: Lines, header: Header) -> list[dict[str, Any]]:
    """Read the array below a header; fail at the first line that is no record of it."""
    return read_records(lines, header, columns_of(split(lines.take()), lines), split)


def columns_of(texts: list[str] | None, lines: Lines) -> list[str]:
    """Return the column names in the cells of a header; fail if there are none, or duplicates."""
    names = [read_key(text) for text in texts or ()]
    if not names or len(set(names)) < len(names):
        lines.fail("a header that names each column once was expected")
    return names


def read_records(
    lines: Lines,
    header: Header,
    columns: list[str],
    split: Callable[[str], list[str] | None],
) -> list[dict[str, Any]]:
    """Read the records that a header declares, or those above the hint on cut ones.

    `split` returns the cells of a line, or None if it is damaged.
    """
    rows: list[list[str]] = []
    if header.bracket != "[":
        lines.fail("records are an array, whose header shows its length as in '[20]'")
    start = lines.index
    while len(rows) < header.size and not take_hint(lines, len(rows), header.size):
        cells = split(lines.take())
        if cells is None or len(cells) != len(columns):
            lines.fail(f"a record of {len(columns)} cells was expected")
        rows.append(cells)
    try:
        values = [
            values_of(cells_of_column, read_cell) for cells_of_column in zip(*rows, strict=True)
        ]
    except ParseError:
        for place, cells in enumerate(rows, start + 1):
            lines.index = place  # the line that an error names
            list(map(read_cell, cells))
        raise
    return [record_of(columns, row) for row in zip(*values, strict=True)]


def record_of(columns: list[str], values: Iterable[Any]) -> dict[str, Any]:
    """Return the object for a row of cells; an absent cell gives no member."""
    record = dict(zip(columns, values, strict=True))
    if ABSENT not in record.values():
        return record
    return {key: value for key, value in record.items() if value is not ABSENT}


CSV = Format("csv", DataLoss.NONE, body, read)
