"""Looking things up in a JSON Schema that may say anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

_ONE: Final = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains"})
_SOME: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
_NAMED: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})


def members(schema: Any) -> dict[str, Any]:
    """Return the properties of a schema, by name.

    Examples
    --------
    >>> members({"type": "object", "properties": {"city": {"type": "string"}}})
    {'city': {'type': 'string'}}
    >>> members(True)
    {}
    """
    found = schema.get("properties") if is_object(schema) else None
    return found if is_object(found) else {}


def required(schema: Any) -> frozenset[str]:
    """Return the names of the properties that must be given."""
    found = schema.get("required") if is_object(schema) else None
    return (
        frozenset(each for each in found if isinstance(each, str))
        if is_array(found)
        else frozenset()
    )


def resolved(schema: Any, root: Any) -> Any:
    """Follow ``$ref`` within a schema; members beside it stay, and win.

    Examples
    --------
    >>> root = {"$defs": {"id": {"type": "string"}}}
    >>> resolved({"$ref": "#/$defs/id", "description": "Whose."}, root)
    {'type': 'string', 'description': 'Whose.'}
    """
    seen: set[str] = set()
    while is_object(schema) and isinstance(place := schema.get("$ref"), str) and place not in seen:
        seen.add(place)
        target = pointed(place, root)
        if target is None:
            break
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **rest} if is_object(target) else target
    return schema


def pointed(place: str, root: Any) -> Any:
    """Return what a reference such as ``#/$defs/id`` points at, None if there is nothing."""
    if not place.startswith("#"):
        return None
    found = root
    for step in place[1:].split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if is_array(found) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        elif is_object(found) and key in found:
            found = found[key]
        else:
            return None
    return found


def described(schema: Any, change: Callable[[str], str]) -> Any:
    """Return a schema with all its descriptions changed, at any depth.

    What is data and no schema stays: defaults, constants, members of enums.

    Examples
    --------
    >>> described({"items": {"description": "x"}, "default": {"description": "x"}}, str.upper)
    {'items': {'description': 'X'}, 'default': {'description': 'x'}}
    """
    if not is_object(schema):
        return schema
    return {key: _described(key, value, change) for key, value in schema.items()}


def _described(key: str, value: Any, change: Callable[[str], str]) -> Any:
    if key == "description" and isinstance(value, str):
        return change(value)
    if key in _NAMED and is_object(value):
        return {name: described(each, change) for name, each in value.items()}
    if key in _SOME and is_array(value):
        return [described(each, change) for each in value]
    return described(value, change) if key in _ONE else value
