"""The files of conversations: a folder, a lock for each, and events that are noted for later.

It imports little, since most events are only noted.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from re import fullmatch
from typing import TYPE_CHECKING, BinaryIO, Final

from mckp.agents.places import path_from_env, write_atomically

if TYPE_CHECKING:
    from collections.abc import Generator

FOLDER: Final = "MCKP_STATE_DIR"
"""The variable that names a folder other than the default one."""

LOCK_SECONDS: Final = 10.0
"""Seconds that a hook waits for another one of its conversation."""

MOST_NOTES: Final = 1 << 16
"""Most bytes of noted events; then the session is told of them."""

PROMPT: Final = ".prompt"
"""The suffix of the file that has what the user asked last."""

MOST_NAME: Final = 64
"""Most characters of a conversation's name that is the name of its file too."""

_LONGEST_PROMPT: Final = 4_000
"""Most characters of that which are kept; a request takes fewer of them."""


def folder() -> Path:
    """Return the folder of the files of all conversations, which hold results of tools."""
    if configured := path_from_env(FOLDER):
        return configured.expanduser()
    base = path_from_env("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return base / "mckp" / "claude-code"


def note(conversation: str, event: bytes) -> bool:
    """Note an event for the next process; return False, and note nothing, if too much is noted."""
    line = event.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    with locked(conversation) as file:
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
    file = file_of(conversation).with_suffix(PROMPT)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, prompt[:_LONGEST_PROMPT].encode("utf-8", "replace"), mode=0o600)


def forget_prompt(conversation: str) -> None:
    """Delete what the user asked."""
    file_of(conversation).with_suffix(PROMPT).unlink(missing_ok=True)


def purge(days: float = 30) -> None:
    """Delete the memory of conversations that had no event for so many days."""
    oldest = time.time() - days * 86400
    for lock in folder().glob("*.lock"):
        files = [lock.with_suffix(kind) for kind in (".json", ".notes", PROMPT)]
        with suppress(OSError):
            if max([file.stat().st_mtime for file in files if file.exists()], default=0) < oldest:
                for file in (*files, lock):
                    file.unlink(missing_ok=True)


def file_of(conversation: str) -> Path:
    """Return the file of a conversation: a usual name, as hosts give, is that of its file."""
    if len(conversation) <= MOST_NAME and fullmatch(r"[0-9a-z]+(-[0-9a-z]+)+", conversation):
        return folder() / f"{conversation}.json"
    from hashlib import blake2b

    raw = conversation.encode("utf-8", "surrogatepass")
    return folder() / f"{blake2b(raw, digest_size=16).hexdigest()}.json"


@contextmanager
def locked(conversation: str) -> Generator[Path]:
    """Yield the file of a conversation to one process; `TimeoutError` if another keeps it."""
    file = file_of(conversation)
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
