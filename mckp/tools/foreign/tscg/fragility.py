"""How easily a model overlooks a part of a catalog: for its weight, and for where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.tools.foreign.schema import members, required

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.tools.tool import Tool


def fragility(importance: float, place: int, size: int, alpha: float = 0.5) -> float:
    """Return ``alpha * importance + (1 - alpha) * distance``.

    The distance is that to the nearer end: 0 there, 1 in the middle.

    Examples
    --------
    >>> fragility(1.0, 0, 5), fragility(1.0, 2, 5), fragility(0.0, 1, 5, alpha=0.25)
    (0.5, 1.0, 0.375)
    """
    distance = 1 - abs(2 * place / (size - 1) - 1) if size > 1 else 0.0
    return alpha * importance + (1 - alpha) * distance


def importances(tools: Sequence[Tool], given: Mapping[str, float] | None = None) -> list[float]:
    """Return how much each tool matters, from 0 to 1.

    What nobody has said is taken from the schema: tools with many things to get right, that
    is parameters, those that are required counting twice, matter most.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"zone": {}}}
    >>> tools = parse_tools([{"name": "now"}, {"name": "at", "parameters": schema}])
    >>> importances(tools), importances(tools, {"now": 0.7})
    ([0.0, 1.0], [0.7, 1.0])
    """
    sizes = [len(members(each.parameters)) + len(required(each.parameters)) for each in tools]
    most = max(sizes, default=0) or 1
    said = given or {}
    return [said.get(tool.name, size / most) for tool, size in zip(tools, sizes, strict=True)]
