"""Small tables, as aligned text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Rows = Sequence[Sequence[str]]


def aligned(head: Sequence[str], rows: Rows) -> list[str]:
    """Return lines whose columns stand below one another, figures to the right.

    Examples
    --------
    >>> aligned(["format", "tokens"], [["kv", "7"], ["json", "12"]])
    ['format  tokens', 'kv           7', 'json        12']
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    to_right = [_is_figures(column[1:]) for column in columns]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_right, strict=True)
        ).rstrip()
        for row in [head, *rows]
    ]


def table(caption: str, head: Sequence[str], rows: Rows, notes: str = "") -> str:
    """Return an HTML table below a line of text; everything in it is escaped."""
    lines = [_row(head, "th"), *(_row(row, "td") for row in rows)]
    from html import escape  # takes a while to import

    below = f"<p>{escape(notes)}</p>" if notes else ""
    return f"<p>{escape(caption)}</p><table>{''.join(lines)}</table>{below}"


def _row(cells: Sequence[str], tag: str) -> str:
    from html import escape

    inner = "".join(
        f"<{tag} style='text-align:{'right' if _is_figures([cell]) else 'left'}'>"
        f"{escape(cell)}</{tag}>"
        for cell in cells
    )
    return f"<tr>{inner}</tr>"


def _is_figures(cells: Sequence[str]) -> bool:
    return all(cell[:1].isdigit() or cell[:1] == "-" for cell in cells if cell) and any(cells)
