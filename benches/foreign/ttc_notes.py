"""TTC with notes: comments that hold what its grammar has no place for, so that all comes back."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.tools.renderings.schema import members
from mckp.tools.renderings.ttc import ANY, WORDS, entry_of, fields_of, type_of, write_ttc
from mckp.tools.tool import Tool, parse_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.tools.renderings.ttc import Entry, Field

_KINDS: Final = {word: kind for kind, word in WORDS.items()}
TYPE: Final = re.compile(
    r"(?P<word>string|int|float|bool|any|object|array)"
    r"(?:(?<=array)\[(?P<items>string|int|float|bool|any|object)\])?\Z"
)


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


NOTHING: Final = "none"
"""The name that stands for an empty list of parameters, as TTC knows no empty list."""


def noted(tools: Any) -> str:
    """Write a catalog in TTC with notes; that is longer than JSON.

    Examples
    --------
    >>> units = {"type": "string", "enum": ["mm", "in"]}
    >>> schema = {"type": "object", "properties": {"u": units}}
    >>> tool = {"name": "getRain", "description": "Rain.", "inputSchema": schema}
    >>> noted([tool]).rpartition("; ")[2]
    'u {"type":"string","enum":["mm","in"]}'
    """
    return write_ttc([noted_entry(tool) for tool in parse_tools(tools)])


def noted_entry(tool: Tool) -> Entry:
    """Return the entry of a tool, with whatever reading it would not bring back."""
    entry = entry_of(tool)
    return replace(entry, notes=_notes(tool, entry.purpose))


def tool_of(entry: Entry) -> Tool:
    """Return the tool that an entry describes, as far as it does."""
    notes = dict(entry.notes)
    own = notes.pop("*", {})
    output = None if entry.outputs == ANY else _schema(entry.outputs, {})
    return Tool(
        name=entry.name,
        description=own.get("description", entry.purpose),
        parameters=own.get("parameters", _schema(entry.inputs, notes) | own.get("schema", {})),
        output=own.get("output", output),
        annotations={},
        extra={},
        shape="mcp",
        absent=frozenset({"annotations"}),
    )


def _schema(fields: tuple[Field, ...], notes: Mapping[str, Any]) -> dict[str, Any]:
    properties = {each.name: notes.get(each.name, schema_of(each.type)) for each in fields}
    needed = [each.name for each in fields if not each.optional]
    return {"type": "object", "properties": properties} | ({"required": needed} if needed else {})


def _notes(tool: Tool, purpose: str) -> dict[str, Any]:
    """Return whatever reading the entry would not bring back."""
    notes = {
        name: schema
        for name, schema in members(tool.parameters).items()
        if schema != schema_of(type_of(schema))
    }
    own: dict[str, Any] = {}
    if tool.description != purpose:
        own["description"] = tool.description
    plain = _schema(fields_of(tool.parameters), notes)
    rest = {key: of for key, of in tool.parameters.items() if plain.get(key) != of}
    if {**plain, **rest} != tool.parameters:
        own["parameters"], notes = tool.parameters, {}
    elif rest:
        own["schema"] = rest
    if tool.output is not None and tool.output != _schema(fields_of(tool.output), {}):
        own["output"] = tool.output
    return {"*": own, **notes} if own else notes
