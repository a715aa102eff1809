"""Hostile and ill-formed answers of one server, beside one that is well, through one proxy.

Whatever the one says, the other's tools are listed and answer, whoever waits for an answer gets
one, and what is shown is within the budget.
"""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest
from mcp_types import CallToolResult, InitializeResult, ListToolsResult

from mckp import tokenizers
from mckp.agents.mcp.desk import Desk
from mckp.agents.mcp.link import Link
from mckp.agents.mcp.pipes import Incoming
from mckp.agents.mcp.relay import Relay
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.session import Session
from mckp.jsontext import is_array, is_object
from tests.mcp.fakes import rows
from tests.mcp.test_wellformed import NONE, ODD

COUNT = tokenizers.get("o200k").count
GREETING: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}
TOOL = {"name": "get", "inputSchema": {"type": "object"}}
TEXT = json.dumps(rows(60))
BLOCK = {"type": "text", "text": TEXT}


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def wide(depth: int) -> Any:
    return 1 if depth == 0 else [wide(depth - 1), wide(depth - 1)]


GREETINGS: list[Any] = [
    {},
    {"protocolVersion": 5},
    {"protocolVersion": None, "capabilities": None},
    {**GREETING, "protocolVersion": "1999-01-01"},
    {**GREETING, "capabilities": []},
    {**GREETING, "capabilities": None},
    {**GREETING, "capabilities": {"tools": 5}},
    {**GREETING, "capabilities": {"tools": None, "prompts": [], "resources": "x", "logging": 1}},
    {**GREETING, "capabilities": {"tools": {}, "nobody-knows": nested(50)}},
    {**GREETING, "serverInfo": 7},
    {**GREETING, "instructions": ["a"]},
    {**GREETING, "instructions": 7},
    {**GREETING, "instructions": "> [#1 as compact]\n> [ref #1]"},
    {**GREETING, "instructions": "x" * 300_000},
    {**GREETING, "_meta": None},
]
LISTS: list[Any] = [
    *({"tools": [odd, {**TOOL, "name": "b"}]} for odd in ODD),
    *({"tools": [odd, TOOL]} for odd in NONE),
    *({"tools": odd} for odd in (None, 7, "a", {}, {"a": TOOL}, [TOOL] * 2, [])),
    {},
    {"tools": [TOOL], "nextCursor": 7},
    {"tools": [TOOL], "nextCursor": ["a"]},
    {"tools": [TOOL], "_meta": None, "ttlMs": "x"},
    {"tools": [{**TOOL, "inputSchema": {"type": "object", "properties": {"a": nested(150)}}}]},
    {"tools": [{**TOOL, "description": "> [ref #1]\n" * 50_000}]},
    {"tools": [{**TOOL, "name": "g" * 100_000}]},
    {"tools": [{**TOOL, "name": ""}, {**TOOL, "name": "\n> [#1]"}, {**TOOL, "name": "recall"}]},
    {"tools": [{**TOOL, "name": f"t{n}"} for n in range(2_000)]},
    {"tools": [{**TOOL, "inputSchema": {"type": "object", "$ref": "#", "$defs": {"#": "#"}}}]},
    {"tools": [{**TOOL, "_meta": {"anthropic/maxResultSizeChars": -1}}]},
    {"tools": [{**TOOL, "_meta": {"anthropic/maxResultSizeChars": 1}}]},
    {"tools": [{**TOOL, "_meta": {"anthropic/maxResultSizeChars": 10**30}}]},
    {"tools": [{**TOOL, "_meta": {"anthropic/maxResultSizeChars": True}}]},
]
CONTENTS: list[Any] = [None, 7, "text", {}, {"type": "text"}, [None], [[]], [7]]
RESULTS: list[Any] = [
    {},
    *({"content": odd} for odd in CONTENTS),
    {"content": [{}]},
    {"content": [{"type": None, "text": TEXT}]},
    {"content": [{"type": "text"}]},
    {"content": [{"type": "text", "text": None}]},
    {"content": [{"type": "text", "text": ["a"]}]},
    {"content": [{**BLOCK, "annotations": None}]},
    {"content": [{**BLOCK, "annotations": {"audience": None}}]},
    {"content": [{**BLOCK, "annotations": {"audience": "assistant"}}]},
    {"content": [{**BLOCK, "_meta": 7}]},
    {"content": [BLOCK], "isError": "yes"},
    {"content": [BLOCK], "isError": None},
    {"content": [BLOCK], "_meta": None},
    {"content": [BLOCK], "structuredContent": None},
    {"content": [BLOCK], "structuredContent": 7},
    {"content": [BLOCK], "structuredContent": "x" * 50_000},
    {"content": [BLOCK], "structuredContent": []},
    {"content": [BLOCK], "structuredContent": {"a": nested(150)}},
    {"content": [], "structuredContent": rows(900)},
    {"content": [], "structuredContent": {"": {"": {"": [[], {}, None, True]}}}},
    {"structuredContent": {"a": rows(300)}, "isError": True},
    {"content": [BLOCK] * 300},
    {"content": [{"type": "text", "text": "x"}] * 3_000},
    {"content": [{"type": "text", "text": ""}] * 50},
    {"content": [{"type": "text", "text": " \n" * 40_000}]},
    {"content": [{"type": "text", "text": "\x00" * 5_000}]},
    {"content": [{"type": "text", "text": "\ufeff" + TEXT}]},
    {"content": [{"type": "text", "text": "\u202e\u200b" * 9_000}]},
    {"content": [{"type": "text", "text": "\U0001f600" * 20_000}]},
    {"content": [{"type": "text", "text": "a" * 400_000}]},
    {"content": [{"type": "text", "text": "a " * 200_000}]},
    {"content": [{"type": "text", "text": "> [ref #1]\n" * 9_000}]},
    {"content": [{"type": "text", "text": "> [#1 as compact]\n" + TEXT}]},
    {"content": [{"type": "text", "text": "```\n" * 5_000}]},
    {"content": [{"type": "text", "text": "> " * 500 + "a"}]},
    {"content": [{"type": "text", "text": "# a\n\n" * 800}]},
    {"content": [{"type": "text", "text": "|a|b|\n|-|-|\n" + "|1|2|\n" * 2_000}]},
    {"content": [{"type": "text", "text": "[" * 50_000}]},
    {"content": [{"type": "text", "text": json.dumps(nested(900))}]},
    {"content": [{"type": "text", "text": '{"a":1,' * 5_000}]},
    {"content": [{"type": "text", "text": json.dumps(wide(9))}]},
    {"content": [{"type": "text", "text": json.dumps({f"k{n}": n for n in range(500)})}]},
    {"content": [{"type": "text", "text": json.dumps([{f"k{n}": n} for n in range(300)])}]},
    {"content": [{"type": "text", "text": json.dumps([10**300, -(10**300), 1e308, 5e-324])}]},
    {"content": [{"type": "resource", "resource": None}, BLOCK]},
    {"content": [{"type": "image", "data": 5}, BLOCK]},
    {"content": [{"type": "unheard-of"}, BLOCK]},
]
RAW: list[bytes] = [
    b"",
    b"\n\n\n",
    b"no json at all\n",
    b'{"jsonrpc":"2.0","id":%d}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":null}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":[]}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":"a"}\n',
    b'{"jsonrpc":"1.0","id":%d,"result":{}}\n',
    b'{"id":%d,"result":{"content":[]}}\n',
    b'{"jsonrpc":"2.0","id":%d,"error":null}\n',
    b'{"jsonrpc":"2.0","id":%d,"error":{}}\n',
    b'{"jsonrpc":"2.0","id":%d,"error":{"code":"x","message":7}}\n',
    b'{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"' + b"x" * 99_000 + b'"}}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"\\ud800"}]}}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"caf\xe9"}]}}\n',
    b'\xef\xbb\xbf{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}\n',
    b'{"jsonrpc":"2.0","id":%d,"result":{"content":[' + b"[" * 5_000 + b"]" * 5_000 + b"]}}\n",
    b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"te\n',
    b'[{"jsonrpc":"2.0","id":%d,"result":{"content":[]}},7]\n',
    b'[{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}]\n',
    b'{"jsonrpc":"2.0","id":"%d","result":{"content":[]}}\n',
    b'{"jsonrpc":"2.0","id":99,"result":{"content":[]}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[]}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}\n',
    b'{"jsonrpc":"2.0","method":7,"params":[]}\n',
    b'{"jsonrpc":"2.0","id":[],"method":"roots/list"}\n',
    b'{"jsonrpc":"2.0","id":true,"method":"roots/list"}\n',
    b'{"jsonrpc":"2.0","id":1e400,"method":"roots/list","result":{}}\n',
]
CASES = [
    *(("initialize", case) for case in GREETINGS),
    *(("tools/list", case) for case in LISTS),
    *(("tools/call", case) for case in RESULTS),
    *(("raw", case) for case in RAW),
]


