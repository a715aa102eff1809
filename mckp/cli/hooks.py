"""The command ``mckp hook``: what agents run after each of their tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.adapters.claude_code.run import recall, respond
from mckp.cli import streams

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> None:
    """Answer one event from standard input, or print what was asked to be given back."""
    if arguments.what == "recall":
        found = recall(
            arguments.session, arguments.number, arguments.path, arguments.skip, arguments.budget
        )
        streams.write(f"{found}\n", streams.STANDARD)
        return
    event = streams.read(streams.STANDARD)
    said = respond(event, budget=arguments.budget, tokenizer=arguments.tokenizer)
    streams.write_output(said + b"\n")
