"""Tables of a Markdown document in a shorter form: unpadded, or as CSV in a fence.

Cells are strings in Markdown. A cell that spells a number, a boolean or null is typed in the tree
and is written the same way again; an empty cell is the empty string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import csv, table
from mckp.encoders.marks import csv_info
from mckp.encoders.scalars import read_cell, write_cell
from mckp.errors import ParseError
from mckp.jsontext import dump
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_RULES: Final = {None: "---", "left": ":--", "center": ":-:", "right": "--:"}


def table_head(node: TreeNode) -> str:
    """Return the header and the delimiter row of a table, unpadded."""
    rules = table.line(_RULES[align] for align in node.attrs["align"])
    return table.line(node.attrs["header"]) + rules


def table_row(cells: Sequence[Any]) -> str:
    """Return the cells of a row as one line of a table, unpadded."""
    return table.line(cell if isinstance(cell, str) else dump(cell) for cell in cells)


def csv_lines(node: TreeNode, common: Collection[int] = ()) -> tuple[str, ...]:
    """Return the fragments of a table as CSV in a fence.

    `common` has the indexes of the columns whose value is the same in all rows: the header gives
    it beside the column's name, and the rows leave it out.
    """
    names: list[str] = list(node.attrs["header"])
    for place in common:
        names[place] += f"={_write_cell(node.children[0].value[place])}"
    rows = (
        csv.line([_write_cell(cell) for place, cell in enumerate(row.value) if place not in common])
        for row in node.children
    )
    info = csv_info(len(node.children), has_common=bool(common))
    return (f"```{info}\n{csv.line(names)}", *rows, CSV_TAIL)


def common_columns(node: TreeNode) -> tuple[int, ...]:
    """Return the indexes of the columns whose value is the same in all rows, for `csv_lines`.

    If all columns are such, the first is left out, so that rows are not empty. There are none in
    a table with fewer than `FEWEST` rows, with ``=`` in a name of the header, or with a row that
    has more or fewer cells than the header.
    """
    rows, header = [row.value for row in node.children], node.attrs["header"]
    if len(rows) < FEWEST or any("=" in name for name in header):
        return ()
    if any(len(row) != len(header) for row in rows):
        return ()
    first = rows[0]
    places = [
        place
        for place, cell in enumerate(first)
        if all(row[place] == cell and type(row[place]) is type(cell) for row in rows)
    ]
    return tuple(places[1:] if len(places) == len(first) else places)


CSV_TAIL: Final = "```\n"
"""Closes a table written as CSV."""


FEWEST: Final = 3
"""Fewest rows of a table whose header gives the values that all of them share."""


def fits_csv(node: TreeNode) -> bool:
    """Whether CSV loses nothing: no column is aligned and no cell could close the fence."""
    texts = [*node.attrs["header"], *(cell for row in node.children for cell in row.value)]
    fenced = any(isinstance(text, str) and "```" in text for text in texts)
    return not any(node.attrs["align"]) and not fenced


def read_csv(lines: Sequence[str], *, has_common: bool = False) -> TreeNode:
    """Return the table that `csv_lines` wrote as these lines inside a fence.

    `has_common` says that ``=`` in a name of the header is followed by the value of the column in
    all rows. Raises a `ParseError` if there is no header or if a row is broken or too short.
    """
    if not lines:
        raise ParseError("the table has no header")
    header, *records = map(_split_row, lines)
    common: dict[int, str] = {}
    for place, name in enumerate(header):
        if has_common and "=" in name:
            header[place], common[place] = name.split("=", 1)
    fewest_cells = len(header) - len(common)
    if any(len(record) < fewest_cells for record in records):
        raise ParseError(f"a row of the table has fewer than {fewest_cells} cells")
    for record in records:
        for place, text in common.items():
            record.insert(place, text)
    rows = tuple(TreeNode(Kind.ROW, list(map(_read_cell, record))) for record in records)
    attrs = {"align": [None] * len(header), "header": header}
    return TreeNode(Kind.TABLE, attrs=attrs, children=rows)


def _write_cell(cell: Any) -> str:
    """Return a cell of CSV. A text such as ``2.50`` is bare: a number would be ``2.5``."""
    if cell == "":
        return ""
    is_digits = isinstance(cell, str) and cell[:1] in _NUMERIC and len(cell) <= LONGEST
    return cell if is_digits and _read_cell(cell) == cell else write_cell(cell)


def _read_cell(text: str) -> Any:
    """Return the value of a cell that `_write_cell` wrote."""
    value = read_cell(text) if text else ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return text if is_number and dump(value) != text else value


_NUMERIC: Final = frozenset("-0123456789")
LONGEST: Final = 40
"""Most characters of a text that is tried as a number."""


def _split_row(line: str) -> list[str]:
    """Return the cells of a row of CSV; raise a `ParseError` if it is broken."""
    cells = csv.split(line)
    if cells is None:
        raise ParseError(f"expected a row of a table, got {line[:40]!r}")
    return cells
