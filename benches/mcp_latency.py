"""What a proxy adds to a call of a tool, beside two others, in the same run.

    pip install terse-mcp mcp-compressor   # in an environment of their own
    PATH=that/bin:$PATH python benches/mcp_latency.py [--calls 200] [--json OUT]

A server without an SDK returns results of about --size bytes, each another one: the rows of an
API, a log, or prose. All ways are open at the same time, and each call is made on all of them, in
turns that change, so that a busy machine is busy for all; *added* is a call's time less that of the
same call without a proxy. *limited* is with a limit that the results keep, *cut* with one that they
do not. *processor* is the time of the processor that the proxy itself took for a call, on Linux, in
the mean. *ready* is the time from the start of a process to its list of tools. Proxies are left
alone for a while before they are called, as they are by people. Ways that are not on the PATH are
left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from machine import load
from mcp_subjects import PROXY
from solver_figures import show, store

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVER: Final = r"""
import json, sys
size = int(sys.argv[1])
words = "the tide of the harbour turns before the ship can leave and nobody waits for it".split()
def rows(n):
    made, text = [], ""
    while len(text) < size:
        k = n * 7 + len(made)
        made += [{"id": k, "place": f"harbour {k % 17}", "state": "open" if k % 3 else "closed",
                  "metres": k % 90 / 4, "url": f"https://tides.example.org/places/{k}"}]
        text = json.dumps(made) if len(made) % 8 == 0 else text
    return text
