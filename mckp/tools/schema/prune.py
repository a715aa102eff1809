"""What a schema does without: definitions that nothing leads to, and its dialect."""

from __future__ import annotations

from typing import Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.schema.keywords import DEFINITIONS, changed, every
from mckp.tools.schema.refs import is_local, reached

_OLD: Final = ("additionalItems", "dependencies", "$recursiveRef", "id", "extends", "divisibleBy")


def pruned(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that is valid for the same values, without what does no work.

    ``$schema`` goes where the dialect makes no difference, definitions that nothing leads
    to go where all references are pointers, and lists of required names go if empty.

    Examples
    --------
    >>> pruned({"$schema": "x", "type": "object", "$defs": {"unused": {}}, "required": []})
    {'type': 'object'}
    """
    kept: dict[str, Any] = without_unreached(_tidied(schema))
    return kept if _has_dialect(kept) else {k: v for k, v in kept.items() if k != "$schema"}


def _tidied(schema: Any) -> Any:
    if not is_object(schema):
        return schema
    kept = {key: value for key, value in schema.items() if (key, value) != ("required", [])}
    return changed(kept, _tidied)


def ordered(schema: Any) -> Any:
    """Return a schema whose required names are sorted: they are a set.

    Examples
    --------
    >>> ordered({"properties": {"a": {}, "b": {}}, "required": ["b", "a"]})["required"]
    ['a', 'b']
    """
    if not is_object(schema):
        return schema
    kept = changed(schema, ordered)
    required = schema.get("required")
    if is_array(required) and all(isinstance(key, str) for key in required):
        kept["required"] = sorted(set(required))
    return kept


def without_unreached(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without definitions that nothing leads to, if all references are local."""
    if not any(is_object(schema.get(key)) for key in DEFINITIONS) or not is_local(schema):
        return schema
    used = reached(schema)
    kept = dict(schema)
    for key in DEFINITIONS:
        if is_object(schema.get(key)):
            names = {name: one for name, one in schema[key].items() if (key, name) in used}
            kept[key] = names
            if not names:
                del kept[key]
    return kept


def _has_dialect(schema: dict[str, Any]) -> bool:
    """Whether a schema says what dialects of JSON Schema read in different ways."""
    return any(is_object(one) and _differs(one) for one in every(schema))


def _differs(schema: dict[str, Any]) -> bool:
    exclusive = ("exclusiveMinimum", "exclusiveMaximum")
    return (
        any(key in schema for key in _OLD)
        or is_array(schema.get("items"))
        or any(isinstance(schema.get(key), bool) for key in exclusive)
        or ("$ref" in schema and len(schema) > 1)
        or isinstance(schema.get("required"), bool)
    )
