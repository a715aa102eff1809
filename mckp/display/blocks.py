"""HTML bars that show the tokens of a text by format, and tables as text and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Rows = Sequence[Sequence[str]]


class BarPart(NamedTuple):
    """A part of a bar: its tooltip, its length, and its colour."""

    tip: str
    amount: float
    fill: str


_COLOURS: Final = {
    "json": "#e69f00",
    "kv": "#56b4e9",
    "csv": "#f0e442",
    "table": "#cc79a7",
    "prose": "#9ad0b8",
    "fence": "#d9a679",
    "mckp_v2": "#b3a2d0",
    "rows": "#2fb38a",
    "flow": "#7480d8",
    "rules": "#a8b820",
    "derived": "#e58a5b",
    "phrases": "#c9b458",
    "toon": "#a3c586",
    "hint": "#bbbbbb",
}
"""Light enough for black letters, and distinct for most colour-blind people (Okabe and Ito)."""

CUT: Final = "repeating-linear-gradient(45deg, #80808090 0 2px, #80808030 2px 6px)"
"""The fill for what was cut or lost."""


def colour(format_: str) -> str:
    """Return the colour of a format, or grey if it has none."""
    return _COLOURS.get(format_, "#b8b8b8")


class Bar(NamedTuple):
    """A row of a chart: a name, the parts of its bar, its figure, and a remark below it."""

    name: str
    parts: Sequence[BarPart]
    figure: str
    note: str = ""


LONGEST_NAME: Final = 30
"""In characters; longer names are broken, so that the bars keep their room on a phone."""


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Return an HTML chart with a bar for each row, between its name and its figure.

    Names and figures have one width in all rows, so the bars are comparable. Where the window is
    too narrow for all three, the bars stand below the names.
    """
    longest = max([1, *(sum(part.amount for part in bar.parts) for bar in rows)])
    name_width = min(LONGEST_NAME, max((len(bar.name) for bar in rows), default=0))
    figure_width = max((len(bar.figure) for bar in rows), default=0)
    lines = [_bar_html(bar, longest, name_width, figure_width) for bar in rows]
    style = "max-width:60em;line-height:1.3"
    return f"<div role='group' aria-label='{escape(title)}' style='{style}'>{''.join(lines)}</div>"


def _bar_html(bar: Bar, longest: float, name_width: int, figure_width: int) -> str:
    """Return a row of a chart, whose longest bar is `longest`; widths are in characters."""
    boxes = "".join(
        f"<i title='{escape(part.tip)}' style='width:{100 * part.amount / longest:.2f}%;"
        f"background:{part.fill};outline:.5px solid #808080'></i>"
        for part in bar.parts
    )
    style = f"flex:0 0 {name_width + 2}ch;overflow-wrap:anywhere"
    name = f"<span style='{style}'>{escape(bar.name)}</span>" if name_width else ""
    note = (
        f"<small style='flex:1 0 100%;opacity:.75'>{escape(bar.note)}</small>" if bar.note else ""
    )
    return (
        "<div style='display:flex;flex-wrap:wrap;align-items:center;gap:0 1em;padding:.2em 0;"
        f"border-bottom:1px solid #8883'>{name}"
        f"<span style='flex:1 1 12em;display:flex;height:1.1em'>{boxes}</span>"
        f"<span style='flex:0 1 {figure_width + 2}ch'>{escape(bar.figure)}</span>{note}</div>"
    )


def legend(colours: Mapping[str, str]) -> str:
    """Return a legend as one line of HTML: each name next to its colour."""
    square = "display:inline-block;width:.8em;height:.8em"
    entries = (
        f"<i style='{square};background:{fill}'></i> {escape(name)}"
        for name, fill in colours.items()
    )
    return f"<p>{' &#160; '.join(entries)}</p>"


def result_html(
    text: str, split: Mapping[str, int], facts: Iterable[tuple[str, str]], source_tokens: int | None
) -> str:
    """Return HTML with facts, the text in a frame of about twenty lines, and its tokens by format.

    `facts` are names and values, and `split` has the tokens of each format. The tokens of the
    text's source, if known, are shown beside them.
    """
    line = " · ".join(f"{escape(name)} <b>{escape(fact)}</b>" for name, fact in facts)
    style = "max-height:27em;overflow:auto;line-height:1.35;white-space:pre-wrap"
    tokens = sum(split.values())
    parts = [
        BarPart(f"{name}: {count} tokens", count, colour(name)) for name, count in split.items()
    ]
    if source_tokens is not None and source_tokens > tokens:
        tip = f"source: {source_tokens} tokens, {source_tokens - tokens} more than the text"
        parts.append(BarPart(tip, source_tokens - tokens, CUT))
    figure = f"{tokens} tokens" if source_tokens is None else f"{tokens} of {source_tokens} tokens"
    below = bars(figure, [Bar("", parts, figure)]) + legend({name: colour(name) for name in split})
    return f"<div><p>{line}</p><pre style='{style}'>{escape(text)}</pre>{below}</div>"


def aligned_lines(head: Sequence[str], rows: Rows) -> list[str]:
    """Return the lines of a table with aligned columns, figures to the right.

    Examples
    --------
    >>> aligned_lines(["format", "tokens"], [["kv", "7"], ["json", "12"]])
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
    """Return an HTML table below a caption; all texts in it are escaped."""
    to_right = [_is_figures([row[n] for row in rows]) for n in range(len(head))]
    lines = [_row_html(head, "th", to_right), *(_row_html(row, "td", to_right) for row in rows)]
    notes_html = f"<p>{escape(notes)}</p>" if notes else ""
    caption_html = f"<p>{escape(caption)}</p>" if caption else ""
    return f"{caption_html}<table>{''.join(lines)}</table>{notes_html}"


def _row_html(cells: Sequence[str], tag: str, to_right: Sequence[bool]) -> str:
    """Return a row of an HTML table, with a `tag` around each cell.

    `to_right` says which cells are aligned to the right.
    """
    inner = "".join(
        f"<{tag} style='text-align:{'right' if right else 'left'}'>{escape(cell)}</{tag}>"
        for cell, right in zip(cells, to_right, strict=True)
    )
    return f"<tr>{inner}</tr>"


def _is_figures(cells: Sequence[str]) -> bool:
    """Whether all cells that are not empty begin like figures, and there are any."""
    return all(cell[:1].isdigit() or cell[:1] == "-" for cell in cells if cell) and any(cells)
