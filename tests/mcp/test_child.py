"""Servers that are processes, and do not behave."""

import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mckp.agents.mcp.link import link_to
from mckp.agents.mcp.pipes import MAX_BYTES
from mckp.agents.mcp.relay import Relay
from mckp.agents.mcp.revival import MOST
from mckp.agents.mcp.servers import ProxySettings, ServerSpec
from tests.mcp.fakes import Through, first_text, run

MISBEHAVING = str(Path(__file__).with_name("misbehaving.py"))


def spec(mode: str, size: int = 0) -> ServerSpec:
    return ServerSpec(mode, sys.executable, ("-S", MISBEHAVING, mode, str(size)))


@asynccontextmanager
async def before(
    *specs: ServerSpec, again: bool = False, **limits: int
) -> AsyncGenerator[tuple[Client, Relay]]:
    settings = ProxySettings({"": limits["limit"]} if limits else {}, patience=2)
    async with AsyncExitStack() as stack:
        links = [await stack.enter_async_context(link_to(server)) for server in specs]
        by_name = {server.name: server for server in specs}

        def connect(name: str) -> Any:
            return link_to(by_name[name])

        way = Through(
            {link.name: link for link in links}, settings, connect=connect if again else None
        )
        async with Client(way, mode="legacy") as client:
            assert way.relay is not None
            yield client, way.relay


async def test_a_server_that_crashes_is_an_error() -> None:
    """A call whose server crashes is an error, and the relay knows that it is lost."""
    async with before(spec("crash")) as (client, relay):
        assert "all is good" in first_text(await client.call_tool("good", {}))
        with pytest.raises(MCPError, match="'crash' has ended"):
            await client.call_tool("bad", {})
        await anyio.sleep(0.05)
        assert relay.is_lost


@pytest.mark.parametrize("other", [[], [spec("bytes")]])
async def test_a_server_that_ended_is_started_again(other: list[ServerSpec]) -> None:
    """The next call starts it, a few times; if it still ends, the proxy does, too."""
    prefix = "crash__" if other else ""
    async with before(spec("crash"), *other, again=True) as (client, relay):
        await client.list_tools()
        for _ in range(MOST):
            with pytest.raises(MCPError, match="'crash' has ended; the next call starts it again"):
                await client.call_tool(f"{prefix}bad", {})
            assert not relay.is_lost
            names = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
            assert f"{prefix}good" in names
            good = first_text(await client.call_tool(f"{prefix}good", {}))
            assert "all is good" in good or "the same text as #1" in good or good == "> [ref #1]"
        with pytest.raises(MCPError, match=r"'crash' has ended$"):
            await client.call_tool(f"{prefix}bad", {})
        await anyio.sleep(0.05)
        assert relay.is_lost is not bool(other)


async def test_calls_at_once_start_a_server_once() -> None:
    """Several calls that find their server gone share the one that is started."""
    async with before(spec("crash"), again=True) as (client, relay):
        with pytest.raises(MCPError, match="has ended"):
            await client.call_tool("bad", {})
        texts: list[str] = []

        async def call() -> None:
            texts.append(first_text(await client.call_tool("good", {})))

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(call)
        assert len(texts) == 5
        assert list(relay.links) == ["crash"]


async def test_a_server_that_does_not_start_again_is_an_error() -> None:
    """Each call that cannot start its server is answered, and the proxy ends after a few."""
    broken: dict[str, ServerSpec] = {}
    async with AsyncExitStack() as stack:
        link = await stack.enter_async_context(link_to(spec("crash")))
        broken["crash"] = ServerSpec("crash", "no such program anywhere")

        def connect(name: str) -> Any:
            return link_to(broken[name])

        way = Through({"crash": link}, connect=connect)
        async with Client(way, mode="legacy") as client:
            for _ in range(MOST + 1):
                with pytest.raises(MCPError, match="has ended"):
                    await client.call_tool("bad", {})
            await anyio.sleep(0.05)
            assert way.relay is not None
            assert way.relay.is_lost


