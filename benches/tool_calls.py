"""Count the tokens of calls in several forms, and time reading them.

    python benches/tool_calls.py FILE [--rounds 9] [--quick] [--json OUT]

reads FILE, JSON of ``tools`` and ``cases``, each with ``tool`` and ``arguments``; if it holds
``totals_o200k``, the totals counted of others' writers, they stand beside. The baseline is a
message of an API, with an id as long as those of Anthropic. Each text is read back, and counts
only if that gives the same call. Reading is timed over the same calls, many times over, with
prose between them: as a whole and in chunks of some characters, as streams come.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from rich.console import Console
from rich.table import Table as Grid
from solver_figures import add_common, clocked, fill, rounded, store

from mckp import tokenizers
from mckp.jsontext import difference, dump
from mckp.tools import Tool, parse_tools
from mckp.tools.calls import Call, CallParser, read_calls, write_call
from mckp.tools.calls.manual import manual

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tools.calls import Form

ROUNDS: Final = 9
CHUNK: Final = 4
"""Characters of a chunk, about a token."""
SIZE: Final = 1_000_000
"""Characters of the texts whose reading is timed."""
PROSE: Final = "Let me look at what came back before I go on; a < b, and that is all there is.\n"


def _envelope(tool: Tool, arguments: dict[str, Any]) -> str:
    used = {"type": "tool_use", "id": "toolu_01ABCDEFG", "name": tool.name, "input": arguments}
    return dump(used)


def _named(tool: Tool, arguments: dict[str, Any]) -> str:
    return dump({"name": tool.name, "arguments": arguments})


def _bare(tool: Tool, arguments: dict[str, Any]) -> str:
    return dump(arguments)


def _wire(tool: Tool, arguments: dict[str, Any]) -> str:
    return write_call(tool.name, arguments, tool, "wire")


def _native(tool: Tool, arguments: dict[str, Any]) -> str:
    return write_call(tool.name, arguments, tool, "native")


def _native_by_name(tool: Tool, arguments: dict[str, Any]) -> str:
    return write_call(tool.name, arguments, None, "native")


WRITERS: Final[dict[str, tuple[Callable[[Tool, dict[str, Any]], str], str | None]]] = {
    "message of an API": (_envelope, "native_json_baseline"),
    "name and arguments": (_named, "json_name_arguments"),
    "arguments alone": (_bare, "json_args_only"),
    "wire": (_wire, "compact_serializer"),
    "ours, all by name": (_native_by_name, None),
    "ours": (_native, "python_dsl"),
}
"""How calls are written, and the total of another writer that stands beside."""


BY_HAND: Final = "compact_handwritten"
"""The member of a case that may hold a call in the wire form that was written by hand."""


def sizes(tools: dict[str, Tool], cases: list[Any], totals: dict[str, int]) -> list[dict[str, Any]]:
    """Return the tokens of all calls in each form."""
    count = tokenizers.get("o200k").count
    rows: list[dict[str, Any]] = []
    for name, (write, other) in WRITERS.items():
        texts = [write(tools[case["tool"]], case["arguments"]) for case in cases]
        tokens = sum(map(count, texts))
        rows.append({"form": name, "tokens": tokens, "reference": totals.get(other or "")})
    given = [case[BY_HAND] for case in cases if BY_HAND in case]
    if len(given) == len(cases):
        total = sum(map(count, given))
        rows.append({"form": "wire, by hand", "tokens": total, "reference": totals.get(BY_HAND)})
    return rows


def changed(tools: dict[str, Tool], cases: list[Any]) -> int:
    """Return how many texts of calls are not read as what they were written from."""
    found = 0
    for case in cases:
        tool, arguments = tools[case["tool"]], case["arguments"]
        texts = [write(tool, arguments) for write in (_wire, _native)]
        for text in (*texts, case.get(BY_HAND, texts[0])):
            calls = [each for each in read_calls(text, tools.values()) if isinstance(each, Call)]
            found += difference([call.arguments for call in calls], [arguments]) is not None
    return found


def reading(
    tools: dict[str, Tool], cases: list[Any], form: Form, rounds: int, size: int
) -> dict[str, Any]:
    """Return the speed of reading calls in prose, in megabytes a second of processor time."""
    calls = [
        write_call(case["tool"], case["arguments"], tools[case["tool"]], form) for case in cases
    ]
    text = "".join(f"{PROSE}{call}\n" for call in calls)
    text *= max(1, size // len(text))
    size = len(text.encode())
    row: dict[str, Any] = {"form": form, "bytes": size, "calls": text.count(PROSE)}
    for name, chunk in (("whole", len(text)), ("chunks", CHUNK)):
        times = [clocked(lambda: _read(text, tools, chunk))[2] for _ in range(rounds)]  # noqa: B023
        row[f"{name} MB/s"] = rounded(size / 1000 / statistics.median(times))
    return row


def _read(text: str, tools: dict[str, Tool], size: int) -> int:
    parser = CallParser(tools.values())
    found = 0
    for at in range(0, len(text), size):
        found += len(parser.feed(text[at : at + size]))
    return found + len(parser.flush())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; the exit code says whether a call was changed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    add_common(parser)
    options = parser.parse_args(arguments)
    data = json.loads(options.file.read_text(encoding="utf-8"))
    tools = {tool.name: tool for tool in parse_tools(data["tools"])}
    cases, size = data["cases"], 10_000 if options.quick else SIZE
    rounds = 1 if options.quick else options.rounds
    count = tokenizers.get("o200k").count
    load_before = machine.load()
    found: dict[str, Any] = {
        "file": options.file.name,
        "calls": len(cases),
        "changed": changed(tools, cases),
        "sizes": sizes(tools, cases, data.get("totals_o200k", {})),
        "manuals": {form: count(manual(list(tools.values()), form)) for form in ("wire", "native")},
        "reading": [reading(tools, cases, form, rounds, size) for form in ("wire", "native")],
    }
    _show(found, Console())
    store(options.json, {"load before": load_before, "load after": machine.load()} | found)
    return int(found["changed"] > 0)


def _show(found: dict[str, Any], console: Console) -> None:
    for name in ("sizes", "reading"):
        grid = Grid(*found[name][0])
        console.print(fill(grid, (row.values() for row in found[name])))
    console.print(f"manuals with all tools: {found['manuals']}; changed: {found['changed']}")


if __name__ == "__main__":
    sys.exit(main())
