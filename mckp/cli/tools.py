"""``mckp tools``: a catalog within a budget, and where its tokens are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mckp.cli import streams
from mckp.jsontext import dump
from mckp.tools import encode_tools, parse_tools
from mckp.tools.renderings import render

if TYPE_CHECKING:
    from argparse import Namespace

    from mckp.result import Result


def write_tools(arguments: Namespace) -> None:
    """Write a catalog of tools; with ``--json``, write the whole result."""
    tools = parse_tools(streams.document(arguments.file))
    if arguments.rendering is not None:
        streams.write(render(tools, arguments.rendering) + "\n", arguments.out)
        return
    with streams.clock("encoding"):
        result = encode_tools(
            tools,
            budget=arguments.budget,
            tokenizer=arguments.tokenizer,
            level=arguments.level,
            query=arguments.query,
            pins=arguments.pin,
            recall=arguments.recall,
            solver=arguments.solver,
            work_limit=arguments.work_limit,
        )
    text = dump(result.to_dict()) + "\n" if arguments.json else result.text
    streams.write(text, arguments.out)
    streams.note_estimate(arguments.tokenizer)
    if arguments.stats:
        sys.stderr.write(_tools_table(result))


def _tools_table(result: Result) -> str:
    """Return a table of the level, tokens and value of each tool."""
    rows = [
        (str(choice.path[0]), choice.format, str(choice.tokens), f"{choice.value:g}")
        for choice in result.choices
    ]
    for cut in result.elided:
        rows += [(str(key), "left out", "0", "0") for key in cut.keys if cut.kind == "tools"]
    caption = f"{result.tokens} tokens in all, by {result.tokenizer}; {result.status}"
    return streams.table(["tool", "level", "tokens", "value"], rows, caption)
