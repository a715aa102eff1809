"""Made-up sessions as files of Claude Code, so that their import can be timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import dump
from mckp.replay import Compact, End, Response
from mckp.replay.run import arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mckp.replay import Action

_MODEL = "claude-sonnet-4-6"


def write_sessions(actions: Iterable[Action], folder: Path) -> int:
    """Write each session to a file of its own, and return how many there are."""
    number, lines = 0, list[str]()
    for action in actions:
        lines += [dump(record) for record in _records(action, len(lines))]
        if isinstance(action, End):
            (folder / f"{number:05d}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
            number, lines = number + 1, []
    return number


def _records(action: Action, number: int) -> Iterator[dict[str, Any]]:
    """Yield the lines of one action; an edit has none, for its call and result say it."""
    if isinstance(action, Compact):
        yield {"type": "system", "subtype": "compact_boundary", "content": "compacted"}
    elif isinstance(action, Response):
        named = f"toolu_{number}"
        args = arguments(action.args)
        call = {"type": "tool_use", "id": named, "name": action.tool, "input": args}
        block = {"type": "tool_result", "tool_use_id": named, "content": action.text}
        yield _line("assistant", {"model": _MODEL, "content": [call]}, action.agent, f"a{number}")
        yield _line("user", {"content": [block]}, action.agent, f"u{number}")


def _line(role: str, message: dict[str, Any], agent: str, number: str) -> dict[str, Any]:
    side = {} if agent == "main" else {"isSidechain": True, "agentId": agent}
    return {"type": role, "uuid": number, **side, "message": {"role": role, **message}}
