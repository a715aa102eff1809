"""Schemas as types in the notation of other formats, which say how each kind of type is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema import members, required, resolved

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MAX_REFERENCES: Final = 100
"""References that are followed within one another; what lies deeper is called by its name."""


@dataclass(frozen=True)
class Types(ABC):
    """Writes the types that stand in one schema, the root."""

    names: ClassVar[Mapping[str, str]]
    """What the types of JSON Schema are called."""
    union: ClassVar[str]
    intersection: ClassVar[str]

    root: Any
    inside: tuple[str, ...] = ()

    @abstractmethod
    def value(self, value: Any) -> str:
        """Return a value that is a type."""

    @abstractmethod
    def array(self, items: str) -> str:
        """Return an array of items of a type."""

    @abstractmethod
    def tuple(self, items: str) -> str:
        """Return an array with a type for each of its first items."""

    @abstractmethod
    def field(self, name: str, kind: str, *, required: bool) -> str:
        """Return a member of an object."""

    @abstractmethod
    def object(self, fields: list[str], rest: Any) -> str:
        """Return an object with members, and what its schema says of others."""

    def inner(self, schema: Any) -> str:
        """Return a type that stands within another one."""
        return self.of(schema)

    def is_both(self, schema: Any) -> bool:
        """Whether a schema that is a union has a type of its own to be told."""
        return bool(members(schema))

    def enum(self, values: Iterable[Any]) -> str:
        """Return a type that is one of some values."""
        return self.union.join(map(self.value, values)) or "never"

    def of(self, schema: Any) -> str:
        """Return the type of a schema."""
        if not is_object(schema):
            return "never" if schema is False else "any"
        if isinstance(place := schema.get("$ref"), str):
            return self._referred(schema, place)
        if "const" in schema:
            return self.value(schema["const"])
        if is_array(values := schema.get("enum")):
            return self.enum(values)
        return self._combined(schema)

    def fields(self, schema: Any) -> list[str]:
        """Return the members of an object."""
        needed = required(schema)
        return [
            self.field(name, self.inner(each), required=name in needed)
            for name, each in members(schema).items()
        ]

    def unnamed(self, place: str) -> str:
        """Return the type of what a reference leads to that is followed no further."""
        del place
        return "any"

    def _referred(self, schema: dict[str, Any], place: str) -> str:
        target = resolved(schema, self.root)
        if place in self.inside or len(self.inside) >= _MAX_REFERENCES or target is schema:
            return self.unnamed(place)
        return replace(self, inside=(*self.inside, place)).of(target)

    def _combined(self, schema: dict[str, Any]) -> str:
        """Return a union or an intersection, unless its parts say nothing of types."""
        for key in ("anyOf", "oneOf", "allOf"):
            joint = self.intersection if key == "allOf" else self.union
            parts = schema.get(key)
            if is_array(parts) and (kinds := self._kinds(parts, all_say=key != "allOf")):
                joined = joint.join(kinds)
                own = f"{self._plain(schema)}{self.intersection}" if self.is_both(schema) else ""
                return f"{own}({joined})" if own else joined
        return self._plain(schema)

    def _kinds(self, parts: list[Any], *, all_say: bool) -> list[str]:
        """Return the types of parts; a union with anything in it is anything."""
        said = [part for part in parts if self.of(part) != "any"]
        if all_say and len(said) < len(parts):
            return []
        return list(dict.fromkeys(map(self.inner, said)))

    def _plain(self, schema: dict[str, Any]) -> str:
        kind = schema.get("type")
        if is_array(kind):
            kinds = dict.fromkeys(self._plain({**schema, "type": each}) for each in kind)
            return self.union.join(kinds)
        if kind == "array":
            items = schema.get("prefixItems", schema.get("items"))
            if is_array(items):
                return self.tuple(", ".join(map(self.inner, items)))
            return self.array(self.inner(items))
        if kind == "object" or members(schema):
            return self.object(self.fields(schema), schema.get("additionalProperties"))
        return self.names.get(kind, kind) if isinstance(kind, str) else "any"
