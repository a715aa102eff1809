"""TTC: a line for each field of a tool, by the rules of TERSE Tool Catalog 1.0."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema import members, required
from mckp.tools.tool import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool

_KINDS: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "array",
    "object": "object",
}
_PRIMITIVES: Final = frozenset({"string", "int", "float", "bool"})
_SENTENCE: Final = re.compile(r".+?(?:[.!?](?=\s+[A-Z])|\Z)", re.DOTALL)


def ttc(tools: Sequence[Tool]) -> str:
    """Write a catalog; enums, bounds, defaults, nesting and all prose but a sentence are lost.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> units = {"type": "string", "enum": ["mm", "in"]}
    >>> schema = {"type": "object", "properties": {"u": units}}
    >>> rain = {"name": "getRain", "description": "Rain.", "inputSchema": schema}
    >>> print(ttc(parse_tools([rain])))
    TOOLS v1.0 [1/1]
    MCP server v1.0
    <BLANKLINE>
    TOOL getRain
      PURPOSE: Rain.
      IN: u:string?
      OUT: result:any
      ERR: error
      WHEN: user wants to get rain
    """
    head = f"TOOLS v1.0 [{len(tools)}/{len(tools)}]"
    return "\n\n".join([f"{head}\nMCP server v1.0", *map(_block, tools)]) if tools else head


def _block(tool: Tool) -> str:
    said = [word if word.isupper() else word.lower() for word in WORD.findall(tool.name)]
    wish = " ".join(said) if len(said) > 1 else f"use {tool.name}"
    return "\n  ".join(
        [
            f"TOOL {tool.name}",
            f"PURPOSE: {_purpose(tool)}",
            f"IN: {_fields(tool.parameters) or 'none:any'}",
            f"OUT: {_fields(tool.output) or 'result:any'}",
            "ERR: error",
            f"WHEN: user wants to {wish}",
        ]
    )


def _purpose(tool: Tool) -> str:
    """Return the first sentence on one line; a semicolon would begin a comment."""
    found = _SENTENCE.match(" ".join(tool.description.split()).replace(";", ","))
    return found[0] if found else tool.name


def _fields(schema: Any) -> str:
    """Return the parameters of a schema, or the members of a result."""
    needed = required(schema)
    return ", ".join(
        f"{name}:{_type(each)}{'' if name in needed else '?'}"
        for name, each in members(schema).items()
    )


def _type(schema: Any) -> str:
    """Return the word for a schema; the first type that is not null, if there are several."""
    kind = schema.get("type") if is_object(schema) else None
    if is_array(kind):
        kind = next((each for each in kind if each != "null"), None)
    word = _KINDS.get(kind, "any") if isinstance(kind, str) else "any"
    if word != "array":
        return word
    items = _type(schema.get("items"))
    return f"array[{items if items in _PRIMITIVES else 'object'}]"
