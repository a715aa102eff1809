"""JSON Schemas of tools: keywords, references, and pruning of unused parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.plain import JsonValue

ONE: Final = frozenset({"contains", "contentSchema", "else", "if", "not", "then"}).union(
    {"additionalItems", "items", "unevaluatedItems"},
    {"additionalProperties", "propertyNames", "unevaluatedProperties"},
)
"""Keywords whose value is a schema."""

MANY: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas, as that of ``items`` is in older dialects."""

NAMED: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
"""Keywords whose value is an object of schemas."""

DEFINITIONS: Final = frozenset({"$defs", "definitions"})
"""Keywords below which schemas are only there to be referred to."""


def members(schema: Any) -> dict[str, Any]:
    """Return the properties of a schema by name, or an empty dict."""
    properties = schema.get("properties") if is_object(schema) else None
    return properties if is_object(properties) else {}


def required(schema: Any) -> frozenset[str]:
    """Return the names that a schema requires."""
    names_given = schema.get("required") if is_object(schema) else None
    names = names_given if is_array(names_given) else []
    return frozenset(name for name in names if isinstance(name, str))


def schemas_within(schema: Any) -> Iterator[Any]:
    """Yield a schema and all schemas within it, outer ones first."""
    stack = [schema]
    while stack:
        part = stack.pop()
        yield part
        inner: list[Any] = []
        if is_object(part):
            changed(part, inner.append)
        stack.extend(reversed(inner))