class Server:
    """A server that answers from a table; what is in `odd` is answered so."""

    def __init__(self, name: str, kind: str = "", odd: Any = None) -> None:
        self._what, self._odd = kind, odd
        self._send, self._receive = anyio.create_memory_object_stream[bytes](1_000)
        self.link = Link(name, Incoming(self._receive.receive), self)

    async def send(self, message: dict[str, Any], /) -> None:
        """Take a message of the proxy, and answer it."""
        method, number = message.get("method"), message.get("id")
        if number is None or method is None:
            return
        answers = {
            "initialize": GREETING,
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": [BLOCK]},
        }
        if self._what == "raw" and method == "tools/call":
            shown = json.dumps(number).strip('"').encode()
            quoted = shown if shown.isdigit() else b'"%s"' % shown
            await self._send.send(
                self._odd.replace(b'"%d"', b'"%s"' % shown).replace(b"%d", quoted)
            )
            return
        result = self._odd if method == self._what else answers.get(method, {})
        line = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
        await self._send.send(line.encode() + b"\n")

    async def aclose(self) -> None:
        """Say nothing more."""
        self._send.close()
        self._receive.close()
        self.link.close()


class Host:
    """A host that sends requests, and keeps the answers by id."""

    def __init__(self) -> None:
        self._give, self._take = anyio.create_memory_object_stream[dict[str, Any]](100)
        self.answers: dict[int, dict[str, Any]] = {}

    def __aiter__(self) -> "Host":
        return self

    async def __anext__(self) -> dict[str, Any]:
        return await self._take.receive()

    async def send(self, message: dict[str, Any], /) -> None:
        if "method" not in message:
            self.answers[message["id"]] = message

    async def aclose(self) -> None:
        """Ask nothing more."""
        self._give.close()
        self._take.close()

    async def ask(self, number: int, method: str, **params: Any) -> dict[str, Any]:
        await self._give.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with anyio.fail_after(60):
            while number not in self.answers:
                await anyio.sleep(0.002)
        return self.answers[number]


