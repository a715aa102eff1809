"""A client sees the same through the proxy, but for shorter texts."""

import json
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    CreateMessageResult,
    ElicitResult,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
)

from mckp import decode, tokenizers
from mckp.agents.mcp.desk import REFERENCE
from mckp.agents.mcp.messages import cancellation
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.session import Reader, Session
from mckp.answers.primer import instruction
from tests.cases import cases
from tests.mcp.fakes import Through, first_text, full_server, rows, text

# Logging, sampling and roots still are what most servers have.
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated as of 2026-07-28")

CALLS: list[tuple[str, dict[str, Any]]] = cases(__file__, "CALLS")
MODES = ("auto", "legacy")


def read(reader: Reader, block: Any) -> Any:
    if not isinstance(block, TextContent):
        return block
    return reader.read(block.text)


def plain(block: Any) -> Any:
    if not isinstance(block, TextContent):
        return block
    return json.loads(block.text) if block.text.startswith(("[", "{")) else block.text


@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_says_the_same(mode: str) -> None:
    """Texts read back to the same, and all that is no text for the model is the same."""
    server = full_server()
    async with (
        Client(server, mode=mode) as direct,
        Client(
            Through({"full": full_server()}, ProxySettings(structured={"": "keep"})), mode=mode
        ) as client,
    ):
        reader = Reader()
        listed = (await direct.list_tools()).tools
        assert (await client.list_tools()).tools[:-1] == listed
        for name, args in CALLS:
            wanted, received = (
                await direct.call_tool(name, args),
                await client.call_tool(name, args),
            )
            assert received.structured_content == wanted.structured_content
            assert (received.is_error, received.meta) == (wanted.is_error, wanted.meta)
            for given, block in zip(wanted.content, received.content, strict=True):
                assert _same(read(reader, block), plain(given)), (name, block)


def _same(actual: Any, expected: Any) -> bool:
    if isinstance(actual, str) and not isinstance(expected, str):
        return bool(json.loads(actual) == expected)
    return bool(actual == expected)


@pytest.mark.parametrize("mode", MODES)
async def test_texts_get_shorter_and_repeats_are_referred_to(mode: str) -> None:
    """Results are encoded, repeated ones become references, and recall pages through them."""
    async with Client(Through({"full": full_server()}), mode=mode) as client:
        first, again = [first_text(await client.call_tool("list_jobs", {})) for _ in range(2)]
        assert first.startswith("> [#1 as compact]\n")
        assert again.startswith("> [ref #1]")
        given = await client.call_tool("recall", {"handle": "#1", "offset": 2, "limit": 2})
        answer, _, rest = first_text(given).partition("> [+")
        assert decode(answer) == rows(2, 2)
        assert rest.startswith("26 of 30 rows")


@pytest.mark.parametrize("mode", MODES)
async def test_what_is_no_tool_is_relayed(mode: str) -> None:
    """Resources, prompts, completions, errors are the server's; instructions come above ours."""
    async with (
        Client(full_server(), mode=mode) as direct,
        Client(Through({"full": full_server()}), mode=mode) as client,
    ):
        assert await client.list_resources() == await direct.list_resources()
        assert await client.list_resource_templates() == await direct.list_resource_templates()
        assert await client.list_prompts() == await direct.list_prompts()
        for uri in ("fake://pictures", "fake://moon/page"):
            assert await client.read_resource(uri) == await direct.read_resource(uri)
        assert await client.get_prompt("greet", {"name": "Ada"}) == await direct.get_prompt(
            "greet", {"name": "Ada"}
        )
        about, said = (
            PromptReference(type="ref/prompt", name="greet"),
            {"name": "name", "value": "A"},
        )
        assert await client.complete(about, said) == await direct.complete(about, said)
        assert client.instructions == f"{direct.instructions}\n\n{instruction('native')}{REFERENCE}"
        with pytest.raises(MCPError):
            await client.read_resource("fake://nothing")


