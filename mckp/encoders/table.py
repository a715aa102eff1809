r"""``table``: an array of objects as an unpadded Markdown (GFM) table.

Columns are the union of all keys. An empty cell is an absent member, ``""`` the empty
string; a nested value is a JSON cell; ``|`` inside a cell is ``\|``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.csv import cells_of, columns_of, read_records, table_records
from mckp.encoders.scalars import write_key
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_BORDER = regex(r"(?<!\\)\|")


def line(texts: Iterable[str]) -> str:
    r"""Return a row with its line feed.

    Examples
    --------
    >>> line(["1", "a|b", ""])
    '| 1 | a\\|b |  |\n'
    """
    return f"| {' | '.join(map(_escape_bars, texts))} |\n"


def split(row: str) -> list[str] | None:
    """Return the cells of a row, as GFM reads them, or None if a border is missing."""
    parts = _BORDER.split(row) if "\\" in row else row.split("|")
    if len(parts) < 2 or parts[0] or parts[-1]:
        return None
    return [text.strip(" ").replace("\\|", "|") for text in parts[1:-1]]


def body(value: object) -> Body | None:
    """Write an array of objects as a Markdown table; return None if it does not fit one."""
    if (records := table_records(value)) is None:
        return None
    head = line(map(write_key, records.columns)) + line("---" for _ in records.columns)
    columns = (cells_of(column, "table", _escape_bars) for column in records.columns.values())
    rows = tuple(f"| {' | '.join(row)} |\n" for row in zip(*columns, strict=True))
    return Body(f"[{records.size}]", head, rows)


def _escape_bars(text: str) -> str:
    """Return a cell with its bars escaped."""
    return text.replace("|", "\\|")


def read(lines: Lines, header: Header) -> list[dict[str, Any]]:
    """Read the array below a header and a row of dashes; fail at the first line that is no row."""
    columns = columns_of(split(lines.take()), lines)
    if lines.take() + "\n" != line("---" for _ in columns):
        lines.fail("the row of dashes below a table's header was expected")
    return read_records(lines, header, columns, split)


TABLE = Format("table", DataLoss.NONE, body, read)
