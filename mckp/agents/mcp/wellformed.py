"""Items of lists, mended where a host that checks them would refuse the whole list.

Hosts check a list as the protocol's schema says, and one wrong definition costs them the tools of
all servers. What is wrong is mended where its meaning is clear, and left out where it is not.
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
"""Members that an item may have, with the types that the protocol wants."""

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
"""Members that an item of each list needs; for a missing last one the first serves as well."""


def mended(item: Any, what: str) -> dict[str, Any] | None:
    """Return an item of a list that hosts accept: itself if it is well-formed, None if not at all.

    `what` is the name of the list, such as ``tools``.

    Examples
    --------
    >>> mended({"name": "now", "description": 7}, "tools")
    {'name': 'now', 'inputSchema': {'type': 'object'}}
    >>> mended({"uri": "a://b"}, "resources"), mended({"name": "b"}, "resources")
    ({'uri': 'a://b', 'name': 'a://b'}, None)
    """
    if not is_object(item) or not isinstance(item.get(_NAMES[what][0]), str):
        return None
    mended_item = _typed(item, _MEMBERS)
    if is_object(hints := mended_item.get("annotations")):
        mended_item = _with(mended_item, "annotations", _typed(hints, _HINTS))
    for name in _NAMES[what]:
        if not isinstance(mended_item.get(name), str):
            mended_item = {**mended_item, name: mended_item[_NAMES[what][0]]}
    for name, wanted in (("icons", "src"), ("arguments", "name")):
        if is_array(parts := mended_item.get(name)):
            right_parts = [
                part for part in parts if is_object(part) and isinstance(part.get(wanted), str)
            ]
            mended_item = (
                mended_item
                if len(right_parts) == len(parts)
                else {**mended_item, name: right_parts}
            )
    return _with_schemas(mended_item) if what == "tools" else mended_item


def _typed(item: dict[str, Any], kinds: dict[str, Kind]) -> dict[str, Any]:
    """Return an object without members of a wrong type; itself if there are none."""
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


def _with(item: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    return item if item[name] is value else {**item, name: value}


def _with_schemas(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool whose schemas are of objects; one of its output that is not is left out."""
    schema = _schema(tool.get("inputSchema"))
    tool = tool if schema is tool.get("inputSchema") else {**tool, "inputSchema": schema}
    if "outputSchema" in tool and _schema(tool["outputSchema"]) is not tool["outputSchema"]:
        return {key: value for key, value in tool.items() if key != "outputSchema"}
    return tool


def _schema(schema: Any) -> dict[str, Any]:
    """Return the schema of an object that hosts accept: itself if it is one."""
    if not is_object(schema):
        return {"type": "object"}
    mended_schema = schema if schema.get("type") == "object" else {**schema, "type": "object"}
    if "required" in mended_schema and not _are_strings(mended_schema["required"]):
        mended_schema = {key: value for key, value in mended_schema.items() if key != "required"}
    members = mended_schema.get("properties", {})
    if not is_object(members):
        return {key: value for key, value in mended_schema.items() if key != "properties"}
    if not all(map(is_object, members.values())):
        # The schemas true and false, which not all hosts know; anything else says nothing.
        whole = {key: _of_member(value) for key, value in members.items()}
        mended_schema = {**mended_schema, "properties": whole}
    return mended_schema


def _are_strings(value: Any) -> bool:
    return is_array(value) and all(isinstance(item, str) for item in value)


def _of_member(value: Any) -> dict[str, Any]:
    if is_object(value):
        return value
    return {"not": {}} if value is False else {}


def accepted(result: dict[str, Any], *, reads_json: bool) -> dict[str, Any]:
    """Return a result that its host accepts, also if that reads a text as structured content.

    Gemini CLI 0.61.0 does so where a result has none, and refuses whatever is no object. It shows
    texts only, so an empty object changes nothing of what its model sees.

    Examples
    --------
    >>> accepted({"content": [{"type": "text", "text": "[]"}]}, reads_json=True)
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
