"""``mckp tokenizers``: which tokenizers are exact, and whose vocabularies they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.cli import streams
from mckp.jsontext import dump
from mckp.tokenizers.listing import facts_of, list_tokenizers

if TYPE_CHECKING:
    from argparse import Namespace

_NOTE = (
    "--tokenizer takes these names, names of models such as qwen3:8b or claude-opus-4-8, "
    "chars:3.5, and the path of a tokenizer.json, tekken.json or .model; nothing is downloaded"
)


def write(arguments: Namespace) -> None:
    """Print the tokenizers, one per line, or what is known about the one that is named."""
    if arguments.name:
        facts = facts_of(arguments.name)
        lines = "".join(f"{name}: {streams.printable(fact)}\n" for name, fact in facts.items())
        streams.write(dump(facts) + "\n" if arguments.json else lines, streams.STANDARD)
        return
    entries = list_tokenizers()
    if arguments.json:
        streams.write(dump([entry._asdict() for entry in entries]) + "\n", streams.STANDARD)
        return
    head = ["name", "counts", "by", "licence", "models"]
    streams.write(streams.table(head, entries, _NOTE), streams.STANDARD)
