"""TSCG's mode for descriptions only: JSON in which SDM went over the descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foreign.tscg_released.sdm import stripped
from mckp.jsontext import dump, is_object
from mckp.tools.renderings.schema import members
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from mckp.tools.tool import Tool


def tscg_descriptions(tools: Any) -> str:
    """Write a catalog as compact JSON with the descriptions that SDM leaves.

    Only those of tools and of top-level parameters are rewritten.

    Examples
    --------
    >>> tscg_descriptions([{"name": "now", "description": "Note that it ticks", "inputSchema": {}}])
    '[{"name":"now","description":"It ticks.","inputSchema":{}}]'
    """
    return dump([_definition(tool) for tool in parse_tools(tools)])


def _definition(tool: Tool) -> dict[str, Any]:
    schema = tool.parameters
    if members(schema):
        found = {name: _parameter(each) for name, each in members(schema).items()}
        schema = {**schema, "properties": found}
    return {"name": tool.name, "description": stripped(tool.description), "inputSchema": schema}


def _parameter(schema: Any) -> Any:
    if not is_object(schema) or not isinstance(text := schema.get("description"), str) or not text:
        return schema
    return {**schema, "description": stripped(text)}
