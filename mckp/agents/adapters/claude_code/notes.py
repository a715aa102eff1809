"""The files of conversations: their folder, their locks, and events noted for later.

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
"""The environment variable that names a folder other than the default one."""

LOCK_SECONDS: Final = 10.0
"""The most seconds that a hook waits for another hook of the same conversation."""

MAX_NOTES_BYTES: Final = 1 << 16
"""The most bytes of noted events; beyond it, the session reads them."""

PROMPT: Final = ".prompt"
"""The suffix of the file with the user's last message."""

MAX_NAME_CHARS: Final = 64
"""The most characters of a conversation's name that also names its file."""

_MAX_PROMPT_CHARS: Final = 4_000
"""The most characters of the user's message that are kept; a request uses fewer."""


def folder() -> Path:
    """Return the folder for the files of conversations."""
    if configured := path_from_env(FOLDER):
        return configured.expanduser()
    base = path_from_env("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return base / "mckp" / "claude-code"


def note(conversation: str, event: bytes) -> bool:
    """Write an event down for the next process, and return whether there was room for it."""
    line = event.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    with lock_conversation(conversation) as file:
        notes = os.open(file.with_suffix(".notes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(notes).st_size + len(line) > MAX_NOTES_BYTES:
                return False
            os.write(notes, line)
        finally:
            os.close(notes)
    return True


def keep_prompt(conversation: str, prompt: str) -> None:
    """Store the user's message, which later results are about, in place of the one before."""
    file = conversation_file(conversation).with_suffix(PROMPT)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, prompt[:_MAX_PROMPT_CHARS].encode("utf-8", "replace"), mode=0o600)


def forget_prompt(conversation: str) -> None:
    """Delete the stored message of the user."""
    conversation_file(conversation).with_suffix(PROMPT).unlink(missing_ok=True)


def purge(days: float = 30) -> None:
    """Delete all files of conversations of which no file was written for that many days.

    The time of a lock counts only if it is the only file. Files that cannot be read or deleted are
    left.
    """
    oldest_kept = time.time() - days * 86400
    suffixes = (".json", ".notes", PROMPT)
    names = {file.stem for file in folder().glob("*") if file.suffix in (*suffixes, ".lock")}
    for name in names:
        lock, *files = (folder() / f"{name}{suffix}" for suffix in (".lock", *suffixes))
        with suppress(OSError):
            existing = [file for file in files if file.exists()] or [lock]
            if max(file.stat().st_mtime for file in existing) < oldest_kept:
                for file in (*files, lock):
                    file.unlink(missing_ok=True)


def conversation_file(conversation: str) -> Path:
    """Return the file of a conversation, named after it or, if its name is odd, after its hash."""
    if len(conversation) <= MAX_NAME_CHARS and fullmatch(r"[0-9a-z]+(-[0-9a-z]+)+", conversation):
        return folder() / f"{conversation}.json"
    from hashlib import blake2b

    raw = conversation.encode("utf-8", "surrogatepass")
    return folder() / f"{blake2b(raw, digest_size=16).hexdigest()}.json"


@contextmanager
def lock_conversation(conversation: str) -> Generator[Path]:
    """Yield the file of a conversation, locked; raise `TimeoutError` if others keep the lock."""
    file = conversation_file(conversation)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_SECONDS
    with file.with_suffix(".lock").open("ab") as lock:
        while not _try_lock(lock):
            if time.monotonic() > until:
                message = f"other hooks of this conversation took over {LOCK_SECONDS:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.01)
        yield file


def _try_lock(lock: BinaryIO) -> bool:
    """Try to lock a file, and return whether it is locked now.

    The system unlocks it when the process ends, even if it crashes.
    """
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
