"""Changes to the files of a host: planned, shown as a diff, and written whole or not at all."""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from mckp.agents.hosts.hooks import with_hook, without_hook
from mckp.agents.hosts.wrapping import Wrapping, read, unwrapped, wrapped
from mckp.agents.places import read_whole, write_atomically
from mckp.errors import ConfigError, MckpError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from mckp.agents.hosts.places import File


@dataclass(slots=True)
class FileChange:
    """The change of one file: its bytes before and after, each None if there is no file."""

    path: Path
    old: bytes | None
    new: bytes | None
    servers: Wrapping | None = None
    """The changes of its servers, or None for a file of hooks."""

    @property
    def backup(self) -> Path:
        """The path of the backup, which is the file as it was before our first change."""
        return self.path.with_name(f"{self.path.name}.mckp-backup")

    def diff(self) -> str:
        """Return the change as a unified diff, which is empty if nothing changes."""
        old_lines, new_lines = (
            _decode(raw or b"", self.path).splitlines() for raw in (self.old, self.new)
        )
        names = str(self.path), str(self.path) if self.new is not None else "/dev/null"
        return "\n".join(unified_diff(old_lines, new_lines, *names, n=1, lineterm=""))

    def write(self) -> None:
        """Write the new file, or delete the file if there is none; keep the old one as a backup.

        A backup that is like the new file is deleted. An `MckpError` is raised, and nothing
        written, if another program has changed the file, or if it or its backup should not be
        written to.
        """
        if _read_if_any(self.path) != self.old:
            raise MckpError(
                "another program has just changed this file, so nothing was written; try again"
            )
        if self.old is not None and not os.access(self.path, os.W_OK):
            raise MckpError("this file is read-only, so nothing was written")
        if self.backup.is_symlink():  # in a folder that others can write to, it could lead anywhere
            raise MckpError(f"{self.backup} is a symlink, so nothing was written; remove it first")
        old_backup = _read_if_any(self.backup)
        if self.new is None:
            self.path.unlink()
        else:
            if old_backup is None and self.old is not None:
                write_atomically(self.backup, self.old, mode=self.path.stat().st_mode & 0o777)
            write_atomically(self.path, self.new)
        if old_backup is not None and old_backup == self.new:
            self.backup.unlink()


def install(
    file: File, *, program: str, options: Sequence[str], **server_options: Any
) -> FileChange:
    """Return the change that puts the proxy before a file's servers, or the hook into it.

    `program` is the path of mckp, and `options` are those of the proxy or hook. `server_options`
    are the options of `wrapped` that select servers.
    """
    old = _read_if_any(file.path)
    text = _decode(old or b"", file.path)
    with _naming_file(file.path):
        if not file.keys:
            command = " ".join([shlex.quote(program), "hook claude-code", *options])
            return FileChange(file.path, old, with_hook(text, command).encode())
        toml = file.is_toml
        wrapping = wrapped(
            text, file.keys, program=program, options=options, toml=toml, **server_options
        )
        return FileChange(file.path, old, old and wrapping.text.encode(), wrapping)


def uninstall(file: File) -> FileChange:
    """Return the change that removes what `install` put into a file.

    The backup is restored if it has the same data as what would remain. If nothing would remain,
    and there is no backup, the file is deleted.
    """
    change = FileChange(file.path, _read_if_any(file.path), None)
    text = _decode(change.old or b"", file.path)
    with _naming_file(file.path):
        if file.keys:
            change.servers = unwrapped(text, file.keys, toml=file.is_toml)
        new_text = change.servers.text if change.servers else without_hook(text)
        if change.old is None or new_text == text:
            change.new = change.old
            return change
        remaining = read(new_text, toml=file.is_toml).data
        backup = _read_if_any(change.backup)
        if backup is None:
            change.new = new_text.encode() if remaining else None
        else:
            is_original = remaining == read(_decode(backup, change.backup), toml=file.is_toml).data
            change.new = backup if is_original else new_text.encode()
    return change


@contextmanager
def _naming_file(path: Path) -> Generator[None]:
    """Turn an `MckpError` in the block into a `ConfigError` that names the file."""
    try:
        yield
    except ConfigError:
        raise
    except MckpError as error:
        raise ConfigError(str(error), source=str(path)) from None


def _read_if_any(path: Path) -> bytes | None:
    """Return the bytes of a file, or None if it is missing."""
    try:
        return read_whole(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _decode(raw: bytes, path: Path) -> str:
    """Return the text of a file; raise a `ConfigError` if it is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 at byte {error.start + 1}", source=str(path)) from None
