"""Whole results in files, for models that can read files."""

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
    """Files of one proxy, in a folder of its own, which is deleted when the proxy ends.

    Other users can neither read the files nor guess their names. A file is there whole or not at
    all. If all have more than ``most`` bytes, the oldest are deleted. A folder is refused if
    nothing can be written there, or if other users could replace files in it.
    """

    def __init__(self, folder: str, most: int = 1 << 30) -> None:
        self._most, self._files = most, deque[tuple[Path, int]]()
        self._lock = Lock()
        where = Path(folder).expanduser().resolve()
        try:
            where.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.name == "posix" and _is_open(where.stat()):
                message = "other users can replace files there; name a folder of your own"
                raise ConfigError(message, key="spill", source=folder)
            self._folder = where / f"mckp-{_number()}"
            self._folder.mkdir(mode=0o700)
            self._made = self._folder.lstat()
        except OSError as error:
            message = f"cannot write there: {error.strerror}; name another folder"
            raise ConfigError(message, key="spill", source=folder) from None

    def path(self, *, is_json: bool) -> Path:
        """Return a path for a text."""
        return self._folder / f"{_number()}{'.json' if is_json else '.txt'}"

    def write(self, path: Path, text: str) -> bool:
        """Write a text and return whether it is there; if not, no part of it is."""
        try:
            if not os.path.samestat(self._folder.lstat(), self._made):
                raise OSError(f"{self._folder} was replaced by another folder")
            write_atomically(path, raw := text.encode(), mode=0o600)
            with self._lock:
                self._files.append((path, len(raw)))
                while len(self._files) > 1 and sum(size for _, size in self._files) > self._most:
                    self._files.popleft()[0].unlink(missing_ok=True)
        except OSError as error:
            why = "could not save a cut result in %s: %s"
            _LOG.warning(why, self._folder, error)
            return False
        return True

    def close(self) -> None:
        """Remove the files and their folder."""
        with suppress(OSError):
            if os.path.samestat(self._folder.lstat(), self._made):
                shutil.rmtree(self._folder, ignore_errors=True)


def _number() -> str:
    """Return a number that nobody can guess, always of equally many tokens."""
    return f"{randbelow(10**24):024}"


def _is_open(folder_state: os.stat_result) -> bool:
    """Whether other users could replace a folder in this folder by one of theirs."""
    is_shared = folder_state.st_mode & stat.S_IWOTH and not folder_state.st_mode & stat.S_ISVTX
    return bool(is_shared) or folder_state.st_uid not in (0, os.getuid())