def changed(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema with `change` applied to each schema directly below it."""
    return {key: _changed_keyword(key, value, change) for key, value in schema.items()}


def _changed_keyword(key: str, value: JsonValue, change: Callable[[Any], Any]) -> JsonValue:
    """Return the value of a keyword, with `change` applied to the schemas directly in it."""
    if key in NAMED and is_object(value):
        return {name: change(part) if is_schema(part) else part for name, part in value.items()}
    if key in MANY and is_array(value):
        return [change(part) if is_schema(part) else part for part in value]
    return change(value) if key in ONE and is_schema(value) else value


def is_schema(value: JsonValue) -> bool:
    """Whether a value can be a schema."""
    return is_object(value) or isinstance(value, bool)


_ELSEWHERE: Final = ("$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef")


def referent_of(root: Any, ref: Any) -> Any:
    """Return what a local reference such as ``#/$defs/node`` points to.

    Returns None if it points nowhere in this schema, or is not a pointer from its root.

    Examples
    --------
    >>> referent_of({"$defs": {"a/b": {"type": "null"}}}, "#/$defs/a~1b")
    {'type': 'null'}
    """
    if not _is_pointer(ref):
        return None
    node = root
    for step in _pointer_steps(ref):
        if is_array(node) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            node = node.get(step) if is_object(node) else None
    return node


def resolved(schema: Any, root: Any) -> Any:
    """Follow the ``$ref`` of a schema; its other members stay and take precedence.

    A reference that points nowhere in `root`, or back to itself, stays as well.

    Examples
    --------
    >>> root = {"$defs": {"id": {"type": "string"}}}
    >>> resolved({"$ref": "#/$defs/id", "description": "Whose."}, root)
    {'type': 'string', 'description': 'Whose.'}
    """
    seen: set[str] = set()
    while is_object(schema) and isinstance(place := schema.get("$ref"), str) and place not in seen:
        seen.add(place)
        if (referent := referent_of(root, place)) is None:
            break
        other_keywords = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**referent, **other_keywords} if is_object(referent) else referent
    return schema


def with_changed_descriptions(schema: Any, change: Callable[[str], str]) -> Any:
    """Return a schema with `change` applied to every description; empty results are dropped.

    Data within a schema, such as defaults, constants and members of enums, stay unchanged.

    Examples
    --------
    >>> described = {"description": "x"}
    >>> with_changed_descriptions({"items": described, "default": described}, str.upper)
    {'items': {'description': 'X'}, 'default': {'description': 'x'}}
    """
    if not is_object(schema):
        return schema
    inner = changed(schema, lambda part: with_changed_descriptions(part, change))
    text = inner.get("description")
    if isinstance(text, str) and not (text := change(text)):
        del inner["description"]
    return {**inner, "description": text} if isinstance(text, str) and text else inner


def _pointer_steps(ref: str) -> list[str]:
    """Return the steps of a local JSON pointer."""
    parts = ref.split("/")[1:]
    return [unquote(step).replace("~1", "/").replace("~0", "~") for step in parts]


def _has_local_references(schema: Any) -> bool:
    """Whether all references of a schema are pointers from its root."""
    return all(
        _is_pointer(part.get("$ref", "#"))
        and not any(isinstance(part.get(key), str) for key in _ELSEWHERE)
        for part in filter(is_object, schemas_within(schema))
    )


def _is_pointer(ref: Any) -> bool:
    """Whether a reference is a pointer from the root."""
    return isinstance(ref, str) and (ref == "#" or ref.startswith("#/"))


def _reached_definitions(schema: dict[str, JsonValue]) -> set[tuple[str, ...]]:
    """Return the keyword and name of each definition that a reference reaches, at any depth.

    Places outside definitions that references point to are among them.
    """
    places: set[tuple[str, ...]] = set()
    unvisited: list[Any] = [{key: schema[key] for key in schema if key not in DEFINITIONS}]
    while unvisited:
        for part in schemas_within(unvisited.pop()):
            ref = part.get("$ref") if is_object(part) else None
            definition_ref = "/".join(ref.split("/")[:3]) if isinstance(ref, str) else "#"
            if (place := tuple(_pointer_steps(definition_ref))) not in places:
                places.add(place)
                unvisited.append(referent_of(schema, definition_ref) if place else None)
    return places


_OLD: Final = ("additionalItems", "dependencies", "$recursiveRef", "id", "extends", "divisibleBy")


def pruned(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a shorter schema that is valid for the same values.

    ``$schema`` is dropped if the dialect makes no difference, and so are unreachable definitions if
    all references are pointers. Lists of required names, which are sets, are sorted, or dropped if
    empty.

    Examples
    --------
    >>> pruned({"$schema": "x", "type": "object", "$defs": {"unused": {}}, "required": []})
    {'type': 'object'}
    """
    kept: dict[str, Any] = _without_unreached(_with_sorted_required(schema))
    return (
        kept
        if _has_dialect(kept)
        else {
            keyword: keyword_value
            for keyword, keyword_value in kept.items()
            if keyword != "$schema"
        }
    )


def _with_sorted_required(schema: Any) -> Any:
    """Return a schema with all lists of required names sorted, or dropped if empty."""
    if not is_object(schema):
        return schema
    kept, names = changed(schema, _with_sorted_required), schema.get("required")
    if is_array(names) and all(isinstance(name, str) for name in names):
        kept["required"] = sorted(set(names))
        if not names:
            del kept["required"]
    return kept


def _without_unreached(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without unreachable definitions; unchanged if a reference is not local."""
    if DEFINITIONS.isdisjoint(schema) or not _has_local_references(schema):
        return schema
    used, kept = _reached_definitions(schema), dict(schema)
    for key in DEFINITIONS:
        if is_object(definitions := schema.get(key)):
            kept[key] = {
                name: definition for name, definition in definitions.items() if (key, name) in used
            }
            if not kept[key]:
                del kept[key]
    return kept


def _has_dialect(schema: dict[str, Any]) -> bool:
    """Whether a schema, or one within it, has keywords that dialects read differently."""
    return any(map(_depends_on_dialect, filter(is_object, schemas_within(schema))))


def _depends_on_dialect(schema: dict[str, Any]) -> bool:
    """Whether dialects read a keyword directly in a schema differently."""
    exclusive = ("exclusiveMinimum", "exclusiveMaximum")
    return (
        any(key in schema for key in _OLD)
        or is_array(schema.get("items"))
        or any(isinstance(schema.get(key), bool) for key in exclusive)
        or ("$ref" in schema and len(schema) > 1)
        or isinstance(schema.get("required"), bool)
    )
