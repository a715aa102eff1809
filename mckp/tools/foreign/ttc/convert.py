"""Tools to entries of TTC and back; with notes nothing is lost on the way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.tools.foreign.names import words
from mckp.tools.foreign.schema import members, required
from mckp.tools.foreign.ttc.entry import Entry, Field
from mckp.tools.foreign.ttc.types import schema_of, type_of
from mckp.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

_SENTENCE: Final = re.compile(r".+?(?:[.!?](?=\s+[A-Z])|\Z)", re.DOTALL)
_ANY: Final = (Field("result", "any"),)


def entry_of(tool: Tool, server: str = "server", *, notes: bool = True) -> Entry:
    """Return the entry of a tool.

    PURPOSE is its first sentence, WHEN what its name says.

    Examples
    --------
    >>> tool = Tool("getRain", "How much it rains. In mm.", {}, None, {}, {}, "mcp")
    >>> entry = entry_of(tool)
    >>> entry.purpose, entry.when
    ('How much it rains.', 'user wants to get rain')
    """
    purpose = _purpose(tool)
    schema = tool.parameters
    return Entry(
        name=tool.name,
        purpose=purpose,
        when=trigger(tool.name),
        inputs=_fields(schema),
        outputs=_fields(tool.output or {}) or _ANY,
        notes=_notes(tool, purpose) if notes else {},
        server=server,
    )


def tool_of(entry: Entry) -> Tool:
    """Return the tool that an entry describes, as far as it does."""
    notes = dict(entry.notes)
    own = notes.pop("*", {})
    output = None if entry.outputs == _ANY else _schema(entry.outputs, {})
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


def trigger(name: str) -> str:
    """Return the words of a name as what a user wants.

    Examples
    --------
    >>> trigger("list_pull_requests"), trigger("now")
    ('user wants to list pull requests', 'user wants to use now')
    """
    said = words(name)
    return f"user wants to {' '.join(said) if len(said) > 1 else f'use {name}'}"


def _purpose(tool: Tool) -> str:
    text = " ".join(tool.description.split()).replace(";", ",")
    found = _SENTENCE.match(text)
    return found[0] if found else tool.name


def _fields(schema: Any) -> tuple[Field, ...]:
    needed = required(schema)
    return tuple(
        Field(name, type_of(each), name not in needed) for name, each in members(schema).items()
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
    plain = _schema(_fields(tool.parameters), notes)
    rest = {key: of for key, of in tool.parameters.items() if plain.get(key) != of}
    if {**plain, **rest} != tool.parameters:
        own["parameters"], notes = tool.parameters, {}
    elif rest:
        own["schema"] = rest
    if tool.output is not None and tool.output != _schema(_fields(tool.output), {}):
        own["output"] = tool.output
    return {"*": own, **notes} if own else notes
