"""Paths of configuration and telemetry files; a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from os import PathLike

VERSIONS: Final = {"configuration": 2, "session": 1, "events": 1, "hooks": 1}
"""The newest version of each file format; it is raised when the meaning of a part changes."""

FOLDER: Final = "MCKP_TELEMETRY_DIR"
"""The environment variable that names the telemetry folder, unless a configuration does."""

PROJECT: Final = Path(".mckp") / "pipeline_config.toml"
"""The path of a project's configuration, relative to the project's folder."""

KINDS: Final = "kinds.toml"
"""The name of a file with kinds of texts."""

LEARNT: Final = Path(".mckp") / "salience.toml"
"""The configuration that `mckp tune` writes in a project; `PROJECT` overrides it."""


def path_from_env(variable: str) -> Path | None:
    """Return the path in an environment variable, or None if it is unset or empty."""
    value = os.environ.get(variable)
    return Path(value) if value else None


def path_of(written: str) -> Path:
    """Return a path that begins with ``~``, a variable, or a kind of folder, as hosts have it.

    Examples
    --------
    >>> path_of("~/.cursor/mcp.json") == Path.home() / ".cursor" / "mcp.json"
    True
    """
    beginning, _, rest = written.partition("/")
    if beginning == "~":
        return Path.home() / rest
    if beginning == "$desktop":
        return _desktop_folder() / rest
    if beginning == "$settings":
        return _settings_folder() / rest
    variable = beginning.removeprefix("$")
    return (path_from_env(variable) or Path.home() / _DEFAULTS[variable]) / rest


_DEFAULTS: Final = {"CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex"}
"""The folders, in that of the user, that variables of the environment replace."""


def _desktop_folder() -> Path:
    """Return the folder in which desktop programs keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return path_from_env("APPDATA") or Path.home() / "AppData" / "Roaming"
    return _settings_folder()


def _settings_folder() -> Path:
    """Return the folder in which other programs keep the user's settings."""
    return path_from_env("XDG_CONFIG_HOME") or Path.home() / ".config"


def user_folder() -> Path:
    """Return the folder of this user's configuration, and of telemetry by default."""
    return (path_from_env("XDG_CONFIG_HOME") or Path.home() / ".config") / "mckp"


def config_files(project: Path | None = None) -> tuple[Path, ...]:
    """Return the configuration files: the user's, then the project's, which override it.

    Examples
    --------
    >>> [file.name for file in config_files(Path("."))]
    ['pipeline_config.toml', 'salience.toml', 'pipeline_config.toml']
    """
    user_file = user_folder() / "pipeline_config.toml"
    return (user_file,) if project is None else (user_file, project / LEARNT, project / PROJECT)


def kinds_files(project: Path) -> tuple[Path, ...]:
    """Return the files of a user's own kinds of texts: the user's, then the project's.

    Examples
    --------
    >>> [file.name for file in kinds_files(Path("."))]
    ['kinds.toml', 'kinds.toml']
    """
    return user_folder() / KINDS, project / PROJECT.parent / KINDS


def telemetry_folder(configured: str | None) -> Path:
    """Return the folder of telemetry: the configured one, else that of `FOLDER`, else a default."""
    folder = configured or os.environ.get(FOLDER)
    return Path(folder).expanduser() if folder else user_folder() / "telemetry"


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file; raise an `OSError` for a pipe or a device, which may not end."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "This is a pipe or a device, not a file", str(path))
    return path.read_bytes()


END_BYTES: Final = 1 << 20
"""The bytes that `text_below` reads at each end of a long file."""


def text_below(folder: Path, names: Sequence[str]) -> str:
    """Return the text of a file below a folder; for a long file, its beginning and its end.

    `names` are the folders on the way and the file; none of them may be a link.

    Raises
    ------
    OSError
        If there is no file, or a link, a pipe or a folder in its place.
    """
    descriptor = _open_below(folder, names)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "This is not a file", names[-1])
        head = file.read(2 * END_BYTES)
        if status.st_size <= 2 * END_BYTES:
            return head.decode("utf-8", "replace")
        head = head[:END_BYTES]
        file.seek(-END_BYTES, os.SEEK_END)
        tail = file.read(END_BYTES)
    # Whole lines, unless one is longer than this.
    head = head[: head.rfind(b"\n") + 1] or head
    tail = tail[tail.find(b"\n") + 1 :] or tail
    missing = status.st_size - len(head) - len(tail)
    beginning, end = (part.decode("utf-8", "replace") for part in (head, tail))
    return f"{beginning}[{missing:,} bytes are only in the file]\n{end}"


def _open_below(folder: Path, names: Sequence[str]) -> int:
    """Return a descriptor for reading a file below a folder; raise an `OSError` at a link."""
    if os.open not in os.supports_dir_fd:  # Windows
        for number in range(1, len(names) + 1):
            if folder.joinpath(*names[:number]).is_symlink():
                raise OSError(
                    errno.ELOOP, "This is a symlink", str(folder.joinpath(*names[:number]))
                )
        return os.open(folder.joinpath(*names), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for number, name in enumerate(names, 1):
        # A pipe in place of the file would block without O_NONBLOCK.
        flags = os.O_NONBLOCK if number == len(names) else os.O_DIRECTORY
        try:
            next_descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | flags, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = next_descriptor
    return descriptor


@contextlib.contextmanager
def replacing(
    path: str | PathLike[str], *, mode: int | None = None, overwrite: bool = True
) -> Generator[BinaryIO]:
    """Yield a file to write to; it replaces the one at `path` only if no error is raised.

    It is written next to the old file, synced to the disk, and then renamed. A process that is
    killed in between leaves the old file, and one named ``.mckp-<something>.tmp``. If the path is a
    link, its target is replaced. The file keeps its owner if this process may set it. Its
    permissions are `mode`, or else those of the old file, or else the usual ones. Unless
    `overwrite`, a file that was there, or has been created meanwhile, is not replaced. A device or
    pipe is written to directly.
    """
    given_path = Path(path)
    target = Path(os.path.realpath(path))  # the pipe of /dev/stdout has no name
    is_device = given_path.exists() and not given_path.is_file()
    draft = given_path if is_device else target.with_name(f".mckp-{os.urandom(8).hex()}.tmp")
    old = target.stat() if target.exists() else None
    kept_mode = old.st_mode & 0o777 if mode is None and old is not None else mode
    permissions = 0o666 if kept_mode is None else kept_mode
    try:
        with open(
            draft,
            "wb" if is_device else "xb",
            opener=lambda name, flags: os.open(name, flags, permissions),
        ) as file:
            yield file
            if not is_device:
                file.flush()
                os.fsync(file.fileno())
        if is_device:
            return
        if kept_mode is not None:  # the umask may have removed some of them
            draft.chmod(kept_mode)
        if old is not None and hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):  # only root can give files away
                os.chown(draft, old.st_uid, old.st_gid)
        if overwrite:
            draft.replace(target)
        else:
            with contextlib.suppress(FileExistsError):
                target.hardlink_to(draft)
    except OSError as error:
        if error.filename in (None, str(draft)):
            error.filename = str(path)
        raise
    finally:
        if not is_device:
            with contextlib.suppress(OSError):
                draft.unlink()
    _sync_folder(target.parent)


def write_atomically(
    path: str | PathLike[str], content: bytes, *, mode: int | None = None, overwrite: bool = True
) -> None:
    """Write a file as `replacing` does, and create missing folders on its path."""
    Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, mode=mode, overwrite=overwrite) as file:
        file.write(content)


def _sync_folder(folder: Path) -> None:
    """Sync a folder to the disk, so that new names in it last, if the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
