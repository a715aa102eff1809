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
    from collections.abc import Sequence

_RULES: Final = {None: "---", "left": ":--", "center": ":-:", "right": "--:"}


def table_head(node: TreeNode) -> str:
    """Return the header and the delimiter row of an unpadded table."""
    rules = table.line(_RULES[align] for align in node.attrs["align"])
    return table.line(node.attrs["header"]) + rules


def table_row(cells: Sequence[Any]) -> str:
    """Return one row of an unpadded table."""
    return table.line(cell if isinstance(cell, str) else dump(cell) for cell in cells)


def csv_head(node: TreeNode) -> str:
    """Return the opening fence and the header of a table as CSV."""
    header = csv.line(list(node.attrs["header"]))
    return f"```{csv_info(len(node.children))}\n{header}"


CSV_TAIL: Final = "```\n"
"""Closes a table written as CSV."""


def csv_row(cells: Sequence[Any]) -> str:
    """Return one record of a table as CSV."""
    return csv.line(["" if cell == "" else write_cell(cell) for cell in cells])


def fits_csv(node: TreeNode) -> bool:
    """Whether CSV loses nothing: no column is aligned and no cell could close the fence."""
    texts = [*node.attrs["header"], *(cell for row in node.children for cell in row.value)]
    fenced = any(isinstance(text, str) and "```" in text for text in texts)
    return not any(node.attrs["align"]) and not fenced


def read_csv(lines: Sequence[str]) -> TreeNode:
    """Parse the lines inside a CSV fence as a table."""
    if not lines:
        raise ParseError("the table has no header")
    header, *records = map(_split, lines)
    if any(len(record) < len(header) for record in records):
        raise ParseError(f"a row of the table has fewer than {len(header)} cells")
    rows = tuple(
        TreeNode(Kind.ROW, [read_cell(text) if text else "" for text in record])
        for record in records
    )
    attrs = {"align": [None] * len(header), "header": header}
    return TreeNode(Kind.TABLE, attrs=attrs, children=rows)


def _split(line: str) -> list[str]:
    """Return the cells of a row of CSV."""
    cells = csv.split(line)
    if cells is None:
        raise ParseError(f"expected a row of a table, got {line[:40]!r}")
    return cells
