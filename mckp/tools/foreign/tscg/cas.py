"""CAS, causal access score: what is fragile stands at the ends of the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.tools.foreign.tscg.fragility import fragility, importances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.tools.tool import Tool


def cas(
    tools: Sequence[Tool], importance: Mapping[str, float] | None = None, alpha: float = 0.5
) -> list[Tool]:
    """Order tools by fragility, the most fragile at the ends in turn, first at the beginning.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> tools = parse_tools([{"name": name} for name in "abcd"])
    >>> [tool.name for tool in cas(tools, {"c": 1.0, "d": 0.9}, alpha=1.0)]
    ['c', 'a', 'b', 'd']
    """
    scores = [
        fragility(weight, place, len(tools), alpha)
        for place, weight in enumerate(importances(tools, importance))
    ]
    ranked = sorted(range(len(tools)), key=lambda place: (-scores[place], place))
    return [tools[place] for place in (*ranked[::2], *reversed(ranked[1::2]))]