def texts(answer: dict[str, Any]) -> Iterator[str]:
    blocks: Any = answer["result"].get("content")
    for block in blocks if is_array(blocks) else []:
        text = block.get("text") if is_object(block) else None
        if isinstance(text, str) and block["type"] == "text":
            yield text


@pytest.mark.parametrize(("what", "odd"), CASES, ids=[f"{n}" for n in range(len(CASES))])
async def test_one_server_harms_no_other(what: str, odd: Any) -> None:
    """Whatever one server answers, another one's tools, answers and budget are unharmed."""
    settings = ProxySettings({"": 300}, patience=1.5, timeout=1.5, work=5.0)
    session = Session(settings.session_settings())
    host, bad, good = Host(), Server("bad", what, odd), Server("good")
    links = {"bad": bad.link, "good": good.link}
    desk = Desk(settings, list(links), lambda: session, settings.session_settings)
    relay = Relay(host, host, links, desk)
    async with AsyncExitStack() as stack, anyio.create_task_group() as tasks:
        for end in (bad, good, host):
            stack.push_async_callback(end.aclose)
        tasks.start_soon(relay.run)
        about: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
        about["clientInfo"] = {"name": "some-agent", "version": "1"}
        greeted = await host.ask(1, "initialize", **about)
        InitializeResult.model_validate(greeted["result"])
        listed = await host.ask(2, "tools/list")
        names = [tool.name for tool in ListToolsResult.model_validate(listed["result"]).tools]
        assert "good__get" in names
        called = await host.ask(3, "tools/call", name="bad__get", arguments={})
        assert ("result" in called) != ("error" in called)
        if "result" in called:
            assert sum(map(COUNT, texts(called))) <= 300
            assert not any(line.startswith("> [ref #1]") for line in "".join(texts(called)))
        for number in (4, 5):
            well = await host.ask(number, "tools/call", name="good__get", arguments={})
            assert CallToolResult.model_validate(well["result"]).content
            assert sum(map(COUNT, texts(well))) <= 300
        again = await host.ask(6, "tools/call", name="recall", arguments={"handle": "#1"})
        assert sum(map(COUNT, texts(again))) <= 300
        tasks.cancel_scope.cancel()
