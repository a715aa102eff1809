"""Count the tokens of calls beside other ways to write them.

    python benches/tool_calls.py FILE [--json OUT]

reads FILE, JSON of ``tools`` and ``cases``, each with ``tool`` and ``arguments``; if it holds
``totals_o200k``, the totals counted of others' writers, they are shown beside. The baseline is a
message of an API, with an id as long as those of Anthropic. Each text is read back, and a
call that changes sets the exit code.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solver_figures import add_common, show, store

from mckp import tokenizers
from mckp.jsontext import difference, dump
from mckp.tools import Tool, parse_tools
from mckp.tools.calls import Call, manual, read_calls, write_call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _envelope(tool: Tool, arguments: dict[str, Any]) -> str:
    used = {"type": "tool_use", "id": "toolu_01ABCDEFG", "name": tool.name, "input": arguments}
    return dump(used)


def _named(tool: Tool, arguments: dict[str, Any]) -> str:
    return dump({"name": tool.name, "arguments": arguments})


def _bare(tool: Tool, arguments: dict[str, Any]) -> str:
    return dump(arguments)


def _wire(tool: Tool, arguments: dict[str, Any]) -> str:
    return write_call(tool.name, arguments, tool)


WRITERS: Final[dict[str, tuple[Callable[[Tool, dict[str, Any]], str], str | None]]] = {
    "message of an API": (_envelope, "native_json_baseline"),
    "name and arguments": (_named, "json_name_arguments"),
    "arguments alone": (_bare, "json_args_only"),
    "wire": (_wire, "compact_serializer"),
}
"""How calls are written, and the total of another writer that is shown beside it."""


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
    count = 0
    for case in cases:
        tool, arguments = tools[case["tool"]], case["arguments"]
        written = _wire(tool, arguments)
        for text in (written, case.get(BY_HAND, written)):
            calls = [
                event for event in read_calls(text, list(tools.values())) if isinstance(event, Call)
            ]
            count += difference([call.arguments for call in calls], [arguments]) is not None
    return count


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; the exit code says whether a call was changed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    add_common(parser)
    options = parser.parse_args(arguments)
    data = json.loads(options.file.read_text(encoding="utf-8"))
    tools = {tool.name: tool for tool in parse_tools(data["tools"])}
    cases = data["cases"]
    count = tokenizers.get("o200k").count
    figures: dict[str, Any] = {
        "file": options.file.name,
        "calls": len(cases),
        "changed": changed(tools, cases),
        "sizes": sizes(tools, cases, data.get("totals_o200k", {})),
        "manual": count(manual(list(tools.values()))),
    }
    show("sizes", figures["sizes"], *figures["sizes"][0])
    print(f"manual with all tools: {figures['manual']}; changed: {figures['changed']}")
    store(options.json, figures)
    return int(figures["changed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
