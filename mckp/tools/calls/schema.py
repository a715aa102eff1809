"""What a JSON Schema says about one place: types, enums and constants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_LINKS: Final = 20
"""References and unions that are followed one after another; a longer chain is a circle."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the arguments of a call.

    Attributes
    ----------
    schema
        What may stand there, None if nothing is known.
    root
        The schema that references are resolved in.

    Examples
    --------
    >>> place = Place({"properties": {"days": {"type": "array", "items": {"type": "string"}}}})
    >>> place.member("days").item(0).schema
    {'type': 'string'}
    """

    schema: Any
    root: Any = field(default=None, repr=False)

    def _at(self, schema: Any) -> Place:
        return Place(schema, self.schema if self.root is None else self.root)

    def member(self, key: str) -> Place:
        """Return the place of a member of an object that stands here."""
        for view in self.views():
            properties = view.get("properties")
            if is_object(properties) and key in properties:
                return self._at(properties[key])
        others = (view.get("additionalProperties") for view in self.views())
        return self._at(next((each for each in others if is_object(each)), None))

    def item(self, number: int) -> Place:
        """Return the place of an item of an array that stands here."""
        for view in self.views():
            first = view.get("prefixItems")
            if is_array(first) and number < len(first):
                return self._at(first[number])
            if "items" in view:
                return self._at(view["items"])
        return self._at(None)

    def names(self, key: str) -> bool:
        """Whether a member of this very name is declared."""
        declared = (view.get("properties") for view in self.views())
        return any(is_object(each) and key in each for each in declared)

    def views(self) -> list[dict[str, Any]]:
        """Return the schema and all that it refers to or is a union of."""
        return list(
            _views(self.schema, self.schema if self.root is None else self.root, _MAX_LINKS)
        )


def _views(schema: Any, root: Any, links: int) -> Iterator[dict[str, Any]]:
    if not is_object(schema) or not links:
        return
    yield schema
    if "$ref" in schema:
        yield from _views(resolved(schema["$ref"], root), root, links - 1)
    for union in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(union)
        for part in parts if is_array(parts) else ():
            yield from _views(part, root, links - 1)


def resolved(reference: Any, root: Any) -> Any:
    """Return what a reference within a document points to, None if there is no such place.

    Examples
    --------
    >>> resolved("#/$defs/a~1b", {"$defs": {"a/b": {"type": "null"}}})
    {'type': 'null'}
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    value = root
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        value = value.get(key) if is_object(value) else None
    return value


def fits(value: Any, place: Place) -> bool:
    """Whether a value has a type, and is among the values, that a place allows.

    Bounds, lengths and what is inside of arrays and objects are not asked.

    Examples
    --------
    >>> fits(1, Place({"enum": ["1"]})), fits(1, Place({"anyOf": [{"type": "integer"}]}))
    (False, True)
    """
    return _fits(
        value, place.schema, place.schema if place.root is None else place.root, _MAX_LINKS
    )


def _fits(value: Any, schema: Any, root: Any, links: int) -> bool:
    if not is_object(schema) or not links:
        return schema is not False
    if "type" in schema and not is_of(value, schema["type"]):
        return False
    if "const" in schema and not same(value, schema["const"]):
        return False
    if is_array(schema.get("enum")) and not any(same(value, each) for each in schema["enum"]):
        return False
    if "$ref" in schema and not _fits(value, resolved(schema["$ref"], root), root, links - 1):
        return False
    return all(
        join(_fits(value, part, root, links - 1) for part in schema[union])
        for union, join in (("allOf", all), ("anyOf", any), ("oneOf", any))
        if is_array(schema.get(union))
    )


def is_of(value: Any, types: Any) -> bool:
    """Whether a value is of a type of JSON Schema, or of one of a list of them."""
    names = [each for each in (types if is_array(types) else [types]) if isinstance(each, str)]
    own = type_of(value)
    if own == "integer" or (own == "number" and value.is_integer()):
        return not {"integer", "number"}.isdisjoint(names)
    return own in names


def type_of(value: Any) -> str:
    """Return the type of a plain value as JSON Schema calls it."""
    return _TYPES[type(value)]


_TYPES: Final[dict[type, str]] = {
    **{type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string"},
    **{list: "array", dict: "object"},
}


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal as JSON Schema has it: ``1`` is ``1.0``, not ``true``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(same, one, other))
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def only_text(place: Place) -> bool:
    """Whether a string may stand at a place, and neither an array nor an object."""
    if place.schema is None or fits([], place) or fits({}, place):
        return False
    return any(each.get("type") is not None or "enum" in each for each in place.views())


PRIMITIVES: Final = frozenset({"string", "number", "integer", "boolean"})
OBJECT_DEPTH: Final = 2
"""Objects that may lie within one another below the arguments."""


def takes_pairs(schema: Any) -> bool:
    """Whether all arguments are scalars, arrays, or objects of them, as the wire format asks.

    Examples
    --------
    >>> takes_pairs({"type": "object", "properties": {"to": {"type": "string"}}})
    True
    >>> takes_pairs({"type": "object", "properties": {"filter": {"type": "object"}}})
    False
    """
    return is_object(schema) and _is_object_of_leaves(schema, OBJECT_DEPTH)


def _is_object_of_leaves(schema: dict[str, Any], depth: int) -> bool:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not is_object(properties):
        return False
    return all(_is_leaf(each, depth) for each in properties.values())


def _is_leaf(schema: Any, depth: int) -> bool:
    if not is_object(schema):
        return False
    kind, values = schema.get("type"), schema.get("enum")
    if is_array(kind):
        named = [each for each in kind if isinstance(each, str)]
        if len(named) == len(kind) and PRIMITIVES.issuperset({*named} - {"null"}):
            return True
    elif isinstance(kind, str) and kind in PRIMITIVES:
        return True
    if is_array(values) and all(isinstance(each, str | int | float) for each in values):
        return True
    if kind == "array":
        return "items" in schema and _is_leaf(schema["items"], depth)
    return kind == "object" and depth > 0 and _is_object_of_leaves(schema, depth - 1)
