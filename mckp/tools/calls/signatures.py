"""Tools on one line each, as manuals show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.calls.capable import takes_pairs
from mckp.tools.calls.writer import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.tool import Tool

_LONGEST: Final = 120
"""Characters of a description."""
_BLANKS: Final = re.compile(r"\s+")
_SIMPLE: Final = frozenset({"string", "int", "number", "boolean"})


def wire_signature(tool: Tool) -> str:
    """Return a tool as the wire format shows it: parameters by path, with their types.

    Descriptions of parameters, defaults and bounds are left out, and so are all parameters where
    there is something that pairs cannot say.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    >>> [tool] = parse_tools([{"name": "plan", "description": "Plan.", "input_schema": schema}])
    >>> wire_signature(tool)
    'plan: days?:int — Plan.'
    """
    if not takes_pairs(tool.parameters):
        return json_signature(tool)
    return f"{tool.name}: {', '.join(_fields(tool.parameters, ''))}{_said(tool)}"


def json_signature(tool: Tool) -> str:
    """Return a tool as the wire format shows one that takes an object of JSON."""
    return f"{tool.name}: <json>{_said(tool)}"


def _said(tool: Tool) -> str:
    return f" — {short(tool.description)}" if tool.description else ""


def short(description: str) -> str:
    """Return the beginning of a description on one line."""
    return _BLANKS.sub(" ", description).strip()[:_LONGEST]


def _fields(schema: dict[str, Any], prefix: str) -> Iterator[str]:
    required = schema.get("required")
    required = required if is_array(required) else []
    for name, part in schema["properties"].items():
        if part.get("type") == "object" and is_object(part.get("properties")):
            yield from _fields(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}{'' if name in required else '?'}:{_label(part)}"


def _label(schema: Any) -> str:
    """Return the type of a parameter."""
    if is_array(schema.get("enum")):
        return "|".join(map(dump, schema["enum"]))
    kind = schema.get("type")
    if kind == "array" and is_object(schema.get("items")):
        inner = _label(schema["items"])
        return f"{inner}[]" if inner in _SIMPLE else f"[{inner}]"
    if is_array(kind):
        return "|".join(map(str, kind))
    return "int" if kind == "integer" else str(kind or "any")


# ---------------------------------------------------------------- ours


def native_signature(tool: Tool) -> str:
    """Return a tool as a function: parameters in order, with types down to nested objects.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> sky = {"type": "object", "properties": {"clear": {"type": "boolean"}}}
    >>> schema = {"properties": {"days": {"type": "integer"}, "sky": sky}, "required": ["days"]}
    >>> [tool] = parse_tools([{"name": "plan", "description": "Plan.", "input_schema": schema}])
    >>> native_signature(tool)
    'plan(days:int,sky?:{clear?:bool}) Plan.'
    """
    said = f" {short(tool.description)}" if tool.description else ""
    return f"{tool.name}({_members(tool.parameters)}){said}"


def _members(schema: dict[str, Any]) -> str:
    required = schema.get("required")
    required = required if is_array(required) else []
    properties = schema.get("properties")
    return ",".join(
        f"{name}{'' if name in required else '?'}:{_type(part)}"
        for name, part in (properties if is_object(properties) else {}).items()
    )


_TYPES: Final = {"string": "str", "integer": "int", "number": "num", "boolean": "bool"}


def _type(schema: Any) -> str:
    """Return a type in few characters, ``any`` for what has no short word."""
    if not is_object(schema):
        return "any"
    if is_array(schema.get("enum")):
        return "|".join(_word(each) for each in schema["enum"])
    kind = schema.get("type")
    if is_array(kind):
        return "|".join(_TYPES.get(str(each), str(each)) for each in kind)
    if kind == "array":
        return f"[{_type(schema['items'])}]" if "items" in schema else "[]"
    if is_object(schema.get("properties")):
        return f"{{{_members(schema)}}}"
    for union in ("anyOf", "oneOf"):
        if is_array(schema.get(union)):
            return "|".join(map(_type, schema[union]))
    return "{}" if kind == "object" else _TYPES.get(str(kind), str(kind or "any"))


def _word(value: Any) -> str:
    return word(value) if isinstance(value, str) else dump(value)
