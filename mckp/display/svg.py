"""Pieces of SVG: boxes with labels and tooltips, colours of formats, the frame of a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from mckp.display.blocks import HINTS

if TYPE_CHECKING:
    from collections.abc import Iterable

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

OTHER: Final = "#b8b8b8"
"""What has no colour of its own, such as the source."""


def colour(format_: str) -> str:
    """Return the colour of a format."""
    return _COLOURS.get(format_, OTHER)


WIDTH_PX: Final = 720
_LETTER_PX: Final = 6.6
_HATCH: Final = (
    "<defs><pattern id='mckp-cut' width='6' height='6' patternUnits='userSpaceOnUse' "
    "patternTransform='rotate(45)'><rect width='6' height='6' fill='#808080' fill-opacity='.18'/>"
    "<rect width='2' height='6' fill='#808080' fill-opacity='.55'/></pattern></defs>"
)
CUT: Final = "url(#mckp-cut)"
"""The fill of what was cut."""


def picture(height: float, title: str, parts: Iterable[str]) -> str:
    """Return a picture that shrinks with the page."""
    return (
        f"<svg viewBox='0 0 {WIDTH_PX} {height:g}' width='{WIDTH_PX}' role='img' "
        "font-family='sans-serif' font-size='11' style='max-width:100%;height:auto' "
        f"xmlns='http://www.w3.org/2000/svg'><title>{escape(title)}</title>{_HATCH}"
        f"{''.join(parts)}</svg>"
    )


def box(
    x: float, y: float, width: float, height: float, fill: str, tip: str, label: str = ""
) -> str:
    """Return a box with a tooltip, and with a label if there is room for some of it."""
    shown = fitted(label, width - 6)
    ink = "currentColor" if fill == CUT else "#000"
    text = (
        f"<text x='{x + 3:.1f}' y='{y + height / 2 + 4:.1f}' fill='{ink}'>{escape(shown)}</text>"
        if shown
        else ""
    )
    return (
        f"<g><title>{escape(tip)}</title><rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' "
        f"height='{height:.1f}' fill='{fill}' stroke='#808080' stroke-width='.5'/>{text}</g>"
    )


def column(x: float, y: float, width: float, height: float, name: str, tip: str) -> str:
    """Return a box in the colour of a format, without a frame, to stand close to others."""
    return (
        f"<g><title>{escape(tip)}</title><rect x='{x:.1f}' y='{y:.1f}' width='{width + 0.2:.1f}' "
        f"height='{height:.1f}' fill='{colour(name)}'/></g>"
    )


def words(x: float, y: float, text: str, anchor: str = "start") -> str:
    """Return a line of text in the colour of the page."""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' fill='currentColor' text-anchor='{anchor}'>"
        f"{escape(text)}</text>"
    )


def legend(names: Iterable[str], y: float, x: float = 0) -> str:
    """Return the formats with their colours, on one line."""
    parts: list[str] = []
    for name in names:
        parts.append(
            f"<rect x='{x:.1f}' y='{y - 9:.1f}' width='10' height='10' "
            f"fill='{colour(name)}' stroke='#808080' stroke-width='.5'/>"
        )
        parts.append(words(x + 14, y, name))
        x += 28 + _LETTER_PX * len(name)
    return "".join(parts)


def fitted(label: str, width: float) -> str:
    """Return as much of a label as fits a width; nothing if that is next to nothing.

    Examples
    --------
    >>> fitted("repository", 90), fitted("repository", 40), fitted("repository", 9)
    ('repository', 'repos…', '')
    """
    room = int(width / _LETTER_PX)
    if len(label) <= room:
        return label
    return f"{label[: room - 1]}…" if room >= 3 else ""
