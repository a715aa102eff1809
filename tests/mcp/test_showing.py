"""What each host would show its model is within the budget, and says nothing twice.

Hosts are played as they were seen when they were run: an SDK's client that has their name, and a
function that writes what their model would see of the result that this client got.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, Implementation, ListToolsResult, TextContent, Tool

from mckp import tokenizers
from mckp.agents.host import BOTH, DATA, TEXT, UNKNOWN, host_of
from mckp.agents.host import HOSTS as KNOWN
from mckp.agents.mcp import STRUCTURED
from mckp.agents.mcp.desk import RoutedCall
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.wellformed import acceptable_result
from tests.mcp.fakes import Through, deliverer, rows

COUNTER = tokenizers.get("o200k")
HOSTS = [host.client for host in KNOWN.values() if host.client] + ["some-agent"]
LOG = "\n".join(f"step {n} of the build is done, with {n * 7} files" for n in range(400))
DATA_ROWS = {"jobs": rows(300), "total": 500}
SMALL = {"jobs": rows(3)}
MARKDOWN = "| id | name | state |\n|---|---|---|\n" + "".join(
    f"| {row['id']} | {row['name']} | {row['state']} |\n" for row in rows(500)
)
PROSE = "\n".join(f"Job number {n} by the name of job {n % 7} was seen today." for n in range(500))

RESULTS: dict[str, tuple[list[str], Any, bool]] = {
    "text": ([LOG], None, False),
    "short text": (["all is well"], None, False),
    "a number": (["42"], None, False),
    "rows as text": ([json.dumps(DATA_ROWS)], None, False),
    "data": ([], DATA_ROWS, False),
    "little data": ([], SMALL, False),
    "both the same": ([json.dumps(DATA_ROWS, indent=2)], DATA_ROWS, False),
    "a note and data": (["500 jobs, see the data"], DATA_ROWS, False),
    "data as a table": ([MARKDOWN], DATA_ROWS, False),
    "data in prose": ([PROSE], DATA_ROWS, False),
    "text and little data": ([LOG], {"lines": 400}, False),
    "a text a row": ([json.dumps(row) for row in rows(200)], {"result": rows(200)}, False),
    "blocks": ([LOG, json.dumps(rows(100)), "and a last one", LOG[::-1]], None, False),
    "small blocks": ([f"line {n}" for n in range(30)], None, False),
    "failure": ([LOG], None, True),
    "short failure": (["no such job"], None, True),
    "failure with data": (["it failed"], DATA_ROWS, True),
    "failure in blocks": ([LOG, LOG[::-1]], None, True),
}


def results_server() -> Server[Any]:
    """Return a server that has a tool for each result, with an output schema where it has data."""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        del context, params
        schema = {"type": "object"}
        return ListToolsResult(
            tools=[
                Tool(name=name, input_schema=schema, output_schema=data and schema)
                for name, (_, data, _) in RESULTS.items()
            ]
        )

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        del context
        texts, data, is_error = RESULTS[params.name]
        blocks: list[Any] = [TextContent(type="text", text=text) for text in texts]
        return CallToolResult(content=blocks, structured_content=data, is_error=is_error)

    return Server("results", on_list_tools=list_tools, on_call_tool=call_tool)


def shown(client: str, result: Any) -> str:
    """Return what the model of a host sees of a result, without what the host says itself."""
    texts = [block.text for block in result.content]
    data = result.structured_content
    written = "" if data is None else json.dumps(data, separators=(",", ":"))
    shows = host_of(client).shows
    if data is not None and not result.is_error and (shows == DATA or not texts):
        return written
    joint = {"copilot-cli": "", "opencode": "\n\n"}.get(client, "\n")
    also = [written] if shows == BOTH and data is not None else []
    return joint.join([*texts, *also])


def repeats(text: str) -> Iterator[str]:
    """Yield what is said twice, of what each result says once."""
    for mark in ("step 399 of", "no such job", "it failed", "500 jobs, see"):
        if text.count(mark) > 1:
            yield mark


CASES = [
    *((host, budget, "auto") for host in HOSTS for budget in (300, 1_000)),
    *((host, 10_000, "auto") for host in ("claude-code", "some-agent")),
    *((host, 1_000, way) for host in ("codex-mcp-client", "copilot-cli") for way in STRUCTURED),
]


@pytest.mark.parametrize(("host", "budget", "way"), CASES)
async def test_what_a_host_shows_is_within_the_budget(host: str, budget: int, way: str) -> None:
    """What a host shows of a result keeps the budget and repeats nothing; short texts are whole."""
    settings = ProxySettings({"": budget}, {"": way}, references=False)
    server: Any = Through({"results": _run}, settings)
    about = Implementation(name=host, version="1")
    async with Client(server, client_info=about) as client:
        await client.list_tools()
        for name, (texts, data, is_error) in RESULTS.items():
            result = await client.call_tool(name, {})
            seen = shown(host, result)
            assert 0 < COUNTER.count(seen) <= budget, name
            assert list(repeats(seen)) == [], name
            assert result.is_error == is_error
            if way == "auto":
                assert not result.structured_content
                assert len(result.content) == 1 or not host_of(host).is_one_text
                if host_of(host).shows == DATA and data == DATA_ROWS:
                    assert "jobs" in seen
                if texts and len(texts[0]) < 40:
                    assert texts[0] in seen, name


async def _run(read: Any, write: Any) -> None:
    server = results_server()
    await server.run(read, write, server.create_initialization_options())


@pytest.mark.parametrize("text", ["[]", "42", " null", '"a"', "true", '[{"id": 1}]', "1" * 5_000])
def test_gemini_gets_no_text_that_it_takes_for_ill_formed_data(text: str) -> None:
    """It reads a first text as structured content where there is none; that must be an object."""
    came = {"content": [{"type": "text", "text": text}]}
    assert acceptable_result(came, reads_json=True) == {**came, "structuredContent": {}}
    assert acceptable_result(came, reads_json=False) == came
    for other in ("all is well", "{}", "[1", "> [#3]\n[]", "[" * 10_000):
        as_text = {"content": [{"type": "text", "text": other}]}
        assert acceptable_result(as_text, reads_json=True) == as_text


async def test_only_gemini_gets_structured_content_for_it() -> None:
    """Gemini gets empty structured content; the other hosts get none."""
    for client_name in HOSTS:
        about = Implementation(name=client_name, version="1")
        async with Client(Through({"results": _run}), client_info=about) as client:
            await client.list_tools()
            result = await client.call_tool("a number", {})
            is_gemini = client_name == "gemini-cli-mcp-client"
            assert result.structured_content == ({} if is_gemini else None)
            assert result.content == [TextContent(type="text", text="42")]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_host_is_known_by_its_name(mode: str) -> None:
    """A host is known by its name in `initialize` and in requests of newer protocols."""
    through = Through({"results": _run})
    about = Implementation(name="opencode", version="1")
    async with Client(through, client_info=about, mode=mode) as client:
        await client.list_tools()
        assert through.relay is not None
        assert through.relay.desk.host.title == "opencode"


def test_a_name_that_only_begins_like_a_hosts_is_none() -> None:
    """A client is known by its whole name only."""
    assert host_of("opencodex") is host_of(None) is host_of("") is UNKNOWN
    assert host_of("claude-code").shows == DATA
    assert host_of("gemini-cli-mcp-client").shows == TEXT


LONG = "\n".join(f"step {n} of the build is done, with {n * 7} files" for n in range(4_000))


@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize("client", [host.client for host in KNOWN.values() if host.client])
def test_no_result_is_longer_than_its_host_shows(client: str, is_error: bool) -> None:
    """Also without a budget: what the host would cut or put in a file, the model could not see."""
    showing = host_of(client)
    some = deliverer(ProxySettings())
    result = {"content": [{"type": "text", "text": LONG}], "isError": is_error}
    called = RoutedCall("s", "t", {}, host=showing)
    (block,) = some.deliver(called, result).result["content"]
    size = len(block["text"])
    assert showing.most_chars is None or size <= showing.most_chars
    assert showing.most_bytes is None or size <= showing.most_bytes
    assert showing.most_lines is None or block["text"].count("\n") < showing.most_lines
    if is_error and showing.failure_chars is not None:
        assert size <= showing.failure_chars
    limits = (showing.most_chars, showing.most_bytes, showing.most_lines)
    assert block["text"].endswith(LONG) == (limits == (None, None, None))


FILE = "# Notes\n\n> [#1 as compact]\n\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n  * item\t\n" * 20


@pytest.mark.parametrize(
    ("tool", "args", "is_read"),
    [
        ("read_file", {"path": "a.md"}, True),
        ("read_text_file", {"path": "a.md", "head": 9}, True),
        ("read_multiple_files", {"paths": ["a.md", "b.md"]}, True),
        ("get_file_contents", {"owner": "a", "path": "a.md"}, True),
        ("fs.read-file", {"file": "a.md"}, True),
        ("view_file", {"file_path": "a.md"}, True),
        ("readFile", {"filePath": "a.md"}, True),
        ("read_file", {}, False),
        ("list_files", {"path": "."}, False),
        ("read_mail", {"path": "inbox"}, False),
        ("search_files", {"path": "."}, False),
        ("get_file_info", {"path": "."}, False),
    ],
)
def test_files_are_read_to_the_letter(tool: str, args: dict[str, Any], is_read: bool) -> None:
    """Whoever edits a file gives the text that is to be replaced, as it was shown."""
    some = deliverer(ProxySettings({"": 4_000}))
    result = {"content": [{"type": "text", "text": FILE}], "structuredContent": {"content": FILE}}
    delivered = some.deliver(RoutedCall("s", tool, args), result).result
    (block,) = delivered["content"]
    assert (block["text"] == FILE) == is_read
    assert "structuredContent" not in delivered
    short = deliverer(ProxySettings({"": 100})).deliver(RoutedCall("s", tool, args), result)
    assert COUNTER.count(short.result["content"][0]["text"]) <= 100
