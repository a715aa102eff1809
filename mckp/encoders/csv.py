"""``csv``: an array of objects as RFC 4180 records below a header.

Columns are the union of all keys, in order of first appearance, so no key is ever lost.
A record is always one line. An empty cell is an absent member; ``null`` is null, ``""``
(quoted once more by the RFC) the empty string; a nested value is a cell of JSON.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.hints import take_hint
from mckp.encoders.scalars import ABSENT, read_key, read_value, write_key, write_value
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines


_SPECIAL = re.compile(r'[,"]')
_SPECIAL_FIRST = re.compile(r'[,"]|\A[/>]')
_SPECIAL_ALONE = re.compile(r'[,"]|\A[/>]|\A\Z')
_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",]*)),')


MOST_EMPTY: Final = 16
"""Cells of a table for each that is filled, at most."""


def union_of_keys(value: Any) -> list[str] | None:
    """Return the columns of an array of objects, or None for anything else.

    Examples
    --------
    >>> union_of_keys([{"a": 1}, {"b": 2, "a": 3}])
    ['a', 'b']
    """
    if not is_array(value) or not all(map(is_object, value)):
        return None
    columns = list(dict.fromkeys(key for item in value for key in item))
    filled = sum(map(len, value))
    # Records that have next to nothing in common make a table of next to nothing.
    if len(columns) * len(value) > MOST_EMPTY * filled + 1000:
        return None
    return columns or None


def cells(item: dict[str, Any], columns: Iterable[str]) -> list[str]:
    """Return the cells of one record; empty where the member is absent."""
    return [write_value(item[key]) if key in item else "" for key in columns]


def record(columns: list[str], texts: Iterable[str]) -> dict[str, Any]:
    """Return the object that a row of cells stands for."""
    values = zip(columns, map(read_value, texts), strict=True)
    return {key: value for key, value in values if value is not ABSENT}


def body(value: Any) -> Body | None:
    """Write an array of objects that has at least one key."""
    columns = union_of_keys(value)
    if columns is None:
        return None
    head = line([write_key(key) for key in columns])
    rows = tuple(line(cells(item, columns)) for item in value)
    return Body(f"[{len(value)}]", head, rows)


def line(texts: list[str]) -> str:
    r"""Return one record with its line feed; no record begins with ``/``, ``>`` or a blank.

    Examples
    --------
    >>> line(["1", 'say "hi", then', "x"]), line(["/etc"])
    ('1,"say ""hi"", then",x\n', '"/etc"\n')
    """
    first = quoted(texts[0], _SPECIAL_FIRST if len(texts) > 1 else _SPECIAL_ALONE)
    return ",".join([first, *(quoted(text, _SPECIAL) for text in texts[1:])]) + "\n"


def quoted(text: str, special: re.Pattern[str]) -> str:
    """Return a cell, in quotation marks if it holds anything special."""
    return '"' + text.replace('"', '""') + '"' if special.search(text) else text


def split(row: str) -> list[str] | None:
    """Return the cells of one record, or None if it is damaged.

    The standard library's reader stops at 128 kB a cell.

    Examples
    --------
    >>> split('1,"say ""hi"", then",'), split('1,x"y')
    (['1', 'say "hi", then', ''], None)
    """
    found: list[str] = []
    place, row = 0, f"{row},"
    while place < len(row):
        if (cell := _CELL.match(row, place)) is None:
            return None
        found.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
        place = cell.end()
    return found


def read(lines: Lines, header: Header) -> list[dict[str, Any]]:
    """Read the array back."""
    return read_records(lines, header, columns_of(split(lines.take()), lines), split)


def columns_of(texts: list[str] | None, lines: Lines) -> list[str]:
    """Return the names of the columns that a header lists; each stands once."""
    names = [read_key(text) for text in texts or ()]
    if not names or len(set(names)) < len(names):
        lines.fail("a header that names each column once was expected")
    return names


def read_records(
    lines: Lines,
    header: Header,
    columns: list[str],
    cells_of: Callable[[str], list[str] | None],
) -> list[dict[str, Any]]:
    """Read as many records as the block's header declares, or as are left before its hint."""
    bracket, total = header.bracket, header.size
    items: list[dict[str, Any]] = []
    if bracket != "[":
        lines.fail("records are an array, whose header shows its length as in '[20]'")
    while len(items) < total and not take_hint(lines, len(items), total):
        texts = cells_of(lines.take())
        if texts is None or len(texts) != len(columns):
            lines.fail(f"a record of {len(columns)} cells was expected")
        items.append(record(columns, texts))
    return items


CSV = Format("csv", DataLoss.NONE, body, read)
