"""How often each keyword stands in a catalog, and how much of that a format loses."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from foreign.expressiveness import DECLARED
from mckp.jsontext import is_array, is_object
from mckp.tools.renderings.schema import members, required, resolved
from mckp.tools.tool import parse_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.tools.tool import Tool

_LONG: Final = 120
_DEEPEST: Final = 12
_AS_THEY_ARE: Final = frozenset(
    {
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "const",
        "enum",
        "default",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minItems",
        "maxItems",
        "uniqueItems",
        "title",
        "examples",
        "deprecated",
        "not",
        "if",
        "patternProperties",
    }
)
_TYPED: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref", "const", "enum"})


def census(tools: Any) -> Counter[tuple[str, bool]]:
    """Count the keywords of a catalog, those of nested parameters apart.

    Returns
    -------
    Counter
        By the names of `foreign.probes.PROBES`, and whether it is nested.

    Examples
    --------
    >>> zones = {"type": "array", "items": {"enum": ["UTC", "GMT"]}}
    >>> found = census({"now": {"inputSchema": {"properties": {"zones": zones}}}})
    >>> sorted(found)
    [('enum', True), ('items', False), ('parameter', False)]
    """
    found = Counter[tuple[str, bool]]()
    for tool in parse_tools(tools):
        found.update((name, False) for name in _of_tool(tool))
        found.update(_of_members(tool.parameters, tool.parameters, nested=False, depth=0))
    return found


def lost(tools: Any, name: str) -> dict[str, tuple[int, int]]:
    """Return how often a format loses each keyword, whole, in part or to something wrong.

    Parameters
    ----------
    tools
        What `mckp.tools.parse_tools` reads.
    name : str
        One of `foreign.formats.FORMATS`.

    Returns
    -------
    dict
        By keyword, how often it is lost and how often it stands in the catalog. Where a
        format loses nested parameters, it loses whatever stands in them.

    Examples
    --------
    >>> schema = {"properties": {"zone": {"enum": ["UTC"], "default": "UTC"}}}
    >>> lost({"now": {"inputSchema": schema}}, "tscg released balanced")
    {'parameter': (0, 1), 'enum': (0, 1), 'default': (1, 1)}
    """
    says = DECLARED[name]
    outer = says.level("parameter") != "kept"
    inner = outer or says.level("properties, nested") != "kept"
    counted: dict[str, tuple[int, int]] = {}
    for (keyword, nested), count in census(tools).items():
        is_lost = says.level(keyword) != "kept" or (nested and inner)
        gone, total = counted.get(keyword, (0, 0))
        counted[keyword] = gone + count * is_lost, total + count
    return counted


def _of_tool(tool: Tool) -> Iterator[str]:
    text = tool.description
    found = {
        "description": bool(text),
        "long description": len(text) > _LONG,
        "lines of a description": "\n" in text.strip(),
        "output": tool.output is not None,
        "annotations": bool(tool.annotations),
        "additionalProperties: false": tool.parameters.get("additionalProperties") is False,
    }
    return (name for name, is_there in found.items() if is_there)


def _of_members(schema: Any, root: Any, *, nested: bool, depth: int) -> Iterator[tuple[str, bool]]:
    needed = required(schema)
    for name, each in members(schema).items():
        facts = resolved(each, root)
        yield "parameter", nested
        if name in needed:
            yield ("required, nested" if nested else "required"), nested
        if is_object(facts):
            yield from ((keyword, nested) for keyword in _of_parameter(each, facts, nested))
            yield from _of_parts(facts, root, depth + 1)


def _of_parts(schema: dict[str, Any], root: Any, depth: int) -> Iterator[tuple[str, bool]]:
    """Yield what stands in the members of an object, of items and of the parts of a union."""
    if depth > _DEEPEST:
        return
    yield from _of_members(schema, root, nested=True, depth=depth)
    parts = [schema.get("items"), schema.get("additionalProperties")]
    for key in ("anyOf", "oneOf", "allOf"):
        parts += schema[key] if is_array(schema.get(key)) else []
    for part in parts:
        if is_object(facts := resolved(part, root)):
            yield from ((keyword, True) for keyword in _of_parameter(part, facts, True))
            yield from _of_parts(facts, root, depth + 1)


def _of_parameter(schema: Any, facts: dict[str, Any], nested: bool) -> Iterator[str]:
    yield from (key for key in facts if key in _AS_THEY_ARE)
    kind, items = facts.get("type"), facts.get("items")
    found = {
        "$ref": schema is not facts,
        "no type": not _TYPED & facts.keys(),
        "list of types": is_array(kind),
        "integer": kind == "integer",
        "items": is_object(items) and bool(items),
        "items, objects": bool(members(items)),
        "properties, nested": bool(members(facts)),
        "map": is_object(facts.get("additionalProperties")),
        "additionalProperties: false": facts.get("additionalProperties") is False,
        "nested description": nested and bool(facts.get("description")),
        "parameter description": not nested and bool(facts.get("description")),
    }
    yield from (name for name, is_there in found.items() if is_there)
