"""Saves whole results to files, for models that can read files."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from collections import deque
from contextlib import suppress
from pathlib import Path
from secrets import randbelow
from threading import Lock
from typing import Final

from mckp.agents.places import write_atomically
from mckp.errors import ConfigError

_LOG: Final = logging.getLogger(__name__)


class Spill:
    """The files of one proxy, in a folder of its own that is deleted when the proxy ends.

    Other users can neither read the files nor guess their names. A file is there whole or not at
    all. If all files together have more than ``max_bytes``, the oldest are deleted. A folder is
    refused if nothing can be written there, or if other users could replace files in it.
    """

    def __init__(self, folder: str, max_bytes: int = 1 << 30) -> None:
        self._max_bytes, self._files = max_bytes, deque[tuple[Path, int]]()
        self._lock = Lock()
        parent = Path(folder).expanduser().resolve()
        try:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.name == "posix" and _is_replaceable(parent.stat()):
                message = "other users can replace files there; name a folder of your own"
                raise ConfigError(message, key="spill", source=folder)
            self._folder = parent / f"mckp-{_random_number()}"
            self._folder.mkdir(mode=0o700)
            self._folder_state = self._folder.lstat()
        except OSError as error:
            message = f"cannot write there: {error.strerror}; name another folder"
            raise ConfigError(message, key="spill", source=folder) from None

    def path(self, *, is_json: bool) -> Path:
        """Return a new path for a text, which is not written yet."""
        return self._folder / f"{_random_number()}{'.json' if is_json else '.txt'}"

    def write(self, path: Path, text: str) -> bool:
        """Write a text, and return whether that worked; if not, no part of it is written."""
        try:
            if not os.path.samestat(self._folder.lstat(), self._folder_state):
                raise OSError(f"{self._folder} was replaced by another folder")
            write_atomically(path, raw := text.encode(), mode=0o600)
            with self._lock:
                self._files.append((path, len(raw)))
                while (
                    len(self._files) > 1 and sum(size for _, size in self._files) > self._max_bytes
                ):
                    self._files.popleft()[0].unlink(missing_ok=True)
        except OSError as error:
            why = "could not save a cut result in %s: %s"
            _LOG.warning(why, self._folder, error)
            return False
        return True

    def close(self) -> None:
        """Delete the files and their folder."""
        with suppress(OSError):
            if os.path.samestat(self._folder.lstat(), self._folder_state):
                shutil.rmtree(self._folder, ignore_errors=True)


def _random_number() -> str:
    """Return a random number that cannot be guessed, always with equally many digits."""
    return f"{randbelow(10**24):024}"


def _is_replaceable(folder_state: os.stat_result) -> bool:
    """Whether other users could replace a folder in this folder with their own."""
    is_shared = folder_state.st_mode & stat.S_IWOTH and not folder_state.st_mode & stat.S_ISVTX
    return bool(is_shared) or folder_state.st_uid not in (0, os.getuid())
