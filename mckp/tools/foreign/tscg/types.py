"""JSON Schema as a type in a few characters: everything that can be said, and nothing wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.foreign.schema import members, required, resolved

if TYPE_CHECKING:
    from collections.abc import Mapping

LONG: Final[Mapping[str, str]] = {
    kind: kind for kind in ("string", "number", "integer", "boolean", "array", "object", "null")
}
SHORT: Final[Mapping[str, str]] = {
    **LONG,
    "string": "str",
    "number": "num",
    "integer": "int",
    "boolean": "bool",
    "array": "arr",
    "object": "obj",
}
_BARE: Final = re.compile(r"[A-Za-z_][\w.-]*\Z")
_TAKEN: Final = frozenset({*LONG.values(), *SHORT.values(), "any", "never", "map", "true", "false"})
_PARTS: Final = (("anyOf", "|"), ("oneOf", "|"), ("allOf", "&"))
_FACTS: Final = {
    "minimum": "min",
    "maximum": "max",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "minLength": "minLength",
    "maxLength": "maxLength",
    "minItems": "minItems",
    "maxItems": "maxItems",
    "uniqueItems": "unique",
    "multipleOf": "step",
    "pattern": "pattern",
    "format": "format",
    "default": "default",
}


@dataclass(frozen=True)
class Words:
    """Writes the types of one schema.

    Attributes
    ----------
    root : dict
        The whole schema, for references.
    short : bool
        Whether types have short names.
    values : str
        What stands between the values of an enum.
    required : str
        What stands behind the name of a member that must be given.
    optional : str
        What stands behind the name of one that need not.

    Examples
    --------
    >>> words = Words({})
    >>> words.of({"type": ["string", "null"]}), words.of({}), words.of({"enum": ["a", "1", 1]})
    ('str|null', 'any', 'a|"1"|1')
    >>> words.of({"type": "array", "items": {"properties": {"x": {"type": "integer"}}}})
    'arr[{x:int}]'
    """

    root: Any
    short: bool = True
    values: str = "|"
    required: str = "*"
    optional: str = ""
    inside: tuple[str, ...] = ()

    @property
    def names(self) -> Mapping[str, str]:
        """What the types of JSON Schema are called."""
        return SHORT if self.short else LONG

    def of(self, schema: Any) -> str:
        """Return the type of a schema."""
        if not is_object(schema):
            return "never" if schema is False else "any"
        if isinstance(place := schema.get("$ref"), str):
            target = resolved(schema, self.root)
            if place in self.inside or target is schema:
                return place.rpartition("/")[2]
            return replace(self, inside=(*self.inside, place)).of(target)
        if "const" in schema:
            return value_text(schema["const"])
        if is_array(values := schema.get("enum")):
            return self.values.join(map(value_text, values)) or "never"
        return self._combined(schema)

    def facts(self, schema: Any) -> list[str]:
        """Return bounds, patterns, formats and the default, each as ``name=value``."""
        schema = resolved(schema, self.root)
        if not is_object(schema):
            return []
        return [f"{_FACTS[key]}={dump(schema[key])}" for key in _FACTS if key in schema]

    def _combined(self, schema: dict[str, Any]) -> str:
        """Return a union or an intersection, unless its parts say nothing of types."""
        own = self._plain(schema) if "type" in schema or members(schema) else ""
        for key, joint in _PARTS:
            parts = schema.get(key)
            if is_array(parts) and parts and (kinds := self._kinds(parts, joint)):
                joined = joint.join(kinds)
                return f"{own}&({joined})" if own else joined
        return own or "any"

    def _kinds(self, parts: list[Any], joint: str) -> list[str]:
        """Return the types of parts; a union with anything in it is anything."""
        said = [part for part in parts if self.of(part) != "any"]
        if joint == "|" and len(said) < len(parts):
            return []
        return list(dict.fromkeys(map(self._inner, said)))

    def _plain(self, schema: dict[str, Any]) -> str:
        kind = schema.get("type")
        if is_array(kind):
            return "|".join(dict.fromkeys(self._plain({**schema, "type": each}) for each in kind))
        if kind == "array":
            return self._array(schema)
        if kind == "object" or members(schema):
            return self._object(schema)
        return self.names.get(kind, kind) if isinstance(kind, str) else "any"

    def _array(self, schema: dict[str, Any]) -> str:
        items = schema.get("prefixItems", schema.get("items"))
        inner = ", ".join(map(self._inner, items)) if is_array(items) else self._inner(items)
        return self.names["array"] if inner == "any" else f"{self.names['array']}[{inner}]"

    def _object(self, schema: dict[str, Any]) -> str:
        needed = required(schema)
        fields = [
            f"{name}{self.required if name in needed else self.optional}:{self._inner(each)}"
            for name, each in members(schema).items()
        ]
        if fields:
            return f"{{{', '.join(fields)}}}"
        rest = schema.get("additionalProperties")
        return f"map[{self._inner(rest)}]" if is_object(rest) and rest else self.names["object"]

    def said(self, schema: Any) -> list[str]:
        """Return facts and the description, which have no other place within a type."""
        facts = resolved(schema, self.root)
        text = facts.get("description") if is_object(facts) else None
        return [*self.facts(schema), dump(text)] if text else self.facts(schema)

    def _inner(self, schema: Any) -> str:
        return " ".join([self.of(schema), *self.said(schema)])


def value_text(value: Any) -> str:
    """Return a value as a bare word if nothing else could be meant, else as JSON.

    Examples
    --------
    >>> value_text("asc"), value_text("str"), value_text("a b"), value_text(None)
    ('asc', '"str"', '"a b"', 'null')
    """
    plain = isinstance(value, str) and _BARE.match(value) and value not in _TAKEN
    return value if plain else dump(value)
