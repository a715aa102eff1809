"""Every tool of real servers, called with and without the proxy: is what arrives the same?

    npm install @modelcontextprotocol/server-{filesystem,memory,everything}
    pip install mcp-server-git mcp-server-fetch   # in environments of their own
    pip install mcp-server-sqlite "mcp<2"         # which needs the older SDK
    PATH=node_modules/.bin:...:$PATH python benches/mcp_servers.py [--json OUT]

Each pass starts each server again, on new files, repositories and databases.
The client is the SDK's, which checks structured content against the output schemas that it was
given. *equal* are results that read back (`mckp.agents.session.Reader`, and `mckp.decode` for those
that are no references) as what came without the proxy; times of day are masked. *held* are results
within --limit in a pass of its own. *modes* are results whose data arrives with each way of
structured content, as text or as it came; *turn* is a pass with a budget for all calls together;
*files* are those of results that were cut, and those that hold what came; *shadow* says whether
nothing was changed under --shadow. Servers that are not on the PATH are left out and named.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent
from mcp_subjects import PROXY, Subject, subjects
from solver_figures import show, store

import mckp
from mckp import tokenizers
from mckp.agents.mcp import CATALOGS, STRUCTURED
from mckp.agents.mcp.catalog import catalog
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.structured import holds_same_data
from mckp.agents.session import Reader
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN: Final = (
    "tools",
    "calls",
    "equal",
    "held",
    "tokens_direct",
    "tokens_proxied",
    "modes",
    "turn",
)
"""What is printed of a server."""
_COUNTER: Final = tokenizers.get("o200k")
_TIME: Final = re.compile(
    r"\w{3} \w{3} \d{2} \d{4} [\d:]{8} GMT[^\n\"]*|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"
    r"|\d{1,2}:\d\d:\d\d [AP]M"
)
_FILE: Final = re.compile(r"> \[all of it is in (.+); handle .*\]")
_LEFT: Final = "> [cut to what this turn has left"
_ROWS: Final = "".join(f"<tr><td>harbour {n}</td><td>{n / 4} m</td></tr>" for n in range(90))
_PAGE: Final = f"<html><body><h1>Tides</h1><p>Of today.</p><table>{_ROWS}</table></body></html>"


class _Pages(BaseHTTPRequestHandler):
    """Serves one page."""

    def do_GET(self) -> None:
        is_there = self.path == "/"
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(_PAGE.encode() if is_there else b"nothing")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


async def _on_sample(context: Any, params: Any) -> CreateMessageResult:
    del context, params
    said = TextContent(type="text", text="because")
    return CreateMessageResult(role="assistant", content=said, model="none")


async def _on_elicit(context: Any, params: Any) -> ElicitResult:
    del context, params
    return ElicitResult(action="decline")


async def _on_roots(context: Any) -> ListRootsResult:
    del context
    return ListRootsResult(roots=[Root(uri=f"file://{tempfile.gettempdir()}")])  # type: ignore[arg-type]


def client_of(command: Sequence[str], subject: Subject) -> Client:
    """Return a client that can do all that servers may ask for."""
    env = {**os.environ, **subject.env}
    return Client(
        StdioServerParameters(command=command[0], args=list(command[1:]), env=env),
        sampling_callback=_on_sample,
        elicitation_callback=_on_elicit,
        list_roots_callback=_on_roots if subject.name == "everything" else None,
    )


async def called(command: Sequence[str], subject: Subject) -> dict[str, Any]:
    """Return the tools of a server, and the results of all calls, with files that they name."""
    subject.prepare()
    results: list[dict[str, Any]] = []
    async with client_of(command, subject) as client:
        tools = (await client.list_tools()).tools
        for name, args in subject.calls:
            try:
                result = await client.call_tool(name, args, read_timeout_seconds=60)
                results.append(result.model_dump(by_alias=True, exclude_none=True))
                results[-1] |= files_in(results[-1])
            except MCPError as error:
                results.append({"error": str(error)})
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
    return {"tools": listed, "results": results}


def files_in(result: dict[str, Any]) -> dict[str, str]:
    """Return what the file of a whole result holds, if a note in it names one."""
    match = _FILE.search((texts_of(result) or [""])[-1])
    return {"file": Path(match[1]).read_text("utf-8")} if match else {}


def masked(value: Any) -> Any:
    """Return a value that holds no time of day."""
    return json.loads(_TIME.sub("TIME", json.dumps(value)))


def read_text(text: str, reader: Reader) -> Any:
    """Return what a text says that came through the proxy."""
    decoded = reader.read(text)
    if not text.startswith("> [ref"):
        alone = mckp.decode(text) if text.startswith("> [") else decoded
        assert alone == decoded, "decode and the session's reader differ"
    return decoded


def same_text(wanted: str, decoded: Any) -> bool:
    """Whether what was read back is what came."""
    if isinstance(decoded, mckp.TreeNode):
        # A text that holds data, such as a Python repr, is read by its content.
        return decoded in (mckp.parse(wanted, "markdown"), mckp.parse(wanted))
    if isinstance(decoded, str):
        return bool(masked(decoded) == masked(wanted))
    return bool(masked(json.loads(wanted)) == masked(decoded))


def is_same(wanted: dict[str, Any], received: dict[str, Any], reader: Reader) -> bool:
    """Whether a result is the same, with its texts read back."""
    wanted_blocks, received_blocks = wanted.get("content", []), received.get("content", [])
    if masked({**wanted, "content": 0}) != masked({**received, "content": 0}) or len(
        wanted_blocks
    ) != len(received_blocks):
        return False
    for block, sent in zip(wanted_blocks, received_blocks, strict=True):
        if block["type"] != "text":
            if masked(block) != masked(sent):
                return False
            continue
        is_read = same_text(block["text"], read_text(sent["text"], reader))
        if not is_read or {**block, "text": 0} != {**sent, "text": 0}:
            return False
    return True


def tokens(result: dict[str, Any]) -> int:
    """Return the tokens of the texts of a result."""
    return sum(map(_COUNTER.count, texts_of(result)))


async def measured(subject: Subject, limit: int) -> dict[str, Any]:
    """Return what becomes of a server's results."""
    direct = await called(subject.command, subject)
    proxy = (*PROXY, "--structured", "keep")
    proxied = await called((*proxy, "--", *subject.command), subject)
    limited = await called((*proxy, "--budget", str(limit), "--", *subject.command), subject)
    reader = Reader()
    pairs = list(zip(direct["results"], proxied["results"], strict=True))
    equal = [is_same(wanted, received, reader) for wanted, received in pairs]
    held = [tokens(result) <= limit for result in limited["results"]]
    same_structure = [
        masked(wanted.get("structuredContent")) == masked(received.get("structuredContent"))
        for wanted, received in zip(direct["results"], limited["results"], strict=True)
    ]
    names = [tool["name"] for tool in direct["tools"]]
    more = await other_ways(subject, direct["results"], limit)
    return {
        "source": subject.source,
        "tools": len(names),
        "tools_called": len({name for name, _ in subject.calls} & set(names)),
        "never_called": sorted(set(names) - {name for name, _ in subject.calls}),
        "list_is_same": proxied["tools"][:-1] == direct["tools"],
        "calls": len(pairs),
        "with_structured_content": sum("structuredContent" in one for one, _ in pairs),
        "errors_of_the_server": sum("error" in one or bool(one.get("isError")) for one, _ in pairs),
        "equal": sum(equal),
        "not_equal": [call for call, good in zip(subject.calls, equal, strict=True) if not good],
        "tokens_direct": sum(tokens(one) for one, _ in pairs),
        "tokens_proxied": sum(tokens(other) for _, other in pairs),
        "limit": limit,
        "held": sum(held),
        "most_tokens_in_limit": max(map(tokens, limited["results"])),
        "over_limit_direct": sum(tokens(one) > limit for one, _ in pairs),
        "structured_content_kept_in_limit": sum(same_structure),
        "tokens_of_list": listed_tokens(direct["tools"]),
        **more,
    }


