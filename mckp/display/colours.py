"""A colour for each format, the same in every picture."""

from __future__ import annotations

from typing import Final

from mckp.display.blocks import HINTS

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
