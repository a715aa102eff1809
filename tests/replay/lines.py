"""Made-up lines of session files, in the shape that Claude Code writes, and of our logs."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mckp.agents.replay import Action, Compact, Edit, End, ModelRequest, Response
from mckp.jsontext import dump

Record = dict[str, Any]


def call(name: str, number: int, **args: object) -> Record:
    """An assistant's message with one call."""
    block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": args}
    message = {"role": "assistant", "model": "claude-sonnet-4-6", "content": [block]}
    return {"type": "assistant", "uuid": f"a{number}", "isSidechain": False, "message": message}


def result(number: int, content: Any, **more: Any) -> Record:
    """The message with what the call returned."""
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, **more}
    message = {"role": "user", "content": [block]}
    return {"type": "user", "uuid": f"u{number}", "isSidechain": False, "message": message}


def side(record: Record, parent: str | None, agent: str | None = None) -> Record:
    """The same line in a sub-agent's branch."""
    named = {} if agent is None else {"agentId": agent}
    return {**record, "isSidechain": True, "parentUuid": parent, **named}


BOUNDARY: Record = {"type": "system", "subtype": "compact_boundary", "content": "Compacted"}
SUMMARY: Record = {
    "type": "user",
    "isCompactSummary": True,
    "message": {"role": "user", "content": "This session is continued from ..."},
}


def as_bytes(records: list[Record]) -> bytes:
    return "".join(dump(record) + "\n" for record in records).encode()


_DOES: dict[type[Action], str] = {
    Response: "result",
    Edit: "edit",
    Compact: "compact",
    End: "end",
    ModelRequest: "asked",
}


def to_line(action: Action) -> str:
    said = {name: value for name, value in asdict(action).items() if value is not None}
    return dump({"do": _DOES[type(action)], **said})


def write_log(actions: Iterable[Action], file: Path) -> None:
    file.write_text("".join(f"{to_line(action)}\n" for action in actions), "utf-8", newline="\n")
