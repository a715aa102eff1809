"""TTC as its converter writes it: everything but names, types and eighty characters is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.tools.renderings.schema import members, required
from mckp.tools.renderings.ttc import type_of
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from mckp.tools.tool import Tool

_CUT: Final = 80


def ttc_released(tools: Any, server: str = "server") -> str:
    """Write a catalog as the converter of TTC 1.0 does by default.

    Descriptions are cut off after 80 characters, and may break lines; WHEN says the same
    again. Unlike the converter, this takes every shape of definition, and lists of types.

    Examples
    --------
    >>> print(ttc_released([{"name": "now", "description": "The time. In UTC."}], "clock"))
    TOOLS v1.0 [1/1]
    MCP clock v1.0
    TOOL now
      PURPOSE: The time. In UTC.
      IN: none:any
      OUT: result:any
      ERR: error
      WHEN: The time
    """
    found = parse_tools(tools)
    head = f"TOOLS v1.0 [{len(found)}/{len(found)}]\nMCP {server} v1.0\n"
    return head + "\n\n".join(map(_block, found))


def _block(tool: Tool) -> str:
    needed = required(tool.parameters)
    fields = [
        f"{name}:{type_of(schema)}{'' if name in needed else '?'}"
        for name, schema in members(tool.parameters).items()
    ]
    return (
        f"TOOL {tool.name}\n"
        f"  PURPOSE: {tool.description[:_CUT].strip()}\n"
        f"  IN: {', '.join(fields) or 'none:any'}\n"
        "  OUT: result:any\n"
        "  ERR: error\n"
        f"  WHEN: {tool.description.partition('.')[0]}"
    )
