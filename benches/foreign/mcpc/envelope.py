"""The tools that mcp-compressor shows in place of those of a server.

The sentences are ours, as long in tokens as those of the package, so that sizes are the same.
"""

from __future__ import annotations

from typing import Any

from foreign.mcpc.listing import check_level, mcpc_listing
from mckp.jsontext import dump
from mckp.tools.tool import parse_tools

_TOOL_NAME = {"type": "string", "description": "Which backend tool it is"}


def mcpc(tools: Any, level: str = "medium", server: str = "server") -> str:
    """Write what a model is shown of a catalog behind mcp-compressor 0.38: compact JSON.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    level : str, default "medium"
        ``low``, ``medium``, ``high`` or ``max``; schemas are fetched later at each of them.
    server : str, default "server"
        The name of the server, before the names of its tools.

    Returns
    -------
    str
        The tools to fetch a schema and to call by name, at ``max`` one more to list tools.

    Examples
    --------
    >>> text = mcpc([{"name": "now", "description": "The time."}], "high")
    >>> "<tool>now()</tool>" in text
    True
    """
    check_level(level)
    return dump(mcpc_tools(tools, level, server))


def mcpc_tools(tools: Any, level: str = "medium", server: str = "server") -> list[dict[str, Any]]:
    """Return the definitions that `mcpc` writes."""
    shown = [_get_schema(mcpc_listing(parse_tools(tools), level), server), _invoke(server)]
    return [*shown, _list(server)] if level == "max" else shown


def _get_schema(listing: str, server: str) -> dict[str, Any]:
    return {
        "name": f"{server}_get_tool_schema",
        "description": (
            f"Show the input schema of a single tool of the {server} toolset.\n\n"
            f"These tools exist:\n{listing}"
        ),
        "inputSchema": _object({"tool_name": _TOOL_NAME}),
    }


def _invoke(server: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "type": "object",
        "description": (
            "The arguments of that tool as one JSON object, as its schema wants them. "
            "Ask get_tool_schema with tool_name first if still unknown."
        ),
        "properties": {},
        "additionalProperties": True,
    }
    return {
        "name": f"{server}_invoke_tool",
        "description": (
            f"Call one tool of the {server} toolset. Ask get_tool_schema before that if you want "
            "its full schema."
        ),
        "inputSchema": _object({"tool_name": _TOOL_NAME, "tool_input": arguments}),
    }


def _object(members: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members)}


def _list(server: str) -> dict[str, Any]:
    return {
        "name": f"{server}_list_tools",
        "description": "Show all the tools.",
        "inputSchema": {"type": "object", "properties": {}},
    }
