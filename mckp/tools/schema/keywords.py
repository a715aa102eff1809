"""Which keywords of JSON Schema hold schemas, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ONE: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is a schema."""

MANY: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas; ``items`` once was."""

NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
"""Keywords whose value is an object of schemas."""

DEFINITIONS: Final = ("$defs", "definitions")
"""Keywords below which schemas stand only to be referred to."""


def definitions(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    """Return the definitions under a keyword; none if what stands there is no object."""
    found = schema.get(keyword)
    return found if is_object(found) else {}


def below(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the schemas directly below one, each with the steps that lead to it."""
    if not is_object(schema):
        return
    for key, value in schema.items():
        if key in NAMED and is_object(value):
            yield from (((key, name), inner) for name, inner in value.items() if _is_schema(inner))
        elif key in MANY and is_array(value):
            yield from (((key, i), inner) for i, inner in enumerate(value) if _is_schema(inner))
        elif key in ONE and _is_schema(value):
            yield (key,), value


def every(schema: Any) -> Iterator[Any]:
    """Yield a schema and all schemas within it, outer ones first."""
    stack = [schema]
    while stack:
        one = stack.pop()
        yield one
        stack.extend(reversed([inner for _, inner in below(one)]))


def changed(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema with each schema directly below it changed."""
    return {key: _member(key, value, change) for key, value in schema.items()}


def _member(key: str, value: Any, change: Callable[[Any], Any]) -> Any:
    if key in NAMED and is_object(value):
        return {
            name: change(inner) if _is_schema(inner) else inner for name, inner in value.items()
        }
    if key in MANY and is_array(value):
        return [change(inner) if _is_schema(inner) else inner for inner in value]
    return change(value) if key in ONE and _is_schema(value) else value


def _is_schema(value: Any) -> bool:
    return is_object(value) or isinstance(value, bool)
