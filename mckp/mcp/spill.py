"""Whole results in files, for hosts whose models can read files: what was cut is one step away."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections import deque
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from mckp.config.places import write_atomically
from mckp.errors import ConfigError

if TYPE_CHECKING:
    from os import PathLike


class Spill:
    """Files of one proxy, in a folder of its own that goes with it.

    Others can neither read them nor guess their names. A file is there whole or not at all.

    Parameters
    ----------
    folder : path-like
        Where the folder is made. It is made itself if it is not there.
    above : int
        Characters from which on a result that is cut gets a file.
    most : int
        Bytes of all files; the oldest ones go first, but never the latest.

    Raises
    ------
    ConfigError
        If nothing can be made there, or if others could exchange what is made there.
    """

    def __init__(self, folder: str | PathLike[str], above: int, most: int = 1 << 30) -> None:
        self.above, self._most = above, most
        self._files: deque[tuple[Path, int]] = deque()
        where = Path(folder).expanduser().resolve()
        try:
            where.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check(where)
            self._folder = Path(tempfile.mkdtemp(prefix="mckp-", dir=where))
        except OSError as error:
            message = f"no file can be written there: {error.strerror}; name another folder"
            raise ConfigError(message, key="spill", source=str(folder)) from None
        self._made = self._folder.lstat()

    def place(self, *, is_json: bool) -> Path:
        """Return a path for a file."""
        return self._folder / f"{token_urlsafe(12)}{'.json' if is_json else '.txt'}"

    def write(self, path: Path, text: str) -> None:
        """Write a file, and remove the oldest ones if there are too many bytes.

        Raises
        ------
        OSError
            If it cannot be written; then nothing of it is there.
        """
        if not os.path.samestat(self._folder.lstat(), self._made):
            raise OSError(f"{self._folder} is not the folder any more that was made")
        raw = text.encode()
        write_atomically(path, raw, mode=0o600)
        self._files.append((path, len(raw)))
        while len(self._files) > 1 and sum(size for _, size in self._files) > self._most:
            with suppress(OSError):
                self._files.popleft()[0].unlink()

    def close(self) -> None:
        """Remove the files and their folder."""
        with suppress(OSError):
            if os.path.samestat(self._folder.lstat(), self._made):
                shutil.rmtree(self._folder, ignore_errors=True)


def _check(folder: Path) -> None:
    """Refuse a folder in which others could put a folder of theirs in the place of ours."""
    found = folder.stat()
    is_open = bool(found.st_mode & stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
    if os.name == "posix" and (is_open or found.st_uid not in (0, os.getuid())):
        message = "others can exchange what is in this folder; name one that is your own"
        raise ConfigError(message, key="spill", source=str(folder))