async def other_ways(subject: Subject, direct: list[dict[str, Any]], limit: int) -> dict[str, Any]:
    """Return what becomes of results in each mode of the proxy."""
    modes: dict[str, int] = {}
    for way in STRUCTURED:
        sent = (await called((*PROXY, "--structured", way, "--", *subject.command), subject))[
            "results"
        ]
        reader = Reader()
        modes[way] = sum(has_data(*pair, reader) for pair in zip(direct, sent, strict=True))
    budget = 4 * limit
    words = ("--turn-budget", str(budget), "--", *subject.command)
    turn = (await called((*PROXY, *words), subject))["results"]
    with tempfile.TemporaryDirectory() as folder:
        words = ("--spill", folder, "--spill-above", "1k", "--", *subject.command)
        spilled = (await called((*PROXY, "--budget", str(limit), *words), subject))["results"]
        left_behind = len(list(Path(folder).iterdir()))
    pairs = [
        (original, spilled_result["file"])
        for original, spilled_result in zip(direct, spilled, strict=True)
        if "file" in spilled_result
    ]
    shadow = (await called((*PROXY, "--shadow", "--", *subject.command), subject))["results"]
    return {
        "modes": modes,
        "turn": {
            "budget": budget,
            "tokens": sum(map(tokens, turn)),
            "cut": sum(_LEFT in json.dumps(result) for result in turn),
            "most_when_cut": max((tokens(e) for e in turn if _LEFT in json.dumps(e)), default=0),
        },
        "files": {
            "written": len(pairs),
            "equal": sum(
                masked(file) in masked([*texts_of(original), dump(texts_of(original))])
                for original, file in pairs
            ),
            "left_behind": left_behind,
        },
        "shadow_is_same": masked(shadow) == masked(direct),
    }


