"""The memory of a conversation between its hooks: a file, which one process has at a time."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import orjson

from mckp.agents.places import VERSIONS, named, write_atomically
from mckp.jsontext import is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Generator

FOLDER: Final = "MCKP_STATE_DIR"
"""The variable that names a folder other than the default one."""

LOCK_SECONDS: Final = 10.0
"""Seconds that a hook waits for another one of its conversation."""

MOST_NOTES: Final = 1 << 16
"""Most bytes of noted events; then the session is told of them."""

_PROMPT: Final = ".prompt"
_LONGEST_PROMPT: Final = 4_000
"""Most characters of what a user asked that are kept; a request takes fewer of them."""

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
    noted: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Events that the session was not told of yet."""
    prompt: str = ""
    """What the user has asked last; it is in a file of its own, and gone with the session."""

    def forget(self, agent: str) -> None:
        """Note that an agent's context is empty now."""
        self.referred.pop(agent, None)
        self.told = [each for each in self.told if each != agent]


def folder() -> Path:
    """Return the folder of the files of all conversations, which hold results of tools."""
    if found := named(FOLDER):
        return found.expanduser()
    base = named("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return base / "mckp" / "claude-code"


@contextmanager
def opened(conversation: str, transcript: str = "") -> Generator[Memory]:
    """Yield the memory of a conversation, to one process at a time, and save it afterwards.

    The transcript is the file in which Claude Code keeps the conversation. If there is no memory,
    the labels in that file tell which numbers are taken.
    """
    with _locked(conversation) as file:
        notes = file.with_suffix(".notes")
        memory = _read(file) or Memory(first=_after_labels(transcript))
        memory.noted = _read_notes(notes)
        with suppress(OSError):
            memory.prompt = file.with_suffix(_PROMPT).read_text("utf-8")
        yield memory
        apart = ("noted", "prompt")
        plain = {name: getattr(memory, name) for name in Memory.__slots__ if name not in apart}
        write_atomically(file, orjson.dumps({"format": VERSIONS["hooks"], **plain}), mode=0o600)
        notes.unlink(missing_ok=True)


def note(conversation: str, event: dict[str, Any]) -> bool:
    """Note an event for the next process; return False, and note nothing, if too much is noted."""
    line = orjson.dumps(event) + b"\n"
    with _locked(conversation) as file:
        notes = os.open(file.with_suffix(".notes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(notes).st_size + len(line) > MOST_NOTES:
                return False
            os.write(notes, line)
        finally:
            os.close(notes)
    return True


def ask(conversation: str, prompt: str) -> None:
    """Keep what the user asks, for the results that follow, in place of what was asked before."""
    file = _file(conversation)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = prompt[:_LONGEST_PROMPT].encode("utf-8", "replace")
    write_atomically(file.with_suffix(_PROMPT), text, mode=0o600)


def forget_prompt(conversation: str) -> None:
    """Delete what the user asked."""
    _file(conversation).with_suffix(_PROMPT).unlink(missing_ok=True)


def seen(conversation: str) -> Memory:
    """Return the memory of a conversation to look at, empty if there is none."""
    return _read(_file(conversation)) or Memory()


def purge(days: float = 30) -> None:
    """Delete the memory of conversations that had no event for so many days."""
    oldest = time.time() - days * 86400
    for lock in folder().glob("*.lock"):
        files = [lock.with_suffix(kind) for kind in (".json", ".notes", _PROMPT)]
        with suppress(OSError):
            if max([file.stat().st_mtime for file in files if file.exists()], default=0) < oldest:
                for file in (*files, lock):
                    file.unlink(missing_ok=True)


def _file(conversation: str) -> Path:
    raw = conversation.encode("utf-8", "surrogatepass")
    return folder() / f"{blake2b(raw, digest_size=16).hexdigest()}.json"


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
    found: list[Any] = []
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(ValueError):
                found.append(orjson.loads(line))
    return [event for event in found if is_object(event)]


def _after_labels(transcript: str) -> int:
    """Return a number above those of all labels in a file."""
    largest = 0
    with suppress(OSError), Path(transcript).open("rb") as lines:
        for line in lines:
            largest = max([largest, *map(int, _LABEL.findall(line))])
    return largest + 1


@contextmanager
def _locked(conversation: str) -> Generator[Path]:
    """Yield the file of a conversation to one process; `TimeoutError` if another keeps it."""
    file = _file(conversation)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_SECONDS
    with file.with_suffix(".lock").open("ab") as lock:
        while not _taken(lock):
            if time.monotonic() > until:
                message = f"other hooks of this conversation took over {LOCK_SECONDS:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.01)
        yield file


def _taken(lock: BinaryIO) -> bool:
    """Lock a file; the system unlocks it when the process ends, even if it crashes."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
