"""Bars of tokens by format in HTML, in the colours that formats have."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.display.blocks import HINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Part(NamedTuple):
    """A part of a bar: what is said of it, how long it is, and its colour."""

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
    "derived": "#e58a5b",
    "phrases": "#c9b458",
    "toon": "#a3c586",
    HINTS: "#bbbbbb",
}
"""Light enough for black letters, and apart for most of the colour-blind (after Okabe and Ito)."""

CUT: Final = "repeating-linear-gradient(45deg, #80808090 0 2px, #80808030 2px 6px)"
"""The fill of what was cut, or lost."""


def colour(format_: str) -> str:
    """Return the colour of a format; grey for what has none of its own."""
    return _COLOURS.get(format_, "#b8b8b8")


def bars(title: str, rows: Sequence[tuple[str, Sequence[Part], str]]) -> str:
    """Return a bar for each row, with a name before it and a figure behind it.

    Examples
    --------
    >>> bars("tokens", [("kv", [Part("kv: 7 tokens", 7, colour("kv"))], "7")]).count("<i title")
    1
    """
    sums = (sum(part.amount for part in parts) for _, parts, _ in rows)
    most = max(1, *sums, 1)
    shown = "".join(
        f"<tr><td>{escape(name)}</td><td style='width:60%'><div style='display:flex;height:1.2em'>"
        f"{''.join(_box(part, 100 * part.amount / most) for part in parts)}</div></td>"
        f"<td style='white-space:nowrap'>{escape(figure)}</td></tr>"
        for name, parts, figure in rows
    )
    style = "width:100%;max-width:60em"
    return f"<table role='img' aria-label='{escape(title)}' style='{style}'>{shown}</table>"


def _box(part: Part, percent: float) -> str:
    style = f"width:{percent:.2f}%;background:{part.fill};outline:.5px solid #808080"
    return f"<i title='{escape(part.tip)}' style='{style}'></i>"


def legend(colours: Mapping[str, str]) -> str:
    """Return names with their colours, on one line."""
    square = "display:inline-block;width:.8em;height:.8em"
    each = (
        f"<i style='{square};background:{fill}'></i> {escape(name)}"
        for name, fill in colours.items()
    )
    return f"<p>{' &#160; '.join(each)}</p>"


def by_format(source: int | None, split: Mapping[str, int]) -> str:
    """Return the tokens of a text by format, beside those of its source if known.

    Examples
    --------
    >>> by_format(60, {"rows": 20, "kv": 10}).count("<i title")
    3
    """
    tokens = sum(split.values())
    parts = [Part(f"{name}: {count} tokens", count, colour(name)) for name, count in split.items()]
    if source is not None and source > tokens:
        tip = f"source: {source} tokens, {source - tokens} more than the text"
        parts.append(Part(tip, source - tokens, CUT))
    figure = f"{tokens} tokens" if source is None else f"{tokens} of {source} tokens"
    return bars(figure, [("", parts, figure)]) + legend({name: colour(name) for name in split})


def shown(
    text: str, split: Mapping[str, int], facts: Iterable[tuple[str, str]], source: int | None
) -> str:
    """Return facts, a text of which some twenty lines are in sight, and its tokens by format."""
    line = " · ".join(f"{escape(name)} <b>{escape(fact)}</b>" for name, fact in facts)
    style = "max-height:27em;overflow:auto;line-height:1.35;white-space:pre-wrap"
    below = by_format(source, split)
    return f"<div><p>{line}</p><pre style='{style}'>{escape(text)}</pre>{below}</div>"
