"""CFO, causal-forward ordering: a tool comes after those whose results it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.errors import MissingExtraError
from mckp.tools.foreign.tscg.dependencies import dependencies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool


def cfo(tools: Sequence[Tool]) -> list[Tool]:
    """Order tools topologically, otherwise as they come; those in a circle stay together.

    Raises
    ------
    MissingExtraError
        Without networkx, the extra ``graph``.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"userId": {}}, "required": ["userId"]}
    >>> catalog = {"now": {}, "drop_user": {"parameters": schema}, "listUsers": {}}
    >>> [tool.name for tool in cfo(parse_tools(catalog))]
    ['now', 'listUsers', 'drop_user']
    """
    networkx = _networkx()
    graph = networkx.DiGraph(dependencies(tools))
    graph.add_nodes_from(range(len(tools)))
    circles = networkx.condensation(graph)
    groups: dict[int, list[int]] = {
        node: sorted(circles.nodes[node]["members"]) for node in circles
    }
    first = {node: places[0] for node, places in groups.items()}
    order = networkx.lexicographical_topological_sort(circles, key=first.__getitem__)
    return [tools[place] for node in order for place in groups[node]]


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise MissingExtraError("networkx", "graph") from error
    return networkx