def log(n):
    return "\n".join(f"2026-01-02 03:{k // 60 % 60:02}:{k % 60:02} INFO request {n * 31 + k} took "
                     f"{k * n % 97} ms" for k in range(size // 50))
def prose(n):
    return " ".join(words[(n * k + k // 7) % len(words)] for k in range(size // 5))
def answer(m):
    if m["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "tides", "version": "1"}}
    if m["method"] == "tools/list":
        props = {"kind": {"type": "string"}, "n": {"type": "integer"}}
        return {"tools": [{"name": "get", "inputSchema": {"type": "object", "properties": props}}]}
    if m["method"] != "tools/call":
        return {"prompts": [], "resources": [], "resourceTemplates": []}
    args = m["params"]["arguments"]
    return {"content": [{"type": "text", "text": globals()[args["kind"]](args["n"])}]}
for line in sys.stdin:
    m = json.loads(line)
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answer(m)}), flush=True)
"""
KINDS: Final = ("rows", "log", "prose")
WARM: Final = 12
"""Calls of each kind that are not counted: libraries load, and compiled parts are read."""

SETTLE: Final = 15.0
"""Seconds in which a proxy loads what it loads beside its work."""


class Way:
    """A server with or without a proxy, over pipes.

    Parameters
    ----------
    name : str
        What it is called here.
    command : sequence of str
        How it is started.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name, self._number = name, 0
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        client = {"name": "bench", "version": "1"}
        greeting = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", greeting)
        self._send({"method": "notifications/initialized"})
        tools = self.ask("tools/list", {})["tools"]
        names = [tool["name"] for tool in tools]
        self._invoke = next((name for name in names if name.endswith("invoke_tool")), "")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._number:
                result: dict[str, Any] = answer["result"]
                return result

    def call(self, kind: str, number: int) -> tuple[float, int]:
        """Return the milliseconds of a call, and the characters of its result."""
        args: dict[str, Any] = {"kind": kind, "n": number}
        params: dict[str, Any] = {"name": "get", "arguments": args}
        if self._invoke:
            inner = {"tool_name": "get", "tool_input": args}
            params = {"name": self._invoke, "arguments": inner}
        begin = time.perf_counter()
        result = self.ask("tools/call", params)
        took = (time.perf_counter() - begin) * 1000
        return took, sum(len(block.get("text", "")) for block in result["content"])

    def spent(self) -> float | None:
        """Return the milliseconds of the processor that the process took, if Linux reports it."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return None
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


def ways(size: int) -> dict[str, list[str]]:
    """Return commands by name, of those that are installed."""
    server = [sys.executable, "-c", SERVER, str(size)]
    commands = {
        "no proxy": server,
        "mckp": [*PROXY, "--", *server],
        "mckp, limited": [*PROXY, "--budget", "8000", "--", *server],
        "mckp, cut": [*PROXY, "--budget", "1000", "--", *server],
        "terse-mcp": ["terse", "proxy", "--", *server],
        "mcp-compressor": ["mcp-compressor", "--", *server],
        "mcp-compressor, TOON": ["mcp-compressor", "--toonify", "--", *server],
    }
    return {name: words for name, words in commands.items() if shutil.which(words[0])}


def started(size: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return the milliseconds until all ways list tools, in turns, but for the first of each."""
    times: dict[str, list[float]] = {}
    for _ in range(rounds + 1):
        for name, words in ways(size).items():
            begin = time.perf_counter()
            way = Way(name, words)
            times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)
            way.close()
    later = {name: durations[1:] for name, durations in times.items()}
    return {name: {**figures(later, name), "least": round(min(later[name]), 2)} for name in later}


def measured(size: int, calls: int) -> dict[str, Any]:
    """Return the times of all ways."""
    opened = [Way(name, words) for name, words in ways(size).items()]
    try:
        for kind in KINDS:
            for number in range(WARM):
                for way in opened:
                    way.call(kind, number)
        time.sleep(SETTLE)
        return {kind: of_kind(opened, kind, calls) for kind in KINDS}
    finally:
        for way in opened:
            way.close()


def of_kind(opened: list[Way], kind: str, calls: int) -> dict[str, Any]:
    """Return the times of one kind of result."""
    times: dict[str, list[float]] = {way.name: [] for way in opened}
    sizes: dict[str, int] = {}
    before = {way.name: way.spent() for way in opened}
    for number in range(calls):
        turn = number % len(opened)
        for way in opened[turn:] + opened[:turn]:
            took, sizes[way.name] = way.call(kind, 1000 + number)
            times[way.name].append(took)
    by_way: dict[str, Any] = {}
    for way in opened:
        first, last = before[way.name], way.spent()
        spent = None if first is None or last is None else round((last - first) / calls, 2)
        by_way[way.name] = {**figures(times, way.name), "processor": spent, "size": sizes[way.name]}
    return by_way


def figures(times: dict[str, list[float]], name: str) -> dict[str, float]:
    """Return the times of one way, and what it adds to those without a proxy."""
    durations, bare = times[name], times["no proxy"]
    added = sorted(proxied - direct for proxied, direct in zip(durations, bare, strict=True))
    return {
        "median": round(statistics.median(durations), 2),
        "added_median": round(statistics.median(added), 2),
        "added_95": round(added[int(0.95 * len(added))], 2),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print, store."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=10_000, help="bytes of a result (10,000)")
    parser.add_argument("--calls", type=int, default=200, help="of each kind and way (200)")
    parser.add_argument("--starts", type=int, default=10, help="of each way (10)")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args(argv)
    before = load()
    starts = started(arguments.size, arguments.starts)
    by_kind = {"ready": starts, **measured(arguments.size, arguments.calls)}
    title = f"milliseconds that a proxy adds to a call of {arguments.size:,} bytes"
    rows = [
        {"results": kind, "way": name} | numbers
        for kind, by_way in by_kind.items()
        for name, numbers in by_way.items()
    ]
    show(title, rows, "results", "way", "median", "added_median", "added_95", "processor", "size")
    facts = {"size": arguments.size, "calls": arguments.calls, "warm": WARM}
    del by_kind["ready"]
    store(arguments.json, {**facts, "load": [before, load()], "ready": starts, "kinds": by_kind})


if __name__ == "__main__":
    main()
