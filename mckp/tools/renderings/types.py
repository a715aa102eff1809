"""Write schemas as TypeScript types; subclasses adapt it to other notations."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.schema import members, required, resolved
from mckp.tools.tool import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.plain import JsonValue
    from mckp.tools.tool import Tool


@dataclass(frozen=True)
class Types:
    """Writes the types in one schema, the root.

    Examples
    --------
    >>> Types({}).of({"type": "array", "items": {"type": ["integer", "null"]}})
    '(number | null)[]'
    >>> Types({}).of({"properties": {"at-once": {"enum": ["yes", 1]}}})
    '{ "at-once"?: "yes" | 1 }'
    """

    names: ClassVar[Mapping[str, str]] = {"integer": "number"}
    """What the types of JSON Schema are called."""
    union: ClassVar = " | "
    intersection: ClassVar = " & "

    root: Any
    inside: tuple[str, ...] = ()
    """The references that lead to the schema that is being written."""

    def value(self, value: Any) -> str:
        """Return the literal type of a value."""
        return dump(value)

    def enum(self, values: Sequence[JsonValue]) -> str:
        """Return the type of an enumeration of values."""
        return self.union.join(map(self.value, values)) or "never"

    def array(self, items: str) -> str:
        """Return the type of an array, given that of its items."""
        return f"({items})[]" if " | " in items or " & " in items else f"{items}[]"

    def tuple(self, items: str) -> str:
        """Return the type of an array, given the types of its first items."""
        return f"[{items}]"

    def field(self, name: str, kind: str, *, required: bool) -> str:
        """Return the declaration of a member of an object; `kind` is its type."""
        shown = name if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else dump(name)
        return f"{shown}{'' if required else '?'}: {kind}"

    def object(self, fields: list[str], rest: Any) -> str:
        """Return the type of an object, given the declarations of its members.

        `rest` is the schema of its other members.
        """
        del rest
        return f"{{ {', '.join(fields)} }}" if fields else "object"

    def inner(self, schema: Any) -> str:
        """Return the type of a schema within another one."""
        return self.of(schema)

    def has_members_too(self, schema: JsonValue) -> bool:
        """Whether a union also declares members, which are written next to its alternatives."""
        return bool(members(schema))

    def unnamed(self, place: str) -> str:
        """Return what is written for a reference that is not followed any further."""
        del place
        return "any"

    def of(self, schema: JsonValue) -> str:
        """Return the type of a schema."""
        if not is_object(schema):
            return "never" if schema is False else "any"
        if isinstance(place := schema.get("$ref"), str):
            target = resolved(schema, self.root)
            if place in self.inside or len(self.inside) >= MAX_DEPTH or target is schema:
                return self.unnamed(place)
            return replace(self, inside=(*self.inside, place)).of(target)
        if "const" in schema:
            return self.value(schema["const"])
        if is_array(values := schema.get("enum")):
            return self.enum(values)
        for key in ("anyOf", "oneOf", "allOf"):
            joint = self.intersection if key == "allOf" else self.union
            parts = schema.get(key)
            if is_array(parts) and (kinds := self._union_types(parts, all_typed=key != "allOf")):
                joined = joint.join(kinds)
                if not self.has_members_too(schema):
                    return joined
                return f"{self._simple_type(schema)}{self.intersection}({joined})"
        return self._simple_type(schema)

    def fields(self, schema: JsonValue) -> list[str]:
        """Return the declarations of the members of an object."""
        needed = required(schema)
        return [
            self.field(name, self.inner(member), required=name in needed)
            for name, member in members(schema).items()
        ]

    def _union_types(self, parts: list[JsonValue], *, all_typed: bool) -> list[str]:
        """Return the types of union members, without ``any``.

        If they must be `all_typed` and one is ``any``, there are none.
        """
        typed = [part for part in parts if self.of(part) != "any"]
        if all_typed and len(typed) < len(parts):
            return []
        return list(dict.fromkeys(map(self.inner, typed)))

    def _simple_type(self, schema: dict[str, JsonValue]) -> str:
        """Return the type of a schema that is neither a union nor an enumeration."""
        kind = schema.get("type")
        if is_array(kind):
            kinds = dict.fromkeys(self._simple_type({**schema, "type": name}) for name in kind)
            return self.union.join(kinds)
        if kind == "array":
            items = schema.get("prefixItems", schema.get("items"))
            if is_array(items):
                return self.tuple(", ".join(map(self.inner, items)))
            return self.array(self.inner(items))
        if kind == "object" or members(schema):
            return self.object(self.fields(schema), schema.get("additionalProperties"))
        return self.names.get(kind, kind) if isinstance(kind, str) else "any"


def ts_lines(tools: Sequence[Tool]) -> str:
    """Write a catalog as signatures, with descriptions of tools but not of parameters.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    >>> tool = {"name": "rain", "description": "Whether  it rains.", "inputSchema": schema}
    >>> print(ts_lines(parse_tools([tool])))
    rain(city: string) // Whether it rains.
    """
    return "\n".join(map(_signature, tools))


def _signature(tool: Tool) -> str:
    """Return the signature of a tool."""
    fields = ", ".join(Types(tool.arguments).fields(tool.arguments))
    summary = " ".join(tool.description.split())
    return f"{tool.name}({fields}) // {summary}" if summary else f"{tool.name}({fields})"
