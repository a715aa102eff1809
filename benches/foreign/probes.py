"""Tools made to find out what a format says of each keyword: one with it and one without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Probe:
    """A keyword and two tools that differ in it alone.

    Attributes
    ----------
    present, absent : Tool
        The tool with the keyword and the same without.
    marks : tuple of str
        What stands in any text that says all of it.
    """

    present: Tool
    absent: Tool
    marks: tuple[str, ...]


def tool_with(schema: Any, *, required: bool = False) -> Tool:
    """Return a tool with one parameter.

    Examples
    --------
    >>> tool_with({"type": "string"}).parameters["properties"]
    {'zeta': {'type': 'string'}}
    """
    return _tool(parameters={"properties": {"zeta": schema}}, required=required)


def _tool(
    *,
    description: str = "Does it.",
    parameters: Mapping[str, Any] | None = None,
    required: bool = False,
    output: dict[str, Any] | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> Tool:
    schema: dict[str, Any] = {"type": "object", "properties": {}, **(parameters or {})}
    if required:
        schema["required"] = list(schema["properties"])
    return Tool("probe", description, schema, output, dict(annotations or {}), {}, "mcp")


_STRING: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_SIGMA: Final = {**_STRING, "description": "A sigma."}
_NESTED: Final = {"type": "object", "properties": {"omega": {"type": "boolean"}}}


def _on(base: dict[str, Any], marks: str, **added: Any) -> Probe:
    """Return a probe of keywords on a top-level parameter."""
    return Probe(tool_with({**base, **added}), tool_with(base), tuple(marks.split()))


def _instead(schema: Any, other: Any, marks: str = "") -> Probe:
    return Probe(tool_with(schema), tool_with(other), tuple(marks.split()))


def _said(text: str, marks: tuple[str, ...], without: str = "Does it.") -> Probe:
    return Probe(_tool(description=text), _tool(description=without), marks)


def _within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"omega": schema}}


def _referred(place: str) -> Tool:
    parameters = {"properties": {"zeta": {"$ref": place}}, "$defs": {"kappa": _NESTED}}
    return _tool(parameters=parameters)


_WORDS: Final = tuple(f"word{number}" for number in range(40))

PROBES: Final[Mapping[str, Probe]] = {
    "description": _said("Finds sigma.", ("Finds sigma",), "Finds."),
    "more sentences": _said("Does it. Finds sigma.", ("Finds sigma",)),
    "long description": _said(f"Does, e.g., {' '.join(_WORDS)}.", _WORDS, "Does, e.g., this."),
    "lines of a description": _said(
        "Does:\n- sigma\n- tau", ("- sigma", "- tau"), "Does: - sigma - tau"
    ),
    "parameter": Probe(tool_with(_STRING), _tool(), ("zeta",)),
    "required": Probe(tool_with(_STRING, required=True), tool_with(_STRING), ()),
    "type": _instead({"type": "boolean"}, _STRING, "bool"),
    "integer": _instead({"type": "integer"}, _NUMBER, "int"),
    "list of types": _instead({"type": ["boolean", "null"]}, {"type": "boolean"}, "null"),
    "anyOf": _instead({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, {}, "bool null"),
    "oneOf": _instead({"oneOf": [{"type": "boolean"}, {"type": "null"}]}, {}, "bool null"),
    "allOf": _instead({"allOf": [_NESTED, _within(_STRING)]}, {}, "omega"),
    "$ref": Probe(_referred("#/$defs/kappa"), tool_with({}), ("omega", "bool")),
    "const": _instead({"const": "sigma"}, {}, "sigma"),
    "no type": _instead({}, {"type": "array"}),
    "enum": _on(_STRING, "sigma tau", enum=["sigma", "tau"]),
    "enum, 1 and '1'": _instead({"enum": ["1", 2]}, {"enum": [1, 2]}, '"1"'),
    "nested enum": _instead(_within({"enum": ["sigma"]}), _within({}), "sigma"),
    "default": _on(_STRING, "sigma", default="sigma"),
    "minimum": _on(_NUMBER, "417", minimum=417),
    "maximum": _on(_NUMBER, "417", maximum=417),
    "exclusiveMinimum": _on(_NUMBER, "417", exclusiveMinimum=417),
    "exclusiveMaximum": _on(_NUMBER, "417", exclusiveMaximum=417),
    "multipleOf": _on(_NUMBER, "417", multipleOf=417),
    "minLength": _on(_STRING, "417", minLength=417),
    "maxLength": _on(_STRING, "417", maxLength=417),
    "pattern": _on(_STRING, "s+igma", pattern="s+igma"),
    "format": _on(_STRING, "uuid", format="uuid"),
    "items": _on({"type": "array"}, "bool", items={"type": "boolean"}),
    "items, objects": _on({"type": "array"}, "omega bool", items=_NESTED),
    "minItems": _on({"type": "array"}, "417", minItems=417),
    "maxItems": _on({"type": "array"}, "417", maxItems=417),
    "uniqueItems": _on({"type": "array"}, "uniq", uniqueItems=True),
    "properties, nested": _on({"type": "object"}, "omega bool", properties=_NESTED["properties"]),
    "required, nested": _on(_NESTED, "", required=["omega"]),
    "map": _on({"type": "object"}, "bool", additionalProperties={"type": "boolean"}),
    "additionalProperties: false": _on({"type": "object"}, "false", additionalProperties=False),
    "parameter description": _instead(_SIGMA, _STRING, "sigma"),
    "nested description": _instead(_within(_SIGMA), _within(_STRING), "sigma"),
    "description in a union": _instead(
        {"anyOf": [_within(_SIGMA), {"type": "null"}]},
        {"anyOf": [_within(_STRING), {"type": "null"}]},
        "sigma",
    ),
    "bounds in a union": _instead(
        {"anyOf": [{**_NUMBER, "minimum": 417}, {"type": "null"}]},
        {"anyOf": [_NUMBER, {"type": "null"}]},
        "417",
    ),
    "not": _on(_STRING, "sigma", **{"not": {"const": "sigma"}}),
    "if": _on(_STRING, "sigma", **{"if": {"const": "sigma"}, "then": False}),
    "patternProperties": _on({"type": "object"}, "sigma", patternProperties={"sigma": {}}),
    "title": _on(_STRING, "Sigma", title="Sigma"),
    "examples": _on(_STRING, "sigma", examples=["sigma"]),
    "deprecated": _on(_STRING, "deprecated", deprecated=True),
    "output": Probe(_tool(output=_NESTED), _tool(), ("omega",)),
    "annotations": Probe(_tool(annotations={"readOnlyHint": True}), _tool(), ("readOnly",)),
}
"""By keyword, or what stands for a group of them."""
