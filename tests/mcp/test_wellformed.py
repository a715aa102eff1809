"""Ill-formed definitions cost no other server its tools, and no proxy its life."""

from typing import Any

import pytest
from mcp_types import ListPromptsResult, ListResourcesResult, ListToolsResult

from mckp import tokenizers
from mckp.agents.mcp.catalog import catalog
from mckp.agents.mcp.many import greeting, merged_list
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.wellformed import repair_item

GOOD = {"name": "good", "description": "Does it.", "inputSchema": {"type": "object"}}
COUNTER = tokenizers.get("o200k")
ODD: list[Any] = [
    {"name": "a"},
    {"name": "a", "inputSchema": {}},
    {"name": "a", "inputSchema": None},
    {"name": "a", "inputSchema": []},
    {"name": "a", "inputSchema": [{"type": "object"}]},
    {"name": "a", "inputSchema": {"type": "array"}},
    {"name": "a", "inputSchema": {"type": ["object", "null"]}},
    {"name": "a", "inputSchema": {"type": "object", "properties": []}},
    {"name": "a", "inputSchema": {"type": "object", "properties": None}},
    {"name": "a", "inputSchema": {"type": "object", "properties": {"x": True, "y": 7}}},
    {"name": "a", "inputSchema": {"type": "object", "required": "x"}},
    {"name": "a", "inputSchema": {"type": "object", "required": [1]}},
    {**GOOD, "name": "a", "description": 7},
    {**GOOD, "name": "a", "description": None},
    {**GOOD, "name": "a", "title": []},
    {**GOOD, "name": "a", "_meta": None},
    {**GOOD, "name": "a", "_meta": "x"},
    {**GOOD, "name": "a", "_meta": {"anthropic/maxResultSizeChars": "many"}},
    {**GOOD, "name": "a", "annotations": None},
    {**GOOD, "name": "a", "annotations": {"readOnlyHint": "yes"}},
    {**GOOD, "name": "a", "annotations": {"title": 3}},
    {**GOOD, "name": "a", "outputSchema": None},
    {**GOOD, "name": "a", "outputSchema": {"type": "string"}},
    {**GOOD, "name": "a", "icons": [{"mimeType": "image/png"}, 7]},
    {**GOOD, "name": "a", "icons": "x"},
]
NONE: list[Any] = [None, 7, "a", [], {}, {"name": 7}, {"name": None, "inputSchema": {}}]


@pytest.mark.parametrize("shape", ["same", "json", "on-demand"])
@pytest.mark.parametrize("odd", [*ODD, *NONE], ids=str)
def test_a_list_with_an_odd_tool_is_valid(odd: Any, shape: str) -> None:
    """A list with a malformed tool is valid, and has the other tools of both servers."""
    settings = ProxySettings({"": 20_000}, catalog=shape, tools_budget=9_000)
    made = catalog({"one": [odd], "two": [GOOD]}, settings, COUNTER, several=True)
    names = [tool.name for tool in ListToolsResult.model_validate({"tools": made.tools}).tools]
    assert names[-2 if shape != "on-demand" else -3 :][0] == "two__good"
    assert ("one__a" in names) == (odd not in NONE)
    for tool in made.tools:
        assert tool["inputSchema"]["type"] == "object"
        assert all(
            isinstance(member, dict)
            for member in tool["inputSchema"].get("properties", {}).values()
        )
    assert repair_item(GOOD, "tools") is GOOD


def test_a_schema_that_cannot_be_read_leaves_the_shapes_of_others() -> None:
    """One whose members are odd deep inside was the end of ``--tools json`` for all."""
    good = {**GOOD, "description": "Does it. In a way that takes many words to say. " * 9}
    odd = {"name": "a", "inputSchema": {"type": "object", "properties": {"x": {"enum": 5}}}}
    odd["inputSchema"]["properties"]["x"]["properties"] = [[]]  # type: ignore[index]
    alone = catalog({"s": [good]}, ProxySettings(catalog="on-demand"), COUNTER, several=False)
    both = catalog({"s": [odd, good]}, ProxySettings(catalog="on-demand"), COUNTER, several=False)
    assert both.tools[1] == alone.tools[0]
    assert both.tools[1] != good


def test_other_lists_are_valid() -> None:
    """Joint lists of resources and prompts hold their valid entries alone."""
    resources = [{"uri": "a://b"}, {"name": "none"}, 7, {"uri": 3}, {"uri": "a://c", "size": "x"}]
    joined = merged_list({"one": resources, "two": [{"uri": "a://d", "name": "d"}]}, "resources")
    assert [resource.uri for resource in ListResourcesResult.model_validate(joined).resources] == [
        *("a://b", "a://c", "a://d")
    ]
    prompts = [{"name": "p", "arguments": [{"x": 1}, {"name": "a"}]}, {"title": "none"}]
    listing = merged_list({"one": prompts, "two": [{"name": "q"}]}, "prompts")
    names = [prompt.name for prompt in ListPromptsResult.model_validate(listing).prompts]
    assert names == ["one__p", "two__q"]


def test_an_odd_greeting_is_no_part_of_the_joint_one() -> None:
    """Invalid parts of one greeting are left out of the joint one."""
    odd = {"protocolVersion": "2025-06-18", "capabilities": {"tools": 5}, "instructions": {"a": 1}}
    good = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}}}
    joint = greeting({"odd": odd, "good": good})
    assert joint["capabilities"] == {"tools": {"listChanged": True}}
    assert "instructions" not in joint
