"""The memory of a conversation between its hooks: a file that one process uses at a time."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mckp.agents.adapters.claude_code.notes import PROMPT, conversation_file, lock_conversation
from mckp.agents.places import VERSIONS, write_atomically
from mckp.jsontext import is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Generator

_LABEL = regex(rb"> \[#([1-9][0-9]{0,8})[\] ]")


@dataclass(slots=True)
class Memory:
    """What is remembered of a conversation."""

    session: dict[str, Any] = field(default_factory=dict[str, Any])
    """What `mckp.agents.session.Session.to_dict` wrote; empty for a new one."""
    informed: list[str] = field(default_factory=list[str])
    """Agents that know how to get what was cut."""
    first: int = 1
    """The number of the first text: greater than all that were used before the memory was lost."""
    habits: dict[str, float] = field(default_factory=dict[str, float])
    """The session's habits when its context was last emptied."""
    noted: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Events that the session does not know of yet."""
    prompt: str = ""
    """The user's last message; it is in a file of its own, which is deleted with the session."""

    def forget(self, agent: str) -> None:
        """Forget an agent, because its context is empty now."""
        self.informed = [other for other in self.informed if other != agent]


@contextmanager
def open_memory(conversation: str, transcript: str = "") -> Generator[Memory]:
    """Yield the memory of a conversation, to one process at a time, and save it afterwards.

    It is not saved if an error is raised in the block. The transcript is the file in which Claude
    Code keeps the conversation. If there is no memory, the labels in that file show which numbers
    are in use.
    """
    with lock_conversation(conversation) as file:
        notes = file.with_suffix(".notes")
        memory = _read_memory_file(file) or Memory(first=_first_free_number(transcript))
        memory.noted = _read_notes(notes)
        with suppress(OSError):
            memory.prompt = file.with_suffix(PROMPT).read_text("utf-8")
        yield memory
        stored_elsewhere = ("noted", "prompt")
        plain = {
            name: getattr(memory, name) for name in Memory.__slots__ if name not in stored_elsewhere
        }
        write_atomically(file, orjson.dumps({"format": VERSIONS["hooks"], **plain}), mode=0o600)
        notes.unlink(missing_ok=True)


def read_memory(conversation: str) -> Memory:
    """Return the memory of a conversation for reading only; it is empty if there is none."""
    return _read_memory_file(conversation_file(conversation)) or Memory()


def _read_memory_file(file: Path) -> Memory | None:
    """Return the memory in a file, or None if there is none that this version can read."""
    try:
        data: Any = orjson.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    if not is_object(data) or data.pop("format", None) != VERSIONS["hooks"]:
        return None
    data.pop("referred", None)  # of an earlier version
    if not is_object(data.get("session")):
        return None
    with suppress(TypeError):
        return Memory(**data)
    return None


def _read_notes(file: Path) -> list[dict[str, Any]]:
    """Return the noted events in a file, which has one in each line; skip malformed lines."""
    events: list[Any] = []
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                events.append(orjson.loads(line))
    return [event for event in events if is_object(event)]


def _first_free_number(transcript: str) -> int:
    """Return a number greater than any label's number in a file; 1 if it cannot be read."""
    largest = 0
    with suppress(OSError), Path(transcript).open("rb") as lines:
        for line in lines:
            largest = max([largest, *map(int, _LABEL.findall(line))])
    return largest + 1
