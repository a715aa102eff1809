"""What agents used later of their tools' results, read from recorded runs.

A *run* is a list of messages, in the style of OpenAI (``tool_calls``, role ``tool``) or of
Anthropic (blocks ``tool_use`` and ``tool_result``). What a use is, is defined by
`mckp.agents.telemetry.uses`.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mckp import tokenizers
from mckp.agents.messages.conversation import conversation_parts
from mckp.agents.telemetry.uses import find_uses
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]

LEAST: Final = 200
MOST: Final = 24_000
"""Tokens of compact JSON between which a result is taken."""


def is_run(value: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether this is a list of messages."""
    return is_array(value) and bool(value) and all(is_object(m) and "role" in m for m in value)


def found_in(messages: Sequence[dict[str, Any]], source: str, task: str) -> Iterator[Record]:
    """Yield a record for each result of a run of which something was used."""
    run, count = [*conversation_parts(messages)], tokenizers.get("o200k").count
    for at, event in enumerate(run):
        if event.kind != "result" or event.payload is None:
            continue
        tokens = count(dump(event.payload))
        uses = find_uses(run, at) if LEAST <= tokens <= MOST else []
        if uses:
            words = {message.kind: message.text for message in run[:at]}
            yield {
                "id": sha256(f"{task} {at} {event.text}".encode()).hexdigest()[:12],
                "source": source,
                "task": task,
                "tool": event.tool,
                "tokens": tokens,
                "call": event.call,
                "user": words.get("request", ""),
                "spoken_parts": words.get("message", ""),
                "used": uses,
                "payload": event.payload,
            }


def read(paths: Iterable[Path]) -> Iterator[Record]:
    """Yield the records of files and folders: those that are ready, and those found in runs.

    A file is JSON, or JSON lines; a run may be anywhere in it, as lines that are one message
    each too. What is beside a run as ``task_id``, ``task`` or ``id`` names its task.
    """
    for path in paths:
        files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix in (".json", ".jsonl"):
                yield from _of_file(file, path.name if path.is_dir() else file.stem)


def _of_file(file: Path, source: str) -> Iterator[Record]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        value: Any = [json.loads(line) for line in text.split("\n") if line.strip()]
    else:
        value = json.loads(text)
    for number, (record, task) in enumerate(_searched(value, None)):
        if is_object(record):
            yield record
        else:
            named = f"{file.stem}/{number}" if task is None else task
            yield from found_in(record, source, f"{source}/{named}")


def _searched(value: Any, task: object) -> Iterator[tuple[Any, object]]:
    """Yield each record and each run within a value, with the name of its task."""
    if is_run(value) or (is_object(value) and "payload" in value and "used" in value):
        yield value, task
    elif is_object(value):
        names = (value[name] for name in ("task_id", "task", "id") if name in value)
        own = next((name for name in names if isinstance(name, str | int)), task)
        system = value.get("system")
        for child in value.values():
            if is_run(child) and isinstance(system, str):
                yield [{"role": "system", "content": system}, *child], own
            else:
                yield from _searched(child, own)
    elif is_array(value):
        for child in value:
            yield from _searched(child, task)
