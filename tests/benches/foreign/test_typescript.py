"""TypeScript: golden texts, and types that are never wrong."""

from __future__ import annotations

from typing import Any

import pytest
from foreign.ts_namespace import ProseTypes, ts_namespace
from hypothesis import given

from mckp.tools.renderings.typescript import Types, ts_lines
from tests.tools.harbour import HARBOUR
from tests.tools.strategies import schemas


def test_namespace() -> None:
    """A type a tool; descriptions and defaults are comments."""
    assert ts_namespace(HARBOUR) == (
        "namespace functions {\n\n"
        "// Get the tide at a place\n"
        "type get_tide = (_: {\n"
        "place: string,\n"
        'unit?: "metre" | "foot",\n'
        "// Which time zone.\n"
        'zone?: string, // default: "UTC"\n'
        "}) => any;\n\n"
        "// Book a berth for a ship. It cannot be undone.\n"
        "type book_berth = (_: {\n"
        "// The id, as list_ships has it\n"
        "ship_id: number,\n"
        "office: {\n"
        "street: string,\n"
        "city: string,\n"
        "floor?: number,\n"
        "},\n"
        "notes?: string[],\n"
        "}) => any;\n\n"
        "// This tool will list ships\n"
        "type list_ships = () => any;\n\n"
        "} // namespace functions"
    )


def test_lines() -> None:
    """A line a tool, with what it does or without."""
    lines = ts_lines(HARBOUR).split("\n")
    assert lines[0] == (
        'get_tide(place: string, unit?: "metre" | "foot", zone?: string) // Get the tide at a place'
    )
    assert lines[2] == "list_ships() // This tool will list ships"
    assert ts_lines(HARBOUR, descriptions=False).split("\n")[1] == (
        "book_berth(ship_id: number, office: { street: string, city: string, floor?: number }, "
        "notes?: string[])"
    )


_PLACE = {"properties": {"x": {"$ref": "#/$defs/lat"}}}
_ROOT: Any = {"$defs": {"lat": {"type": "number"}, "place": _PLACE, "me": {"$ref": "#/$defs/me"}}}


_TYPES: list[tuple[Any, str]] = [
    ({"anyOf": [{"type": "string"}, {"type": "string", "minLength": 1}]}, "string"),
    ({"oneOf": [{"const": "a"}, {"const": 1}]}, '"a" | 1'),
    ({"allOf": [{"properties": {"a": {}}}, {"type": "null"}]}, "{ a?: any } & null"),
    ({"anyOf": [{"type": "string"}, {}]}, "any"),
    ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}, "{ a?: any }"),
    ({"properties": {"a": {}}, "anyOf": [{"type": "null"}]}, "{ a?: any } & (null)"),
    ({"$ref": "#/$defs/place"}, "{ x?: number }"),
    ({"$ref": "#/$defs/me"}, "any"),
    ({"$ref": "http://elsewhere"}, "any"),
    ({"type": "array", "prefixItems": [{"type": "string"}, True]}, "[string, any]"),
    ({"type": "array"}, "any[]"),
    ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
    ({"type": ["object", "array"]}, "object | any[]"),
    ({"enum": []}, "never"),
    (False, "never"),
    ({"properties": {"at-once": {}}}, '{ "at-once"?: any }'),
]


@pytest.mark.parametrize(("schema", "text"), _TYPES)
def test_types(schema: Any, text: str) -> None:
    """Each schema has a type that takes whatever it takes."""
    assert Types(_ROOT).of(schema) == text


def test_references_end() -> None:
    """References within references are followed as far as is allowed."""
    assert Types(_ROOT, refs=1).of({"$ref": "#/$defs/place"}) == "{ x?: any }"


@given(schemas)
def test_any_schema_has_a_type(schema: Any) -> None:
    """Whatever a schema says, there is a type, with prose and without."""
    for types in (Types, ProseTypes):
        assert types(schema).of(schema)
