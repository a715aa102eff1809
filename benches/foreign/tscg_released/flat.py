"""What TSCG 1.4.3 keeps of a tool: its top-level parameters, flat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.tools.renderings.schema import members

if TYPE_CHECKING:
    from mckp.tools.tool import Tool

_WORDS: Final = {None: "", True: "true", False: "false"}


@dataclass(frozen=True)
class Parameter:
    """A parameter as TSCG sees it; `values` are those of an enum, None without one."""

    name: str
    type: str
    description: str
    required: bool
    values: tuple[str, ...] | None


@dataclass(frozen=True)
class FlatTool:
    """A tool as TSCG sees it."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]


def flat(tool: Tool) -> FlatTool:
    """Drop what TSCG drops: everything nested, unions, bounds, defaults and items."""
    schema = tool.parameters
    required = schema.get("required")
    names = required if is_array(required) else []
    found = (_parameter(name, each, name in names) for name, each in members(schema).items())
    return FlatTool(tool.name, tool.description, tuple(found))


def _parameter(name: str, schema: Any, required: bool) -> Parameter:
    facts = schema if is_object(schema) else {}
    values, said = facts.get("enum"), facts.get("description")
    return Parameter(
        name=name,
        type=printed(facts.get("type") or "string"),
        description=said if isinstance(said, str) else "",
        required=required,
        values=tuple(map(printed, values)) if is_array(values) else None,
    )


def printed(value: Any) -> str:
    """Return what JavaScript makes of a value in a text."""
    if isinstance(value, str):
        return value
    if is_array(value):
        return ",".join(map(printed, value))
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if is_object(value):
        return "[object Object]"
    return str(int(value)) if value == int(value) else str(value)