async def test_a_list_is_answered_though_its_server_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was asked for is answered before the relay ends."""
    async with before(spec("listed")) as (client, relay):
        listing = relay.desk.list

        def slow(message: Any) -> Any:
            time.sleep(0.3)
            return listing(message)

        monkeypatch.setattr(relay.desk, "list", slow)
        assert "good" in {tool.name for tool in (await client.list_tools()).tools}


async def test_others_go_on() -> None:
    """After one server crashed, the others are listed and answer, and its tools are unknown."""
    async with before(spec("crash"), spec("bytes")) as (client, relay):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"crash__good", "bytes__good"} < names
        with pytest.raises(MCPError, match="'crash' has ended"):
            await client.call_tool("crash__bad", {})
        assert "all is good" in first_text(await client.call_tool("bytes__good", {}))
        names = {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
        assert names == {"bytes__good", "bytes__bad", "recall"}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("crash__good", {})
        assert not relay.is_lost


async def test_a_server_that_does_not_answer_holds_up_nobody() -> None:
    """A call that is cancelled leaves nothing open, and the next call is answered."""
    async with before(spec("hang")) as (client, relay):
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("bad", {})
        assert scope.cancelled_caught
        assert "all is good" in first_text(await client.call_tool("good", {}))
        assert not relay.waiting


async def test_a_server_that_never_greets_is_left_out() -> None:
    """A server that does not greet is left out of the list of tools."""
    async with before(spec("mute"), spec("bytes")) as (client, _):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"bytes__good", "bytes__bad", "recall"}


async def test_a_flood_is_survived() -> None:
    """An answer of five megabytes arrives, and so does the next one."""
    size = 5 << 20
    async with before(spec("flood", size)) as (client, _):
        assert len(first_text(await client.call_tool("bad", {}))) > size - 100
        assert "all is good" in first_text(await client.call_tool("good", {}))


@pytest.mark.parametrize("mode", ["hang", "endless", "spam", "noise", "flood", "asking", "crash"])
async def test_others_are_served_meanwhile(mode: str) -> None:
    """While one server misbehaves, another answers twenty calls."""
    async with (
        before(spec(mode, 20 << 20), spec("bytes"), limit=200) as (client, _),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(_call_ignoring_errors, client, f"{mode}__bad")
        for _ in range(20):
            text = first_text(await client.call_tool("bytes__good", {}))
            assert text.startswith(("> [#", "> [ref #"))
        tasks.cancel_scope.cancel()


async def _call_ignoring_errors(client: Client, name: str) -> None:
    with suppress(MCPError):
        await client.call_tool(name, {})


async def test_a_list_without_end_has_an_end() -> None:
    """A list of tools with endless pages is cut off."""
    async with before(spec("pages")) as (client, _):
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {"good", "bad", "recall"}


async def test_a_hundred_megabytes_are_a_text_like_any_other() -> None:
    """A text of a hundred megabytes is cut to its limit, and the next call is answered."""
    size = 100 << 20
    assert size < MAX_BYTES
    async with before(spec("flood", size), limit=200) as (client, _):
        text = first_text(await client.call_tool("bad", {}))
        assert len(text) < 4000
        assert "characters left out; handle #1]" in text
        assert "all is good" in first_text(await client.call_tool("good", {}))


async def test_noise_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    """Lines that are no messages are skipped with a warning, and the answer arrives."""
    async with before(spec("noise", 100_000)) as (client, _):
        assert first_text(await client.call_tool("bad", {})) == "after the noise"
    assert "sent an invalid message" in caplog.text


async def test_batches_are_taken_apart() -> None:
    """A caller that waits for a member of a batch gets it."""
    async with before(spec("batch")) as (client, _):
        assert first_text(await client.call_tool("bad", {})) == "of a batch"


async def test_garbage_is_no_endless_wait() -> None:
    """Garbage in place of an answer is an error for a single waiting call at once."""
    async with before(spec("garbage")) as (client, relay):
        with pytest.raises(MCPError, match="damaged"):
            await client.call_tool("bad", {})
        errors: list[str] = []

        async def call() -> None:
            try:
                await client.call_tool("bad", {})
            except MCPError as error:
                errors.append(str(error))

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(call)
        assert len(errors) == 3
        assert not relay.waiting


async def test_bytes_that_are_no_text_arrive_in_part() -> None:
    """Of a text with invalid bytes, the valid part arrives."""
    async with before(spec("bytes")) as (client, _):
        assert first_text(await client.call_tool("bad", {})) == "café"


@pytest.mark.parametrize(("mode", "error"), [("cut", "damaged|ended"), ("torn", "damaged")])
async def test_messages_that_are_cut_are_errors(mode: str, error: str) -> None:
    """A call whose answer is cut is an error that says so."""
    async with before(spec(mode)) as (client, _):
        with pytest.raises(MCPError, match=error):
            await client.call_tool("bad", {})


async def test_processes_are_ended() -> None:
    """A server that ignores the end of its input is ended."""
    number = 0
    code = "import os, time\nprint(os.getpid(), flush=True)\nwhile True: time.sleep(9)"
    async with link_to(ServerSpec("deaf", sys.executable, ("-S", "-c", code))) as link:
        async for item in link.read:
            number = int(str(item).partition("'")[2].split("\\n")[0].rstrip("'"))
            break
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_what_cannot_be_started_is_an_error() -> None:
    """A program that does not exist is an error that names it."""

    async def main() -> None:
        async with link_to(ServerSpec("none", "no-such-program")):
            pytest.fail("it has started")

    with pytest.raises(FileNotFoundError, match="no-such-program"):
        run(main)
