"""Tools as TypeScript: a signature on a line for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from mckp.jsontext import dump
from mckp.tools.renderings.types import Types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.tool import Tool


class TypeScript(Types):
    """Types of TypeScript.

    Examples
    --------
    >>> TypeScript({}).of({"type": "array", "items": {"type": ["integer", "null"]}})
    '(number | null)[]'
    >>> TypeScript({}).of({"properties": {"at-once": {"enum": ["yes", 1]}}})
    '{ "at-once"?: "yes" | 1 }'
    """

    names: ClassVar = {"integer": "number"}
    union, intersection = " | ", " & "

    def value(self, value: Any) -> str:
        return dump(value)

    def array(self, items: str) -> str:
        return f"({items})[]" if " | " in items or " & " in items else f"{items}[]"

    def tuple(self, items: str) -> str:
        return f"[{items}]"

    def field(self, name: str, kind: str, *, required: bool) -> str:
        shown = name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else dump(name)
        return f"{shown}{'' if required else '?'}: {kind}"

    def object(self, fields: list[str], rest: Any) -> str:
        del rest
        return f"{{ {', '.join(fields)} }}" if fields else "object"


def ts_lines(tools: Sequence[Tool]) -> str:
    """Write a catalog as signatures, with what tools do but nothing of what parameters mean.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    >>> tool = {"name": "rain", "description": "Whether  it rains.", "inputSchema": schema}
    >>> print(ts_lines(parse_tools([tool])))
    rain(city: string) // Whether it rains.
    """
    return "\n".join(map(_line, tools))


def _line(tool: Tool) -> str:
    fields = ", ".join(TypeScript(tool.parameters).fields(tool.parameters))
    said = " ".join(tool.description.split())
    return f"{tool.name}({fields}) // {said}" if said else f"{tool.name}({fields})"
