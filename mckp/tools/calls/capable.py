"""Which tools can be called with pairs in the wire format; the others take an object of JSON."""

from __future__ import annotations

from typing import Any, Final

from mckp.jsontext import is_array, is_object

PRIMITIVES: Final = frozenset({"string", "number", "integer", "boolean"})
DEPTH: Final = 2
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
    return is_object(schema) and _is_object_of_leaves(schema, DEPTH)


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
