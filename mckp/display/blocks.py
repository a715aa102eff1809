"""The tokens of a text by format, and tables as text and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = tuple[str | int, ...]
    Rows = Sequence[Sequence[str]]

HINTS = "hint"
"""What a text is made of that only says what is missing."""


class ChoiceLike(Protocol):
    """See `mckp.result.Choice`."""

    @property
    def path(self) -> Path: ...
    @property
    def format(self) -> str: ...
    @property
    def tokens(self) -> int: ...


def split_of(choices: Sequence[ChoiceLike], tokens: int) -> dict[str, int]:
    """Return the tokens that each format has in a text, most first.

    Examples
    --------
    >>> from mckp.result import Choice
    >>> split_of([Choice((), "kv", 30, 9), Choice(("jobs",), "rows", 20, 8)], 30)
    {'rows': 20, 'kv': 10}
    """
    if not choices:
        return {HINTS: tokens}
    own = [choice.tokens for choice in choices]  # less those of the blocks in each
    above: list[int] = []
    for number, choice in enumerate(choices):
        while above and not _is_in(choice.path, choices[above[-1]].path):
            above.pop()
        if above:
            own[above[-1]] -= choice.tokens
        above.append(number)
    found: dict[str, int] = {}
    for choice, count in zip(choices, own, strict=True):
        found[choice.format] = found.get(choice.format, 0) + max(0, count)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _is_in(path: Path, above: Path) -> bool:
    return len(path) > len(above) and path[: len(above)] == above


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
    to_right = [_is_figures([row[n] for row in rows]) for n in range(len(head))]
    lines = [_row(head, "th", to_right), *(_row(row, "td", to_right) for row in rows)]
    below = f"<p>{escape(notes)}</p>" if notes else ""
    above = f"<p>{escape(caption)}</p>" if caption else ""
    return f"{above}<table>{''.join(lines)}</table>{below}"


def _row(cells: Sequence[str], tag: str, to_right: Sequence[bool]) -> str:
    inner = "".join(
        f"<{tag} style='text-align:{'right' if right else 'left'}'>{escape(cell)}</{tag}>"
        for cell, right in zip(cells, to_right, strict=True)
    )
    return f"<tr>{inner}</tr>"


def _is_figures(cells: Sequence[str]) -> bool:
    return all(cell[:1].isdigit() or cell[:1] == "-" for cell in cells if cell) and any(cells)
