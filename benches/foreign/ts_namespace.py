"""``TS ns``: a namespace with a type a tool, comments for whatever is said in prose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.tools.renderings.schema import members
from mckp.tools.renderings.typescript import Types, comment
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from mckp.tools.tool import Tool


def ts_namespace(tools: Any, *, refs: int = 200) -> str:
    """Write a catalog as OpenAI's models are shown functions.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    refs : int, default 200
        How many references may lie within each other before there is ``any``.

    Returns
    -------
    str
        Types, descriptions and defaults; no bounds, patterns, formats or value types of
        maps, and integers are numbers.

    Examples
    --------
    >>> zone = {"type": "string", "description": "Which.", "default": "UTC"}
    >>> schema = {"type": "object", "properties": {"zone": zone}}
    >>> print(ts_namespace([{"name": "now", "description": "The time.", "inputSchema": schema}]))
    namespace functions {
    <BLANKLINE>
    // The time.
    type now = (_: {
    // Which.
    zone?: string, // default: "UTC"
    }) => any;
    <BLANKLINE>
    } // namespace functions
    """
    blocks = [_block(tool, refs) for tool in parse_tools(tools)]
    return "\n\n".join(["namespace functions {", *blocks, "} // namespace functions"])


def _block(tool: Tool, refs: int) -> str:
    schema = tool.parameters
    types = Types(schema, prose=True, refs=refs)
    given = f"_: {types.fields(schema)}" if members(schema) else ""
    return "\n".join([*comment(tool.description), f"type {tool.name} = ({given}) => any;"])
