"""TAS, tokenizer-aligned syntax: of several delimiters the one that costs the fewest tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.tools.foreign.tscg.layout import COMPACT, Layout, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

_Change = dict[str, Any]

VARIANTS: Final[tuple[tuple[_Change, ...], ...]] = (
    ({"name": ": "}, {"name": " - "}, {"name": "\t"}),
    ({"before": "\n  ", "between": " | "}, *({"before": b, "between": b} for b in ("\n ", "\n\t"))),
    (
        {"open": " (", "close": "): "},
        {"open": "(", "close": "): "},
        {"open": ":", "close": " - "},
        {"open": " <", "close": "> "},
    ),
    ({"values": "|"}, {"values": "/"}, {"values": ", "}),
    (
        {"required": "*", "optional": ""},
        {"required": "!", "optional": ""},
        {"required": "", "optional": "?"},
    ),
)
"""For each delimiter the ways to write it; the first is TSCG's own."""


def tas(tools: list[Tool], tokenizer: Tokenizer, start: Layout = COMPACT) -> Layout:
    """Return the layout in which no single delimiter can be bettered.

    Each is tried in turn on the whole catalog, round after round while something is gained;
    equal counts keep what was there.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"a": {"enum": ["x", "y"]}, "b": {}}, "required": ["a", "b"]}
    >>> tools = parse_tools([{"name": "now", "description": "The time.", "parameters": schema}])
    >>> counter = tokenizers.get("o200k")
    >>> layout = tas(tools, counter)
    >>> counts = [counter.count(written(tools, each)) for each in (COMPACT, layout)]
    >>> counts[1] < counts[0]
    True
    """
    best, least = start, tokenizer.count(written(tools, start))
    is_better = True
    while is_better:
        is_better = False
        for ways in VARIANTS:
            for way in ways:
                layout = _with(best, way)
                tokens = tokenizer.count(written(tools, layout))
                if tokens < least:
                    best, least, is_better = layout, tokens, True
    return best


def _with(layout: Layout, way: Mapping[str, Any]) -> Layout:
    return replace(layout, **way)
