"""Schemas as other formats see them: their members, and the words of names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema import changed, target

if TYPE_CHECKING:
    from collections.abc import Callable


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
        if (found := target(root, place)) is None:
            break
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**found, **rest} if is_object(found) else found
    return schema


def described(schema: Any, change: Callable[[str], str]) -> Any:
    """Return a schema with all its descriptions changed, at any depth; empty ones are left out.

    What is data and no schema stays: defaults, constants, members of enums.

    Examples
    --------
    >>> described({"items": {"description": "x"}, "default": {"description": "x"}}, str.upper)
    {'items': {'description': 'X'}, 'default': {'description': 'x'}}
    """
    if not is_object(schema):
        return schema
    inner = changed(schema, lambda each: described(each, change))
    text = inner.get("description")
    if isinstance(text, str) and not (text := change(text)):
        del inner["description"]
    return {**inner, "description": text} if isinstance(text, str) and text else inner


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(name: str) -> list[str]:
    """Return the words of a name, whatever separates them; abbreviations keep their capitals.

    Examples
    --------
    >>> words("getUserByID"), words("list_pull-requests")
    (['get', 'user', 'by', 'ID'], ['list', 'pull', 'requests'])
    """
    return [word if word.isupper() else word.lower() for word in _WORD.findall(name)]