def texts_of(result: dict[str, Any]) -> list[str]:
    """Return the texts of a result."""
    return [block["text"] for block in result.get("content", []) if block["type"] == "text"]


def has_data(wanted: dict[str, Any], received: dict[str, Any], reader: Reader) -> bool:
    """Whether a result says the same: texts and structured content, or the one in the other."""
    data = wanted.get("structuredContent")
    if data is None or "structuredContent" in received:
        return is_same(wanted, received, reader)
    rest = {key: value for key, value in wanted.items() if key != "structuredContent"}
    if len(wanted["content"]) == len(received["content"]) and is_same(rest, received, reader):
        return holds_same_data(texts_of(wanted), data)
    last = read_text(texts_of(received)[-1], reader)
    if isinstance(last, mckp.TreeNode):  # of Markdown, which a server may wrap in an object
        values = [data, *(data.values() if is_object(data) else ())]
        return any(isinstance(value, str) and same_text(value, last) for value in values)
    return holds_same_data([last if isinstance(last, str) else dump(last)], data)


def listed_tokens(tools: list[dict[str, Any]]) -> dict[str, int]:
    """Return the tokens of a list of tools in each shape, ours included."""
    by_shape = {"direct": _COUNTER.count(dump(tools))}
    for shape in CATALOGS:
        made = catalog({"x": tools}, ProxySettings(catalog=shape), _COUNTER, several=False)
        by_shape[shape] = made.tokens
    return by_shape


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print, store."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--limit", type=int, default=300, help="tokens of a result (300)")
    parser.add_argument("--only", action="append", help="only this server; may be repeated")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args(argv)
    pages = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    by_server: dict[str, Any] = {}
    missing: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder), f"http://127.0.0.1:{pages.server_port}/"):
            if arguments.only and subject.name not in arguments.only:
                continue
            if not subject.is_there:
                missing.append(subject.source)
                continue
            by_server[subject.name] = anyio.run(measured, subject, arguments.limit)
    title = f"with and without the proxy; held: within {arguments.limit} tokens"
    show(
        title, [{"server": name} | numbers for name, numbers in by_server.items()], "server", *SHOWN
    )
    if missing:
        print("not installed:", ", ".join(missing), file=sys.stderr)
    store(arguments.json, {"limit": arguments.limit, "missing": missing, "servers": by_server})


if __name__ == "__main__":
    main()
