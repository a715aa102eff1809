r"""``table``: an array of objects as an unpadded Markdown (GFM) table.

Columns are the union of all keys. An empty cell is an absent member, ``""`` the empty
string; a nested value is a cell of JSON; ``|`` inside a cell is ``\|``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.csv import cells, columns_of, read_records, union_of_keys
from mckp.encoders.scalars import write_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_BORDER = re.compile(r"(?<!\\)\|")


def line(texts: Iterable[str]) -> str:
    r"""Return one row with its line feed.

    Examples
    --------
    >>> line(["1", "a|b", ""])
    '| 1 | a\\|b |  |\n'
    """
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |\n"


def split(row: str) -> list[str] | None:
    r"""Return the cells of one row, as GFM reads them; None without its borders.

    Examples
    --------
    >>> split("| 1 | a\\|b |  |")
    ['1', 'a|b', '']
    """
    parts = _BORDER.split(row)
    if len(parts) < 2 or parts[0] or parts[-1]:
        return None
    return [text.strip(" ").replace("\\|", "|") for text in parts[1:-1]]


def body(value: Any) -> Body | None:
    """Write an array of objects that has at least one key."""
    columns = union_of_keys(value)
    if columns is None:
        return None
    head = line(write_key(key) for key in columns) + line("---" for _ in columns)
    rows = tuple(line(cells(item, columns)) for item in value)
    return Body(f"[{len(value)}]", head, rows)


def read(lines: Lines, header: Header) -> list[dict[str, Any]]:
    """Read the array back."""
    columns = columns_of(split(lines.take()), lines)
    if lines.take() + "\n" != line("---" for _ in columns):
        lines.fail("the row of dashes below a table's header was expected")
    return read_records(lines, header, columns, split)


TABLE = Format("table", DataLoss.NONE, body, read)
