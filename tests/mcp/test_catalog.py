"""Lists of tools in all shapes: within their tokens, and with schemas that accept the same."""

import json
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from mckp import tokenizers
from mckp.agents.mcp import CATALOGS, STRUCTURED
from mckp.agents.mcp.catalog import LEVELS, catalog, choose_levels, ladder, schema_result
from mckp.agents.mcp.servers import ProxySettings
from mckp.jsontext import dump
from tests.mcp.fakes import Through, first_text, full_server

COUNTER = tokenizers.get("o200k")


def full_list() -> list[dict[str, Any]]:
    async def main() -> list[dict[str, Any]]:
        async with Client(full_server()) as client:
            tools = (await client.list_tools()).tools
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    return anyio.run(main)


DEFINITIONS = full_list()
ARGUMENTS: list[dict[str, Any]] = [{}, {"count": 3}, {"count": "x"}, {"city": "Oslo"}, {"to": 1.5}]


def accepts(definition: dict[str, Any], args: Any) -> bool:
    checker: Any = Draft202012Validator(definition["inputSchema"])
    return bool(checker.is_valid(args))


@pytest.mark.parametrize("shape", CATALOGS)
@pytest.mark.parametrize("budget", [700, 900, 1300])
def test_budgets_hold(shape: str, budget: int) -> None:
    """Each shape of catalog keeps its budget, and its tokens are those of its JSON."""
    settings = ProxySettings(catalog=shape, tools_budget=budget)
    made = catalog({"full": DEFINITIONS}, settings, COUNTER, several=False)
    assert made.tokens == COUNTER.count(dump(made.tools)) <= budget
    assert made.tokens_before == COUNTER.count(dump(DEFINITIONS))


def test_the_same_list_is_the_same() -> None:
    """By default, a list gets one more tool and loses output schemas; all else is unchanged."""
    made = catalog({"full": DEFINITIONS}, ProxySettings(), COUNTER, several=False)
    bare = [
        {k: v for k, v in definition.items() if k != "outputSchema"} for definition in DEFINITIONS
    ]
    assert made.tools[:-1] == bare != DEFINITIONS
    assert made.tools[-1]["name"] == "recall"
    settings = ProxySettings(structured={"": "keep"}, recall=False)
    assert catalog({"full": DEFINITIONS}, settings, COUNTER, several=False).tools == DEFINITIONS


@pytest.mark.parametrize("shape", CATALOGS)
@pytest.mark.parametrize("way", STRUCTURED)
def test_schemas_demand_only_what_is_sent(shape: str, way: str) -> None:
    """Where structured content may be dropped, no list says that it comes."""
    settings = ProxySettings(catalog=shape, structured={"full": "drop", "full.weather": way})
    made = catalog({"full": DEFINITIONS}, settings, COUNTER, several=False)
    assert ("outputSchema" in made.routes["weather"].definition) == (way == "keep")
    if way != "keep":
        assert "outputSchema" not in dump(made.tools)


def test_tools_can_ask_for_fields() -> None:
    """Tools take fields under a name that no own argument has; the server never sees it."""
    with_fields: dict[str, Any] = {
        "name": "own",
        "inputSchema": {"type": "object", "properties": {"fields": {}}},
    }
    odd = {"name": "odd", "inputSchema": True}
    settings = ProxySettings(ask_fields=True)
    made = catalog({"full": [*DEFINITIONS, with_fields, odd]}, settings, COUNTER, several=False)
    assert {route.fields for route in made.routes.values()} == {"fields", "mckp_fields"}
    for route in made.routes.values():
        wanted = {"fields", "mckp_fields"} if route.tool == "own" else {"fields"}
        assert wanted <= set(route.definition["inputSchema"]["properties"])
        Draft202012Validator.check_schema(route.definition["inputSchema"])
    plain = catalog({"full": DEFINITIONS}, ProxySettings(), COUNTER, several=False)
    assert not any(route.fields for route in plain.routes.values())


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition["name"])
def test_levels_accept_the_same(definition: dict[str, Any]) -> None:
    """Each level of a schema but the last one accepts the same arguments."""
    steps = ladder(definition, COUNTER)
    assert [step.level for step in steps] == list(LEVELS)
    assert [step.tokens for step in steps] == sorted((s.tokens for s in steps), reverse=True)
    for step in steps:
        assert step.tokens == COUNTER.count(dump(step.definition))
        Draft202012Validator.check_schema(step.definition["inputSchema"])
        assert step.definition["inputSchema"]["type"] == "object"
    for args in ARGUMENTS:
        wanted = accepts(definition, args)
        accepted = [accepts(step.definition, args) for step in steps]
        assert accepted[:-1] == [wanted] * (len(steps) - 1)
        assert accepted[-1]


def test_more_budget_says_more() -> None:
    """A larger budget describes at least as many tools in full."""
    steps = [ladder(definition, COUNTER) for definition in DEFINITIONS]
    by_budget = [choose_levels(steps, budget) for budget in (200, 500, 800, 1200)]
    said = [sum(tool.level == "full" for tool in tools) for tools in by_budget]
    assert said == sorted(said)
    assert said[-1] > said[0]


def test_names_do_not_collide() -> None:
    """The proxy's own tools and those of several servers get names of their own."""
    theirs = {"name": "recall", "inputSchema": {"type": "object"}}
    made = catalog({"full": [theirs]}, ProxySettings(), COUNTER, several=False)
    assert [tool["name"] for tool in made.tools] == ["recall", "mckp_recall"]
    assert made.own_tools == {"mckp_recall": "recall"}
    both = catalog({"a": [theirs], "b": [theirs]}, ProxySettings(), COUNTER, several=True)
    assert list(both.routes) == ["a__recall", "b__recall"]


def test_definitions_can_be_asked_for() -> None:
    """The full definition of a tool can be asked for; for an unknown name, the known ones come."""
    settings = ProxySettings(catalog="on-demand")
    made = catalog({"full": DEFINITIONS}, settings, COUNTER, several=False)
    said = json.loads(schema_result(made, "list_jobs")["content"][0]["text"])
    assert said["description"] == DEFINITIONS[0]["description"]
    assert "count" in said["inputSchema"]["properties"]
    wrong = schema_result(made, "nothing")
    assert wrong["isError"] is True
    assert "list_jobs" in wrong["content"][0]["text"]


def test_schemas_that_are_none_are_mended_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """A tool without a valid schema gets an open one, with a warning for each."""
    odd: list[dict[str, Any]] = [
        {"name": "odd", "inputSchema": "no schema"},
        {"name": "even", "inputSchema": {}},
    ]
    made = catalog({"full": odd}, ProxySettings(catalog="json"), COUNTER, several=False)
    schema = {"type": "object"}
    assert made.tools[:2] == [{**tool, "inputSchema": schema} for tool in odd]
    assert caplog.text.count("invalid tool definition was repaired") == 2


@pytest.mark.parametrize("shape", CATALOGS)
async def test_tools_can_be_called_in_every_shape(shape: str) -> None:
    """A tool can be called and its schema asked for, whatever the shape of the catalog."""
    keep = {"": "keep"}
    settings = ProxySettings(catalog=shape, tools_budget=900, structured=keep)
    async with Client(Through({"full": full_server()}, settings)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("weather", {"city": "Oslo"})
        assert result.structured_content is not None
        assert result.structured_content["city"] == "Oslo"
        if "tool_schema" in names:
            schema = await client.call_tool("tool_schema", {"name": "weather"})
            assert '"city"' in first_text(schema)
