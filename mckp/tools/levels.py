"""The ladder: how much of a tool is said at each level, and how that is written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_object
from mckp.tools.schema import changed, every, members
from mckp.tools.text.spell import CUT, first_sentence, label, name, prose
from mckp.tools.tool import Tool

if TYPE_CHECKING:
    from mckp.tools.text.write import Writer

_NOTHING: Final = frozenset({"description", "parameters", "annotations"})
_TYPED: Final = frozenset({"$ref", "const", "enum", "required", "type"}).union(
    {"$defs", "additionalProperties", "patternProperties", "properties"},
    {"items", "prefixItems"},
    {"allOf", "anyOf", "oneOf"},
)

LEVELS: Final = ("name", "args", "summary", "typed", "described", "full", "json")
"""Names of all levels: each says more than those before, but that `typed` has no sentence."""

_SHORT: Final = ("name", "args", "summary")
"""Levels that say nothing of types."""


def told(tool: Tool, level: str) -> Tool:
    """Return what a level says of a tool that is in normal form.

    Examples
    --------
    >>> from mckp.tools import parse_tools
    >>> (tool,) = parse_tools('{"name": "now", "description": "The time. In UTC."}')
    >>> told(tool, "summary").description
    'The time.'
    """
    if level in ("full", "json"):
        return tool
    description, parameters, absent = "", dict[str, Any](), _NOTHING
    if level in ("args", "summary"):
        names: dict[str, Any] = {key: {} for key in members(tool.parameters)}
        parameters, absent = {"type": "object", "properties": names}, absent - {"parameters"}
    elif level in ("typed", "described"):
        parameters = typed(tool.parameters)
        absent -= {"parameters"} - tool.absent
    if level in ("summary", "described"):
        whole = tool.description
        description = first_sentence(whole) if level == "summary" else whole
        absent -= {"description"} - tool.absent
    return Tool(tool.name, description, parameters, None, {}, {}, tool.shape, absent)


def typed(schema: Any) -> Any:
    """Return a schema with types, names, values and marks, and nothing else."""
    if not is_object(schema):
        return schema
    kept = {key: data for key, data in schema.items() if key in _TYPED}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    return changed(kept, typed)


def written(cut: Tool, tool: Tool, level: str, writer: Writer) -> str:
    """Return the lines of a tool at a level; all together are a fragment."""
    if level == "json":
        return dump(cut.definition()) + "\n"
    if level not in _SHORT:
        return writer.tool(cut, "" if cut == tool else CUT)
    line = name(cut.name)
    if level != "name":
        line += f"[{' '.join(map(label, cut.parameters['properties']))}]"
    if "description" not in cut.absent:
        more = f" {CUT}" if cut.description != tool.description else ""
        line += f": {prose(cut.description)}{more}"
    return line + "\n"


_COUNTED: Final = frozenset({"properties", "required", "enum", "$defs", "definitions"})


def losses(whole: Tool, said: Tool) -> Counter[str]:
    """Return how many of each keyword of JSON Schema what is said of a tool leaves out.

    Names of properties, required names and enumerated values count one each; ``tool …``
    are members of the definition itself. A description that is cut to a sentence is lost.
    """
    lost = census(whole) - census(said)
    if said.description != whole.description:
        lost["tool description"] = 1
    return lost


def census(tool: Tool) -> Counter[str]:
    """Return how many of each keyword there are in a tool."""
    found = Counter({"tool description": int("description" not in tool.absent)})
    found["tool annotations"] = len(tool.annotations)
    found["tool extra"] = len(tool.extra)
    for schema in (tool.parameters, tool.output or {}):
        for one in every(schema):
            if is_object(one):
                found.update({key: _size(key, data) for key, data in one.items()})
    return found


def _size(key: str, data: Any) -> int:
    plural = key in _COUNTED and (is_object(data) or is_array(data))
    return len(data) if plural else 1
