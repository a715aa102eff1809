"""The types of TTC: eight words, and arrays of five of them."""

from __future__ import annotations

import re
from typing import Any, Final

from mckp.jsontext import is_array, is_object

_WORDS: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "array",
    "object": "object",
}
_KINDS: Final = {word: kind for kind, word in _WORDS.items()}
_PRIMITIVES: Final = frozenset({"string", "int", "float", "bool"})
TYPE: Final = re.compile(
    r"(?P<word>string|int|float|bool|any|object|array)"
    r"(?:(?<=array)\[(?P<items>string|int|float|bool|any|object)\])?\Z"
)


def type_of(schema: Any) -> str:
    """Return the word for a schema; the first type that is not null, if there are several.

    Examples
    --------
    >>> type_of({"type": ["null", "integer"]}), type_of({"anyOf": []})
    ('int', 'any')
    >>> type_of({"type": "array", "items": {"type": "string"}}), type_of({"type": "array"})
    ('array[string]', 'array[object]')
    """
    kind = schema.get("type") if is_object(schema) else None
    if is_array(kind):
        kind = next((each for each in kind if each != "null"), None)
    word = _WORDS.get(kind, "any") if isinstance(kind, str) else "any"
    if word != "array":
        return word
    items = type_of(schema.get("items"))
    return f"array[{items if items in _PRIMITIVES else 'object'}]"


def schema_of(text: str) -> dict[str, Any] | None:
    """Return the schema that a type stands for, None if it is no type.

    Examples
    --------
    >>> schema_of("array[int]"), schema_of("any"), schema_of("text")
    ({'type': 'array', 'items': {'type': 'integer'}}, {}, None)
    """
    found = TYPE.match(text)
    if found is None:
        return None
    own = {} if found["word"] == "any" else {"type": _KINDS[found["word"]]}
    return own if found["items"] is None else {**own, "items": schema_of(found["items"])}