async def test_servers_may_ask_and_log() -> None:
    """Progress, logs and questions of a server reach the client."""
    logs: list[Any] = []
    steps: list[tuple[float, float | None]] = []

    async def on_log(params: Any) -> None:
        logs.append(params.data)

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        del message
        steps.append((progress, total))

    async def on_elicit(context: Any, params: Any) -> ElicitResult:
        del context
        assert params.message == "Which colour?"
        return ElicitResult(action="accept", content={"colour": "green"})

    client = Client(
        Through({"full": full_server()}),
        mode="legacy",
        logging_callback=on_log,
        elicitation_callback=on_elicit,
    )
    async with client:
        await client.call_tool("count", {"to": 3}, progress_callback=on_progress)
        chosen = await client.call_tool("wish", {})
        assert first_text(chosen) == "chosen: green"
        await anyio.sleep(0)
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert logs == ["counted 1", "counted 2", "counted 3"]


async def test_sampling_is_relayed() -> None:
    """A server's request to sample reaches the client, and its reply the server."""

    async def on_sample(context: Any, params: Any) -> CreateMessageResult:
        del context
        said = params.messages[0].content.text
        return CreateMessageResult(
            role="assistant", content=TextContent(type="text", text=f"re: {said}"), model="m"
        )

    server = MCPServer("asks")

    @server.tool(structured_output=False)
    async def think(ctx: Context) -> str:
        message = SamplingMessage(role="user", content=TextContent(type="text", text="why?"))
        message_created: Any = await ctx.session.create_message(  # pyright: ignore[reportDeprecated]
            messages=[message], max_tokens=9
        )
        return str(message_created.content.text)

    way = Through({"asks": server, "full": full_server()})
    async with Client(way, mode="legacy", sampling_callback=on_sample) as client:
        result = await client.call_tool("asks__think", {})
        assert first_text(result) == "re: why?"


async def test_calls_at_the_same_time_keep_apart() -> None:
    """Each caller gets its own answer, and references point to what went out before."""
    results: dict[int, Any] = {}
    async with Client(Through({"full": full_server()})) as client:

        async def call(number: int) -> None:
            results[number] = await client.call_tool("list_jobs", {"first": number % 10})

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(call, number)
    texts = {number: result.content[0].text for number, result in results.items()}
    whole = {n: Reader().read(t) for n, t in texts.items() if not t.startswith("> [ref")}
    assert len(texts) == 40
    assert all(value == rows(30, number % 10) for number, value in whole.items())


async def test_what_is_cancelled_is_not_referred_to() -> None:
    """The server is notified, and a text that the host gave up is never said to be there."""
    way = Through({"full": full_server()})
    async with Client(way) as client:
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("sleep", {"seconds": 30})
        assert scope.cancelled_caught
        assert way.relay is not None
        while way.relay.waiting:  # or else `run` gives up
            await anyio.sleep(0.01)
        assert first_text(await client.call_tool("sleep", {"seconds": 0}))


async def test_late_cancellations_drop_what_was_delivered() -> None:
    """A host that cancels as the answer arrives throws it away: the next call gets it all."""
    way = Through({"full": full_server()})
    async with Client(way) as client:
        first = await client.call_tool("list_jobs", {})
        assert first_text(first).startswith("> [#1 ")
        relay = way.relay
        assert relay is not None
        (number,) = relay.sent
        await relay.handle_host_message(cancellation(number))
        again = await client.call_tool("list_jobs", {})
        assert first_text(again).startswith("> [#2 ")


