"""Several servers look like one."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from mckp.answers.primer import instruction
from tests.mcp.fakes import Through, full_server, said

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated as of 2026-07-28")


async def test_all_is_there_under_names_of_servers() -> None:
    """Tools and prompts carry the name of their server; resources keep their addresses."""
    way = Through({"one": full_server("one"), "two": full_server("two")})
    async with Client(way) as client:
        assert client.instructions == (
            f"# one\nThis is one.\n\n# two\nThis is two.\n\n{instruction('native')}"
        )
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"one__list_jobs", "two__list_jobs", "recall"} <= tools
        prompts = [each.name for each in (await client.list_prompts()).prompts]
        assert prompts == ["one__greet", "two__greet"]
        said = await client.get_prompt("two__greet", {"name": "Ada"})
        assert said.messages[0].content.text == "Say hello to Ada."  # type: ignore[union-attr]
        about = PromptReference(type="ref/prompt", name="one__greet")
        found = await client.complete(about, {"name": "name", "value": "A"})
        assert found.completion.values == ["A!"]
        page = ResourceTemplateReference(type="ref/resource", uri="fake://{name}/page")
        found = await client.complete(page, {"name": "name", "value": "B"})
        assert found.completion.values == ["B!"]
        with pytest.raises(MCPError):
            await client.get_prompt("three__greet", {})
        with pytest.raises(MCPError):
            await client.call_tool("three__x", {})


async def test_resources_are_found() -> None:
    """By who has listed them, and else by asking."""
    way = Through({"one": full_server("one"), "two": full_server("two")})
    async with Client(way) as client:
        page = await client.read_resource("fake://moon/page")
        assert page.contents[0].text == "the page of moon"  # type: ignore[union-attr]
        assert len((await client.list_resources()).resources) == 2
        assert len((await client.list_resource_templates()).resource_templates) == 2
        found = await client.read_resource("fake://pictures")
        assert found.contents[0].text.startswith("a resource of ")  # type: ignore[union-attr]
        with pytest.raises(MCPError):
            await client.read_resource("fake://nothing")


async def test_results_share_a_session() -> None:
    """What one server has said already, the other need not say again."""
    way = Through({"one": full_server("one"), "two": full_server("two")})
    async with Client(way) as client:
        first = await client.call_tool("one__list_jobs", {})
        again = await client.call_tool("two__list_jobs", {})
        assert said(first).startswith("> [#1 ")
        assert said(again).startswith("> [ref #1]")
        assert way.session.recall(1).startswith('[{"id": 0')


async def test_a_server_may_be_named_as_a_tool() -> None:
    """Names with underscores are told apart by the list."""
    way = Through({"a": full_server("a"), "a__b": full_server("b")})
    async with Client(way) as client:
        await client.list_tools()
        assert "10 files" not in said(await client.call_tool("a__b__read_log", {"lines": 1}))
