"""Tool lists in every shape, and what is said of those that are none."""

from typing import Any

import pytest

from mckp import DataError, ParseError
from mckp.errors import ToolError
from mckp.jsontext import dump
from mckp.tools import Tool, encode_tools, parse_tools
from tests.cases import cases

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
MCP = {"name": "now", "description": "The time.", "inputSchema": SCHEMA}
SHAPES: dict[str, dict[str, Any]] = cases(__file__, "SHAPES")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_known_and_can_be_written_again(shape: str) -> None:
    """Each shape of a definition is recognized and written back as it was."""
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
    """Lists, maps, envelopes, texts and bytes hold the same tools."""
    assert [tool.definition() for tool in parse_tools(data)] == [MCP]


def test_absent_and_empty_stay_apart() -> None:
    """A tool remembers which members were absent and not empty."""
    absent, empty = parse_tools(
        [{"name": "a"}, {"name": "b", "description": "", "inputSchema": {}}]
    )
    assert absent.absent == {"description", "parameters", "annotations"}
    assert empty.absent == {"annotations"}
    assert (absent.parameters, absent.description) == (empty.parameters, empty.description)


def test_a_tool_that_is_called_tools_is_no_envelope() -> None:
    """A tool named "tools" is read as a tool."""
    assert [tool.name for tool in parse_tools({"tools": {"name": "tools"}})] == ["tools"]
    assert [tool.name for tool in parse_tools({"tools": {"description": "Of the trade."}})] == [
        "tools"
    ]


def test_an_empty_catalog_is_one() -> None:
    """A catalog may be empty in each shape."""
    assert parse_tools([]) == parse_tools({}) == parse_tools({"tools": []}) == []


_WRONG: list[tuple[Any, str]] = [
    *cases(__file__, "_WRONG"),
    ([MCP, MCP], "the name 'now' of the tool at $[0] occurs again"),
]


@pytest.mark.parametrize(("data", "message"), _WRONG)
def test_errors_say_what_and_where(data: Any, message: str) -> None:
    """An error about a catalog says what is wrong and where."""
    with pytest.raises(ToolError) as caught:
        parse_tools(data)
    assert message in str(caught.value)


def test_schemas_may_be_deep_but_not_bottomless() -> None:
    """Schemas of 100 levels are encoded; deeper ones are an error."""
    deep: Any = {"type": "string"}
    for _ in range(99):
        deep = {"items": deep}
    assert encode_tools([{"name": "a", "inputSchema": deep}]).tokens > 99
    assert encode_tools([{"name": "a", "inputSchema": deep}], level="typed").tokens > 99
    with pytest.raises(ToolError, match="deeper than 100 levels"):
        parse_tools([{"name": "a", "inputSchema": {"items": deep}}])


def test_what_is_no_json_is_refused_as_everywhere() -> None:
    """Texts that are no JSON and values that JSON lacks are errors."""
    with pytest.raises(ParseError):
        parse_tools("tools: none")
    with pytest.raises(DataError):
        parse_tools([{"name": "a", "inputSchema": {"default": {1, 2}}}])


def test_data_that_are_no_tools_are_refused() -> None:
    """An object whose members describe no tool is other data, not a map of tools."""
    with pytest.raises(ToolError, match="expected definitions of tools"):
        encode_tools({"server": {"host": "a", "port": 1}})
    assert encode_tools({"get": {"description": "Gets."}, "put": {}}).text
