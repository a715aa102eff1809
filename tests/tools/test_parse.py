"""Tool lists in every shape, and what is said of those that are none."""

from __future__ import annotations

from typing import Any

import pytest

from mckp import DataError, ParseError
from mckp.errors import ToolError
from mckp.jsontext import dump
from mckp.tools import Tool, encode_tools, parse_tools

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
MCP = {"name": "now", "description": "The time.", "inputSchema": SCHEMA}
SHAPES: dict[str, dict[str, Any]] = {
    "mcp": {**MCP, "outputSchema": {"type": "string"}, "annotations": {"a": 1}, "title": "T"},
    "anthropic": {
        "name": "now",
        "input_schema": SCHEMA,
        "output_schema": {"type": "string"},
        "type": "custom",
        "cache_control": {"type": "ephemeral"},
    },
    "openai": {
        "type": "function",
        "function": {"name": "now", "parameters": SCHEMA, "strict": True},
        "cache_control": {"type": "ephemeral"},
    },
    "responses": {"type": "function", "name": "now", "parameters": SCHEMA, "strict": False},
    "function": {"name": "now", "description": "", "parameters": {}},
    "bare": {"name": "now", "type": "web_search_20250305", "max_uses": 5},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_known_and_can_be_written_again(shape: str) -> None:
    (tool,) = parse_tools([SHAPES[shape]])
    assert (tool.name, tool.shape) == ("now", shape)
    assert tool.definition() == SHAPES[shape]
    assert parse_tools(dump([tool.definition()])) == [tool]


@pytest.mark.parametrize(
    "data",
    [
        [MCP],
        {"now": MCP},
        {"now": {key: MCP[key] for key in ("description", "inputSchema")}},
        MCP,
        {"tools": [MCP]},
        {"tools": {"now": MCP}},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP], "nextCursor": None}},
        dump([MCP]),
        dump([MCP]).encode(),
        [{**MCP, "title": None}],
        [Tool("now", "The time.", SCHEMA, None, {}, {}, "mcp", frozenset({"annotations"}))],
    ],
)
def test_lists_maps_and_envelopes_are_the_same(data: Any) -> None:
    assert [tool.definition() for tool in parse_tools(data)] == [MCP]


def test_absent_and_empty_stay_apart() -> None:
    absent, empty = parse_tools(
        [{"name": "a"}, {"name": "b", "description": "", "inputSchema": {}}]
    )
    assert absent.absent == {"description", "parameters", "annotations"}
    assert empty.absent == {"annotations"}
    assert (absent.parameters, absent.description) == (empty.parameters, empty.description)


def test_a_tool_that_is_called_tools_is_no_envelope() -> None:
    assert [tool.name for tool in parse_tools({"tools": {"name": "tools"}})] == ["tools"]
    assert [tool.name for tool in parse_tools({"tools": {"description": "Of the trade."}})] == [
        "tools"
    ]


def test_an_empty_catalog_is_one() -> None:
    assert parse_tools([]) == parse_tools({}) == parse_tools({"tools": []}) == []


_WRONG: list[tuple[Any, str]] = [
    (3, "a list of tools is needed, not an integer at $"),
    ("[1]", "the definition of a tool is needed, not an integer at $[0]"),
    ([MCP, {"description": "x"}], "a tool without a name at $[1].name"),
    ([{"name": ""}], "an empty name at $[0].name"),
    ([{"name": 7}], "a string is needed, not an integer at $[0].name"),
    ([{"name": "a", "description": ["x"]}], "a string is needed, not an array at $[0].descri"),
    ([{"name": "a", "inputSchema": True}], "an object is needed, not a boolean at $[0].inputS"),
    (
        [{"name": "a", "inputSchema": {}, "parameters": {}}],
        "inputSchema and parameters at $[0]",
    ),
    ([MCP, MCP], "the name 'now' of the tool at $[0] stands again at $[1].name"),
    ({"a": {"name": "b"}}, "the name 'b' of a tool that is listed as 'a' at $.a.name"),
    ({"tools": [MCP], "nextCursor": "x"}, "the list goes on"),
    ({"tools": [MCP], "model": "m"}, "an unknown member beside 'tools' at $.model"),
    ({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}, "an error of the server"),
    ([{"type": "function", "function": 3}], "an object is needed, not an integer at $[0].func"),
]


@pytest.mark.parametrize(("data", "message"), _WRONG)
def test_errors_say_what_and_where(data: Any, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_tools(data)
    assert message in str(caught.value)


def test_schemas_may_be_deep_but_not_bottomless() -> None:
    deep: Any = {"type": "string"}
    for _ in range(99):
        deep = {"items": deep}
    assert encode_tools([{"name": "a", "inputSchema": deep}]).tokens > 99
    assert encode_tools([{"name": "a", "inputSchema": deep}], level="typed").tokens > 99
    with pytest.raises(ToolError, match="deeper than 100 levels"):
        parse_tools([{"name": "a", "inputSchema": {"items": deep}}])


def test_what_is_no_json_is_refused_as_everywhere() -> None:
    with pytest.raises(ParseError):
        parse_tools("tools: none")
    with pytest.raises(DataError):
        parse_tools([{"name": "a", "inputSchema": {"default": float("nan")}}])
