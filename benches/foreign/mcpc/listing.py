"""The list of tools that mcp-compressor puts into the description of a tool, at four levels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from mckp.errors import UnknownNameError
from mckp.tools.renderings.schema import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool

LEVELS: Final = ("low", "medium", "high", "max")
"""How much is left out: nothing of a description, all after its first period, all, arguments."""


def check_level(level: str) -> None:
    """Refuse a level that does not exist."""
    if level not in LEVELS:
        raise UnknownNameError("level of mcp-compressor", level, LEVELS)


def mcpc_listing(tools: Sequence[Tool], level: str = "medium") -> str:
    """List tools, a line each; at ``max`` only their names.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> tools = parse_tools([{"name": "now", "description": "Tells e.g. the time."}])
    >>> [mcpc_listing(tools, level) for level in LEVELS[1:]]
    ['<tool>now(): Tells e</tool>', '<tool>now()</tool>', '<tool>now</tool>']
    """
    check_level(level)
    return "\n".join(_line(tool, level) for tool in tools)


def _line(tool: Tool, level: str) -> str:
    if level == "max":
        return f"<tool>{tool.name}</tool>"
    said = _said(tool.description.strip(), level)
    head = f"{tool.name}({', '.join(members(tool.parameters))})"
    return f"<tool>{head}: {said}</tool>" if said else f"<tool>{head}</tool>"


def _said(description: str, level: str) -> str:
    """Return what is left of a description; a period may well be one within a word."""
    if level == "low":
        return description
    first = description.partition("\n")[0].partition(".")[0]
    return first.strip() if level == "medium" else ""


def mcpc_schema(tool: Tool) -> str:
    """Return the answer to a request for the schema of one tool: pretty JSON.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> print(mcpc_schema(parse_tools([{"name": "now", "inputSchema": {"type": "object"}}])[0]))
    <tool>now()</tool>
    <BLANKLINE>
    {
      "type": "object"
    }
    """
    return f"{_line(tool, 'low')}\n\n{json.dumps(tool.parameters, indent=2, ensure_ascii=False)}"
