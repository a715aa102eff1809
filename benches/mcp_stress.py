"""The proxy under calls by the thousand, and before servers that do not behave.

    python benches/mcp_stress.py [--calls 1000] [--flood 50] [--json OUT]

*calls* are made one after another, each with another result of some 10 kB, then as many at the same
time, and none may be lost or mixed up; memory is that of the proxy's process (Linux). Then a server
answers with --flood megabytes in one message, writes as many that are no messages, crashes, hangs,
sends bytes that are no UTF-8, and cuts a message: seconds until whoever called was told, and what.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from machine import load
from mcp import StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest
from mcp_latency import SERVER
from mcp_subjects import PROXY
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from solver_figures import store

from mckp.mcp.pipes import child
from mckp.mcp.servers import ServerSpec
from mckp.session import Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

MISBEHAVING: Final = Path(__file__).parents[1] / "tests" / "mcp" / "misbehaving.py"
SIZES: Final = (5, 10, 20)
"""Megabytes of a message that the SDK's own transport is timed with."""
MODES: Final = ("flood", "noise", "crash", "hang", "bytes", "cut", "torn")


class Host:
    """A host that talks to the proxy over pipes."""

    def __init__(self, server: Sequence[str], *options: str) -> None:
        self.process = subprocess.Popen(
            [*PROXY, *options, "--", *server],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        greeting: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self.send("initialize", 0, {**greeting, "clientInfo": {"name": "bench", "version": "1"}})
        assert self.receive()["id"] == 0

    def send(self, method: str, number: int, params: dict[str, Any]) -> None:
        """Write a request."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, number: int, name: str, args: dict[str, Any]) -> None:
        """Write a call of a tool."""
        self.send("tools/call", number, {"name": name, "arguments": args})

    def receive(self) -> dict[str, Any]:
        """Read an answer."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def memory(self) -> float | None:
        """Return the megabytes that the proxy has in memory, if Linux tells."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        except OSError:
            return None
        found = next(line for line in lines if line.startswith("VmRSS"))
        return round(int(found.split()[1]) / 1024, 1)

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


def text(answer: dict[str, Any]) -> str:
    """Return the text of a result, or what the error says."""
    if "error" in answer:
        return f"error: {answer['error']['message']}"
    found: str = answer["result"]["content"][0]["text"]
    return found


def first_id(answer: dict[str, Any], reader: Reader) -> int:
    """Return what tells the results of the server apart."""
    found: int = reader.read(text(answer))[0]["id"]
    return found


def many(calls: int) -> dict[str, Any]:
    """Return what becomes of many calls, and of memory."""
    host, reader = Host([sys.executable, "-c", SERVER, "10000"]), Reader()
    memory: list[float | None] = []
    wrong, began = 0, time.perf_counter()
    for number in range(calls):
        host.call(number + 1, "get", {"kind": "rows", "n": number})
        answer = host.receive()
        wrong += answer["id"] != number + 1 or first_id(answer, reader) != number * 7
        if (number + 1) % max(1, calls // 10) == 0:
            memory.append(host.memory())
    seconds = time.perf_counter() - began
    for number in range(calls):
        host.call(calls + number + 1, "get", {"kind": "rows", "n": calls + number})
    answers = [host.receive() for _ in range(calls)]
    order = {answer["id"]: first_id(answer, reader) for answer in answers}
    lost = [n for n in range(calls) if order.get(calls + n + 1) != (calls + n) * 7]
    memory.append(host.memory())
    host.close()
    return {
        "calls": calls,
        "wrong_or_lost": wrong,
        "seconds": round(seconds, 1),
        "at_once": calls,
        "wrong_or_lost_at_once": len(lost),
        "memory": memory,
    }


async def by_sdk(size: int) -> float:
    """Return the seconds of the processor that the SDK's transport takes for a message."""
    server = ["-S", str(MISBEHAVING), "flood", str(size)]
    parameters = StdioServerParameters(command=sys.executable, args=server)
    call = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params={"name": "bad"})
    async with stdio_client(parameters) as (read, write):
        before = time.process_time()
        await write.send(SessionMessage(call))
        await read.receive()
        return round(time.process_time() - before, 2)


async def by_ours(size: int) -> float:
    """Return the same of the proxy's."""
    spec = ServerSpec("flood", sys.executable, ("-S", str(MISBEHAVING), "flood", str(size)))
    call = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params={"name": "bad"})
    async with child(spec) as (read, write):
        before = time.process_time()
        await write.send(SessionMessage(call))
        await read.receive()
        return round(time.process_time() - before, 2)


def transports() -> dict[str, dict[str, float]]:
    """Return the seconds that both transports take, by megabytes."""
    return {
        str(size): {
            "sdk": anyio.run(by_sdk, size * 1_000_000),
            "mckp": anyio.run(by_ours, size * 1_000_000),
        }
        for size in SIZES
    }


def misbehaved(mode: str, size: int, limit: int) -> dict[str, Any]:
    """Return what a call comes to of which the server makes a mess."""
    server = [sys.executable, "-S", str(MISBEHAVING), mode, str(size)]
    host = Host(server, "--budget", str(limit))
    began = time.perf_counter()
    host.call(1, "bad", {})
    if mode == "hang":
        host.call(2, "good", {})
    answer = host.receive()
    found = text(answer)
    seconds, memory = round(time.perf_counter() - began, 2), host.memory()
    then = ""
    if host.process.poll() is None and mode not in ("crash", "cut"):
        host.call(3, "good", {})
        then = text(host.receive())[:40]
    host.close()
    said = found if len(found) < 100 else f"{found[:60]}… ({len(found):,} characters)"
    return {"seconds": seconds, "said": said, "then": then, "memory": memory}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print, store."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--flood", type=int, default=50, help="megabytes (50)")
    parser.add_argument("--limit", type=int, default=1000, help="tokens of a result (1000)")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args(argv)
    before = load()
    found = many(arguments.calls)
    table = Table(title="servers that do not behave")
    for name in ("server", "seconds", "memory, MB", "said", "then"):
        table.add_column(name, overflow="fold")
    messes: dict[str, Any] = {}
    for mode in MODES:
        each = messes[mode] = misbehaved(mode, arguments.flood * 1_000_000, arguments.limit)
        cells = (repr(each[key]) for key in ("seconds", "memory", "said", "then"))
        table.add_row(mode, *map(escape, cells))
    longer = transports()
    console = Console(width=120)
    console.print(longer)
    console.print(found)
    console.print(table)
    facts = {"flood": arguments.flood, "limit": arguments.limit, "load": [before, load()]}
    store(arguments.json, {**facts, "many": found, "messes": messes, "transports": longer})


if __name__ == "__main__":
    main()
