"""Tools as TypeScript: types of schemas, and a signature on a line for each tool."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.renderings.schema import members, required, resolved
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from mckp.tools.tool import Tool

_WORDS: Final = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*\Z")


@dataclass(frozen=True)
class Types:
    """Writes the types that stand in one schema.

    Examples
    --------
    >>> Types({}).of({"type": "array", "items": {"type": ["integer", "null"]}})
    '(number | null)[]'
    >>> Types({}).of({"properties": {"at-once": {"enum": ["yes", 1]}}})
    '{ "at-once"?: "yes" | 1 }'
    """

    root: Any
    refs: int = 200
    inside: tuple[str, ...] = ()

    def of(self, schema: Any) -> str:
        """Return the type of a schema."""
        if not is_object(schema):
            return "never" if schema is False else "any"
        if isinstance(place := schema.get("$ref"), str):
            return self._referred(schema, place)
        if "const" in schema:
            return dump(schema["const"])
        if is_array(values := schema.get("enum")):
            return " | ".join(map(dump, values)) or "never"
        return self._combined(schema)

    def fields(self, schema: dict[str, Any]) -> str:
        """Return an object with its members, or an empty one."""
        needed = required(schema)
        each = [self._field(name, name in needed, of) for name, of in members(schema).items()]
        return f"{{ {', '.join(each)} }}"

    def _field(self, name: str, needed: bool, schema: Any) -> str:
        shown = name if _NAME.match(name) else dump(name)
        return f"{shown}{'' if needed else '?'}: {self.of(schema)}"

    def _referred(self, schema: dict[str, Any], place: str) -> str:
        target = resolved(schema, self.root)
        if place in self.inside or len(self.inside) >= self.refs or target is schema:
            return "any"
        return replace(self, inside=(*self.inside, place)).of(target)

    def _combined(self, schema: dict[str, Any]) -> str:
        """Return a union or an intersection, unless its parts say nothing of types."""
        for key, joint in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
            if is_array(parts := schema.get(key)) and parts:
                kinds = dict.fromkeys(map(self.of, parts))
                if "any" not in kinds:
                    joined = joint.join(kinds)
                    return f"{self._plain(schema)} & ({joined})" if members(schema) else joined
        return self._plain(schema)

    def _plain(self, schema: dict[str, Any]) -> str:
        kind = schema.get("type")
        if is_array(kind):
            return " | ".join(dict.fromkeys(self._plain({**schema, "type": each}) for each in kind))
        if isinstance(kind, str) and kind in _WORDS:
            return _WORDS[kind]
        if kind == "array":
            return self._array(schema)
        if members(schema):
            return self.fields(schema)
        return "object" if kind == "object" else "any"

    def _array(self, schema: dict[str, Any]) -> str:
        items = schema.get("prefixItems", schema.get("items"))
        if is_array(items):
            return f"[{', '.join(map(self.of, items))}]"
        each = self.of(items)
        return f"({each})[]" if " | " in each or " & " in each else f"{each}[]"


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
