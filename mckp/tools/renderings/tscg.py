"""TSCG as its paper describes it: tools in an order that is read well, in a compact layout.

The operators CFO and CAS order the tools, and CCP appends what they require; `tscg` applies
these and the others of the profile ``balanced``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.errors import MissingExtraError
from mckp.jsontext import is_object
from mckp.tools.renderings.schema import members, required, words
from mckp.tools.renderings.tscg_layout import COMPACT, tas, written
from mckp.tools.renderings.tscg_wording import dro, sdm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.tools.tool import Tool

UNORDERED_TOOLS: Final = 30
"""Tools from which on none is moved before those that need it, as the paper has it."""

_GIVES: Final = frozenset({"get", "list", "search", "find", "create", "open", "fetch", "query"})
_KEYS: Final = frozenset({"id", "ids", "number", "key", "name", "handle", "token", "uuid"})
_COMMON: Final = frozenset({"id", "name", "type", "status", "result", "content", "text", "message"})


def dependencies(tools: Sequence[Tool]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places: the first tool should come before the second.

    It does if a description of a parameter of the second names it, if its output has a
    member that the second requires, or if it gets, lists, finds or creates the thing whose
    id, number, key or name the second requires and it does not.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"user_id": {}}, "required": ["user_id"]}
    >>> tools = parse_tools([{"name": "drop", "parameters": schema}, {"name": "find_users"}])
    >>> list(dependencies(tools))
    [(1, 0)]
    """
    facts = [_Facts(tool) for tool in tools]
    for second, needs in enumerate(facts):
        for first, gives in enumerate(facts):
            if first != second and needs.depends_on(gives):
                yield first, second


class _Facts:
    """What a tool gives and needs."""

    def __init__(self, tool: Tool) -> None:
        self.name = tool.name if len(words(tool.name)) > 1 else None  # "search" is just a word
        self.needed = required(tool.parameters)
        self.output = frozenset(members(tool.output or {})) - _COMMON
        self.said = frozenset(
            word
            for each in members(tool.parameters).values()
            if is_object(each)
            for word in re.findall(r"[\w.-]*\w", str(each.get("description", "")))
        )
        self.thing = _thing(tool.name)
        self.keys = {name: key for name in self.needed if (key := _keyed(name))}

    def depends_on(self, other: _Facts) -> bool:
        if other.name in self.said or other.output & self.needed:
            return True
        return any(
            thing == other.thing and name not in other.needed for name, thing in self.keys.items()
        )


def _thing(name: str) -> tuple[str, ...]:
    """Return the singular of what a tool gets, lists, finds or creates."""
    verb, *rest = _words(name) or [""]
    return _singular(rest) if verb in _GIVES else ()


def _keyed(name: str) -> tuple[str, ...]:
    """Return the thing of which a parameter is the id, the number, the key or the name."""
    *thing, last = _words(name) or [""]
    return _singular(thing) if last in _KEYS else ()


def _words(name: str) -> list[str]:
    return [word.lower() for word in words(name)]


def _singular(thing: list[str]) -> tuple[str, ...]:
    if not thing:
        return ()
    *first, last = thing
    if last.endswith("ies"):
        return (*first, f"{last[:-3]}y")
    return (*first, last[:-1] if last.endswith("s") and not last.endswith("ss") else last)


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


def ccp(text: str, tools: Sequence[Tool]) -> str:
    r"""Append the closure of a catalog.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"a": {}, "b": {}}, "required": ["b"]}
    >>> ccp("…", parse_tools({"put": {"parameters": schema}, "now": {}}))
    '…\n[CLOSURE:put(b),now()]'
    """
    return f"{text}\n[CLOSURE:{','.join(map(_again, tools))}]" if tools else text


def _again(tool: Tool) -> str:
    needed = required(tool.parameters)
    return f"{tool.name}({','.join(name for name in members(tool.parameters) if name in needed)})"


def tscg(tools: Sequence[Tool]) -> str:
    """Write a catalog at the profile ``balanced``: SDM, DRO, CAS, CFO, TAS and CCP.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"to": {"type": ["string", "null"]}}, "required": ["to"]}
    >>> tool = {"name": "go", "description": "Use this tool to move.", "inputSchema": schema}
    >>> print(tscg(parse_tools([tool])))
    go: Move.
     to(str|null)
    [CLOSURE:go(to)]
    """
    counter = tokenizers.get("o200k")
    ordered = cas(dro(sdm(tools, counter), counter))
    if len(ordered) < UNORDERED_TOOLS:
        ordered = cfo(ordered)
    return ccp(written(ordered, tas(ordered, counter, COMPACT)), ordered)
