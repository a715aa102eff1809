"""The memory of a conversation between its hooks: a file, which one process has at a time."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from mckp.agents.adapters.claude_code.notes import PROMPT, file_of, locked
from mckp.agents.places import VERSIONS, write_atomically
from mckp.jsontext import is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Generator

_LABEL = regex(rb"> \[#([1-9][0-9]{0,8})[\] ]")


@dataclass(slots=True)
class Memory:
    """What is known of a conversation."""

    session: dict[str, Any] = field(default_factory=dict[str, Any])
    """What `mckp.agents.session.Session.to_dict` wrote; empty for a new one."""
    referred: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """By agent, the numbers of texts whose last answer was a reference."""
    told: list[str] = field(default_factory=list[str])
    """Agents that were told how to get back what was cut."""
    first: int = 1
    """The number of the first text: above all that were used before the memory was lost."""
    habits: dict[str, float] = field(default_factory=dict[str, float])
    """What the session was like when its context was emptied last."""
    noted: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Events that the session was not told of yet."""
    prompt: str = ""
    """What the user has asked last; it is in a file of its own, and gone with the session."""

    def forget(self, agent: str) -> None:
        """Note that an agent's context is empty now."""
        self.referred.pop(agent, None)
        self.told = [other for other in self.told if other != agent]


@contextmanager
def opened(conversation: str, transcript: str = "") -> Generator[Memory]:
    """Yield the memory of a conversation, to one process at a time, and save it afterwards.

    The transcript is the file in which Claude Code keeps the conversation. If there is no memory,
    the labels in that file tell which numbers are taken.
    """
    with locked(conversation) as file:
        notes = file.with_suffix(".notes")
        memory = _read(file) or Memory(first=_after_labels(transcript))
        memory.noted = _read_notes(notes)
        with suppress(OSError):
            memory.prompt = file.with_suffix(PROMPT).read_text("utf-8")
        yield memory
        apart = ("noted", "prompt")
        plain = {name: getattr(memory, name) for name in Memory.__slots__ if name not in apart}
        write_atomically(file, orjson.dumps({"format": VERSIONS["hooks"], **plain}), mode=0o600)
        notes.unlink(missing_ok=True)


def seen(conversation: str) -> Memory:
    """Return the memory of a conversation to look at, empty if there is none."""
    return _read(file_of(conversation)) or Memory()


def _read(file: Path) -> Memory | None:
    """Return what a file holds; None if there is none, or it is of another version."""
    try:
        data: Any = orjson.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    if not is_object(data) or data.pop("format", None) != VERSIONS["hooks"]:
        return None
    if not is_object(data.get("session")):
        return None
    with suppress(TypeError):
        return Memory(**data)
    return None


def _read_notes(file: Path) -> list[dict[str, Any]]:
    """Return the events in a file, without lines that were not written completely."""
    notes: list[Any] = []
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                notes.append(orjson.loads(line))
    return [event for event in notes if is_object(event)]


def _after_labels(transcript: str) -> int:
    """Return a number above those of all labels in a file."""
    largest = 0
    with suppress(OSError), Path(transcript).open("rb") as lines:
        for line in lines:
            largest = max([largest, *map(int, _LABEL.findall(line))])
    return largest + 1
