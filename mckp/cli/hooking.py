"""``mckp hook``; it imports little, since a host waits for it after each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.cli import streams

if TYPE_CHECKING:
    from argparse import Namespace


def answer(arguments: Namespace) -> None:
    """Answer an agent's event from standard input, or print the answer to a recall."""
    if arguments.what == "recall":
        from mckp.agents.adapters.claude_code.run import recall_in_conversation
        from mckp.cli.commands import question_parameters

        asked = {"handle": arguments.handle, **question_parameters(arguments)}
        reply = recall_in_conversation(arguments.session, asked, budget=arguments.budget)
        streams.write(f"{reply}\n", streams.STANDARD)
        return
    event = streams.read(streams.STANDARD)
    options: dict[str, Any] = {"budget": arguments.budget, "tokenizer": arguments.tokenizer}
    if arguments.what == "claude-code":
        from mckp.agents.adapters.claude_code.run import respond

        response = respond(event, **options)
    else:
        from mckp.agents.adapters.other_hooks import respond_as

        response = respond_as(arguments.what, event, **options)
    streams.write_output(response + b"\n")
