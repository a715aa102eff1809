"""What each level loses, counted by keyword."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_array, is_object
from mckp.tools.levels import reduced
from mckp.tools.schema.keywords import DEFINITIONS, every
from mckp.tools.schema.prune import without_unreached

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.tools.tool import Tool

_COUNTED = frozenset({"properties", "required", "enum", "$defs", "definitions"})


def losses(tool: Tool, level: str, rule: bool | None = None) -> dict[str, int]:
    """Return how many of each keyword of JSON Schema a level leaves out.

    Names of properties, required names and enumerated values count one each; ``tool …``
    are members of the definition itself. A description that is cut to a sentence is lost.
    Definitions that nothing leads to are ``unreachable $defs``, whatever they hold.

    Parameters
    ----------
    tool : Tool
        The tool as it was given.
    level : str
        One of `mckp.tools.LEVELS`.
    rule : bool or None
        What objects of the catalog say of additional properties unless they are marked.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"$schema": "x", "properties": {"n": {"type": "integer", "minimum": 1}}}
    >>> (tool,) = parse_tools([{"name": "pick", "inputSchema": schema}])
    >>> losses(tool, "typed"), losses(tool, "full")
    ({'$schema': 1, 'minimum': 1}, {'$schema': 1})
    """
    if level == "json":
        return {}
    told = reduced(tool, level, rule)
    lost = census(_reachable(tool))
    lost.subtract(census(told))
    lost["unreachable $defs"] = _definitions(tool) - _definitions(_reachable(tool))
    if "tool description" in lost and told.description != tool.description:
        lost["tool description"] = 1
    return {key: number for key, number in sorted(lost.items()) if number > 0}


def lost_by(tools: Iterable[Tool], level: str, rule: bool | None = None) -> dict[str, int]:
    """Return `losses` of a whole catalog."""
    total: Counter[str] = Counter()
    for tool in tools:
        total.update(losses(tool, level, rule))
    return dict(sorted(total.items()))


def _reachable(tool: Tool) -> Tool:
    output = None if tool.output is None else without_unreached(tool.output)
    return replace(tool, parameters=without_unreached(tool.parameters), output=output)


def _definitions(tool: Tool) -> int:
    return sum(
        _size(key, schema[key])
        for schema in (tool.parameters, tool.output or {})
        for key in DEFINITIONS
        if key in schema
    )


def census(tool: Tool) -> Counter[str]:
    """Return how many of each keyword there are in a tool."""
    found = Counter({"tool description": int("description" not in tool.absent)})
    found["tool annotations"] = len(tool.annotations)
    found["tool extra"] = len(tool.extra)
    for schema in (tool.parameters, tool.output or {}):
        for one in every(schema):
            if is_object(one):
                found.update({key: _size(key, data) for key, data in one.items()})
    return found


def _size(key: str, data: Any) -> int:
    plural = key in _COUNTED and (is_object(data) or is_array(data))
    return len(data) if plural else 1
