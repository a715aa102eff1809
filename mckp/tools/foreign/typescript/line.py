"""``TS line``: a signature a tool, and what the tool does; ``TS no-desc``: the signature alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.tools.foreign.schema import members
from mckp.tools.foreign.typescript.types import Types
from mckp.tools.parse import parse_tools

if TYPE_CHECKING:
    from mckp.tools.tool import Tool


def ts_lines(tools: Any, *, descriptions: bool = True, refs: int = 200) -> str:
    """Write a catalog as signatures, a line each.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    descriptions : bool, default True
        Whether to say what each tool does; what is said of parameters is left out anyway.
    refs : int, default 200
        How many references may lie within each other before there is ``any``.

    Examples
    --------
    >>> schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    >>> tool = {"name": "rain", "description": "Whether  it rains.", "inputSchema": schema}
    >>> print(ts_lines([tool]))
    rain(city: string) // Whether it rains.
    """
    return "\n".join(_line(tool, descriptions, refs) for tool in parse_tools(tools))


def _line(tool: Tool, descriptions: bool, refs: int) -> str:
    schema = tool.parameters
    inner = Types(schema, refs=refs).fields(schema)[2:-2] if members(schema) else ""
    said = " ".join(tool.description.split()) if descriptions else ""
    return f"{tool.name}({inner}) // {said}" if said else f"{tool.name}({inner})"
