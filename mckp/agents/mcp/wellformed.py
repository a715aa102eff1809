"""Repairs items of lists that would make a host refuse the whole list.

Hosts check a list against the protocol's schema, and one wrong definition costs them the tools of
all servers. What is wrong is repaired where its meaning is clear, and left out where it is not.
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeAlias

from mckp.jsontext import is_array, is_object

Kind: TypeAlias = "type[Any] | tuple[type[Any], ...]"

_MEMBERS: Final[dict[str, Kind]] = {
    "title": str,
    "description": str,
    "mimeType": str,
    "size": (int, float),
    "annotations": dict,
    "_meta": dict,
    "execution": dict,
    "icons": list,
    "arguments": list,
}
"""Members that an item may have, with the types that the protocol requires."""

_HINTS: Final[dict[str, Kind]] = {
    "title": str,
    "readOnlyHint": bool,
    "destructiveHint": bool,
    "idempotentHint": bool,
    "openWorldHint": bool,
    "audience": list,
    "priority": (int, float),
    "lastModified": str,
}
"""Members of ``annotations``."""

_NAMES: Final = {
    "tools": ("name",),
    "prompts": ("name",),
    "resources": ("uri", "name"),
    "resourceTemplates": ("uriTemplate", "name"),
}
"""Members that an item of each list needs; if the last one is missing, the first replaces it."""


def repair_item(item: Any, list_name: str) -> dict[str, Any] | None:
    """Return an item in a form that hosts accept, or None if it is beyond repair.

    `list_name` is the name of the list, such as ``tools``.

    Examples
    --------
    >>> repair_item({"name": "now", "description": 7}, "tools")
    {'name': 'now', 'inputSchema': {'type': 'object'}}
    >>> repair_item({"uri": "a://b"}, "resources"), repair_item({"name": "b"}, "resources")
    ({'uri': 'a://b', 'name': 'a://b'}, None)
    """
    if not is_object(item) or not isinstance(item.get(_NAMES[list_name][0]), str):
        return None
    fixed_item = _without_wrong_types(item, _MEMBERS)
    if is_object(hints := fixed_item.get("annotations")):
        fixed_item = _replace_member(fixed_item, "annotations", _without_wrong_types(hints, _HINTS))
    for name in _NAMES[list_name]:
        if not isinstance(fixed_item.get(name), str):
            fixed_item = {**fixed_item, name: fixed_item[_NAMES[list_name][0]]}
    for name, wanted in (("icons", "src"), ("arguments", "name")):
        if is_array(parts := fixed_item.get(name)):
            valid_parts = [
                part for part in parts if is_object(part) and isinstance(part.get(wanted), str)
            ]
            fixed_item = (
                fixed_item if len(valid_parts) == len(parts) else {**fixed_item, name: valid_parts}
            )
    return _with_valid_schemas(fixed_item) if list_name == "tools" else fixed_item


def _without_wrong_types(item: dict[str, Any], kinds: dict[str, Kind]) -> dict[str, Any]:
    """Return an object without members that have a wrong type, or the object itself if none has.

    `kinds` has the right types by name; members with other names stay.
    """
    wrong = {
        name
        for name, value in item.items()
        if name in kinds
        and (
            not isinstance(value, kinds[name])
            or (isinstance(value, bool) and kinds[name] is not bool)
        )
    }
    return {key: value for key, value in item.items() if key not in wrong} if wrong else item


def _replace_member(item: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return an object with a new value for a member, or itself if it has that value."""
    return item if item[name] is value else {**item, name: value}


def _with_valid_schemas(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool with a repaired input schema, and without an invalid output schema."""
    schema = _object_schema(tool.get("inputSchema"))
    tool = tool if schema is tool.get("inputSchema") else {**tool, "inputSchema": schema}
    if "outputSchema" in tool and _object_schema(tool["outputSchema"]) is not tool["outputSchema"]:
        return {key: value for key, value in tool.items() if key != "outputSchema"}
    return tool


def _object_schema(schema: Any) -> dict[str, Any]:
    """Return a schema of objects that hosts accept: the schema itself, or a repaired one."""
    if not is_object(schema):
        return {"type": "object"}
    fixed_schema = schema if schema.get("type") == "object" else {**schema, "type": "object"}
    if "required" in fixed_schema and not _are_strings(fixed_schema["required"]):
        fixed_schema = {key: value for key, value in fixed_schema.items() if key != "required"}
    members = fixed_schema.get("properties", {})
    if not is_object(members):
        return {key: value for key, value in fixed_schema.items() if key != "properties"}
    if not all(map(is_object, members.values())):
        # Not all hosts know the schemas true and false; anything else has no meaning.
        fixed_members = {key: _member_schema(value) for key, value in members.items()}
        fixed_schema = {**fixed_schema, "properties": fixed_members}
    return fixed_schema


def _are_strings(value: Any) -> bool:
    """Whether a value is a list of strings."""
    return is_array(value) and all(isinstance(item, str) for item in value)


def _member_schema(value: Any) -> dict[str, Any]:
    """Return the schema of a member as an object.

    ``false`` becomes one that allows nothing, and anything else one that allows everything.
    """
    if is_object(value):
        return value
    return {"not": {}} if value is False else {}


def acceptable_result(result: dict[str, Any], *, reads_json: bool) -> dict[str, Any]:
    """Return a result in a form that its host accepts, even a host that parses texts as data.

    Gemini CLI 0.61.0 reads a text as structured content if a result has none, and refuses anything
    but an object. It shows only texts, so an added empty object does not change what its model
    sees.

    Examples
    --------
    >>> acceptable_result({"content": [{"type": "text", "text": "[]"}]}, reads_json=True)
    {'content': [{'type': 'text', 'text': '[]'}], 'structuredContent': {}}
    """
    blocks = result.get("content")
    is_read = reads_json and not result.get("structuredContent") and is_array(blocks)
    first: Any = blocks[0] if is_read and blocks else None
    text = first.get("text") if is_object(first) and first.get("type") == "text" else None
    if not isinstance(text, str):
        return result
    try:
        value = json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return result
    return result if is_object(value) else {**result, "structuredContent": {}}