@pytest.mark.parametrize("limits", [{}, {"": 90}])
async def test_a_failure_costs_no_result_and_no_budget(
    limits: dict[str, int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a limit results go through as they came, else their beginning and end do."""

    def fail(*args: Any, **more: Any) -> None:
        raise RuntimeError("no encoding today")

    monkeypatch.setattr(Session, "add", fail)
    proxy = Through({"full": full_server()}, ProxySettings(limits, {"": "keep"}))
    count = tokenizers.get("o200k").count
    async with Client(full_server()) as direct, Client(proxy) as client:
        for name, args in CALLS:
            wanted = await direct.call_tool(name, args)
            result = await client.call_tool(name, args)
            if not limits:
                assert result == wanted
                continue
            texts = [b.text for b in result.content if b.type == "text" and not b.annotations]
            assert sum(map(count, texts)) <= 90
            assert result.structured_content is None
    assert "no encoding today" in caplog.text
    assert "could not be encoded" in caplog.text


async def test_many_calls_leave_nothing_behind() -> None:
    """After 300 calls, nothing is open and the record of sent results is bounded."""
    way = Through({"full": full_server()})
    async with Client(way) as client:
        for number in range(300):
            result = await client.call_tool("list_jobs", {"count": 2, "first": number})
            assert str(number) in first_text(result)
        relay = way.relay
        assert relay is not None
        assert not relay.waiting
        assert not relay.encoding
        assert len(relay.sent) <= 256


async def test_what_is_recalled_is_limited_as_well() -> None:
    """The answer to a recall keeps the budget of the server."""
    settings = ProxySettings({"full": 90})
    async with Client(Through({"full": full_server()}, settings)) as client:
        await client.call_tool("list_jobs", {})
        recalled = first_text(await client.call_tool("recall", {"handle": "#1"}))
        assert 0 < tokenizers.get("o200k").count(recalled) <= 90


async def test_all_is_there_under_names_of_servers() -> None:
    """Tools and prompts carry the name of their server; resources keep their addresses."""
    way = Through({"one": full_server("one"), "two": full_server("two")})
    async with Client(way) as client:
        assert client.instructions == (
            f"# one\nThis is one.\n\n# two\nThis is two.\n\n{instruction('native')}{REFERENCE}"
        )
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"one__list_jobs", "two__list_jobs", "recall"} <= tools
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert prompts == ["one__greet", "two__greet"]
        said = await client.get_prompt("two__greet", {"name": "Ada"})
        assert said.messages[0].content.text == "Say hello to Ada."  # type: ignore[union-attr]
        about = PromptReference(type="ref/prompt", name="one__greet")
        completed = await client.complete(about, {"name": "name", "value": "A"})
        assert completed.completion.values == ["A!"]
        page = ResourceTemplateReference(type="ref/resource", uri="fake://{name}/page")
        completed = await client.complete(page, {"name": "name", "value": "B"})
        assert completed.completion.values == ["B!"]
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
        resource = await client.read_resource("fake://pictures")
        assert resource.contents[0].text.startswith("a resource of ")  # type: ignore[union-attr]
        with pytest.raises(MCPError):
            await client.read_resource("fake://nothing")


async def test_results_share_a_session() -> None:
    """A result that another server sent before is a reference."""
    way = Through({"one": full_server("one"), "two": full_server("two")})
    async with Client(way) as client:
        first = await client.call_tool("one__list_jobs", {})
        again = await client.call_tool("two__list_jobs", {})
        assert first_text(first).startswith("> [#1 ")
        assert first_text(again).startswith("> [ref #1]")
        assert way.session.recall(1).startswith('[{"id": 0')


async def test_a_server_may_be_named_as_a_tool() -> None:
    """A server whose name looks like a prefixed tool gets its own calls."""
    way = Through({"a": full_server("a"), "a__b": full_server("b")})
    async with Client(way) as client:
        await client.list_tools()
        assert "10 files" not in first_text(await client.call_tool("a__b__read_log", {"lines": 1}))


async def test_short_names_in_the_proxy() -> None:
    """The host sees names, and the server only ids; an unknown name is an error for the model."""
    server, seen = MCPServer("pages"), list[str]()
    page = "1f0c2a44-91d3-4c51-a7a5-0be2f2a4c1d7"

    @server.tool()
    def find() -> CallToolResult:
        """Find pages."""
        return text(json.dumps([{"page_id": page, "title": f"Ferry {n}"} for n in range(20)]))

    @server.tool()
    def archive(page_id: str) -> CallToolResult:
        """Archive a page."""
        seen.append(page_id)
        return text(f"archived {page_id}")

    async with Client(Through({"pages": server}, ProxySettings(short_names=True))) as client:
        assert "@p3" in (client.instructions or "")
        found = first_text(await client.call_tool("find", {}))
        assert "@p1" in found
        assert page not in found
        done = await client.call_tool("archive", {"page_id": "@p1"})
        assert (seen, first_text(done)) == ([page], "archived @p1")
        unknown = await client.call_tool("archive", {"page_id": "@p2"})
        assert unknown.is_error
        assert "@p2 is the short name of no id" in first_text(unknown)
        assert seen == [page]
