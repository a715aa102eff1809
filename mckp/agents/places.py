"""The places of configuration and telemetry files; files are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from os import PathLike

VERSIONS: Final = {"configuration": 2, "session": 1, "events": 1, "hooks": 1}
"""The newest version of each format of files: it grows if a part changes its meaning."""

FOLDER: Final = "MCKP_TELEMETRY_DIR"
"""The variable that names the folder of telemetry, if no configuration does."""

PROJECT: Final = Path(".mckp") / "pipeline_config.toml"
"""The configuration of a project, in its folder."""

LEARNT: Final = Path(".mckp") / "salience.toml"
"""The configuration that `mckp tune` writes in a project; `PROJECT` overrides it."""


def named(variable: str) -> Path | None:
    """Return the path in an environment variable, None if it is empty."""
    value = os.environ.get(variable)
    return Path(value) if value else None


def user_folder() -> Path:
    """Return the folder of this user's files."""
    return (named("XDG_CONFIG_HOME") or Path.home() / ".config") / "mckp"


def config_files(project: Path | None = None) -> tuple[Path, ...]:
    """Return the files of a configuration: the user's, then those of a project, which override it.

    Examples
    --------
    >>> [file.name for file in config_files(Path("."))]
    ['pipeline_config.toml', 'salience.toml', 'pipeline_config.toml']
    """
    user_file = user_folder() / "pipeline_config.toml"
    return (user_file,) if project is None else (user_file, project / LEARNT, project / PROJECT)


def telemetry_folder(configured: str | None) -> Path:
    """Return the folder that telemetry is written to and read from."""
    folder = configured or os.environ.get(FOLDER)
    return Path(folder).expanduser() if folder else user_folder() / "telemetry"


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file; a pipe or device is refused, since reading may never end."""
    kind = path.stat().st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise OSError(errno.EINVAL, "This is a pipe or a device, not a file", str(path))
    return path.read_bytes()


END_BYTES: Final = 1 << 20
"""Bytes that `text_below` reads of the beginning of a file, and as many of its end."""


def text_below(folder: Path, names: Sequence[str]) -> str:
    """Return the text of a file below a folder; of a long one the beginning and the end.

    `names` lead from the folder to the file, and no link among them is followed.

    Raises
    ------
    OSError
        If there is no file, or a link, a pipe or a folder in its place.
    """
    handle = _opened(folder, names)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
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
    above, below = (part.decode("utf-8", "replace") for part in (head, tail))
    return f"{above}[{missing:,} bytes are only in the file]\n{below}"


def _opened(folder: Path, names: Sequence[str]) -> int:
    """Open a file below a folder without following links."""
    if os.open not in os.supports_dir_fd:  # Windows
        for number in range(1, len(names) + 1):
            if folder.joinpath(*names[:number]).is_symlink():
                raise OSError(
                    errno.ELOOP, "This is a symlink", str(folder.joinpath(*names[:number]))
                )
        return os.open(folder.joinpath(*names), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for number, name in enumerate(names, 1):
        # A pipe in place of the file would block without O_NONBLOCK.
        kind = os.O_NONBLOCK if number == len(names) else os.O_DIRECTORY
        try:
            inner = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | kind, dir_fd=handle)
        finally:
            os.close(handle)
        handle = inner
    return handle


@contextlib.contextmanager
def replaced(
    path: str | PathLike[str], *, mode: int | None = None, anew: bool = True
) -> Generator[BinaryIO]:
    """Yield a file to write, which replaces another only if no error comes up.

    It is written beside the other, synced to the disk, and then renamed. A process that is killed
    in between leaves the old file, and one named ``.mckp-<something>.tmp``. For a link, its target
    is replaced. Without a mode the file keeps its permissions, or gets those of any new file. If
    not `anew`, a file that exists by then stays. A device or pipe is written to directly.
    """
    given_path, target = (
        Path(path),
        Path(os.path.realpath(path)),
    )  # the pipe of /dev/stdout has no name
    is_device = given_path.exists() and not given_path.is_file()
    draft = given_path if is_device else target.with_name(f".mckp-{os.urandom(8).hex()}.tmp")
    kept_mode = target.stat().st_mode & 0o777 if mode is None and target.exists() else mode
    rights = 0o666 if kept_mode is None else kept_mode
    try:
        with open(
            draft, "wb" if is_device else "xb", opener=lambda name, how: os.open(name, how, rights)
        ) as file:
            yield file
            if not is_device:
                file.flush()
                os.fsync(file.fileno())
        if is_device:
            return
        if kept_mode is not None:  # the umask may have removed some of them
            draft.chmod(kept_mode)
        if anew:
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
    path: str | PathLike[str], content: bytes, *, mode: int | None = None, anew: bool = True
) -> None:
    """Replace a file as `replaced` does; missing folders are made."""
    Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
    with replaced(path, mode=mode, anew=anew) as file:
        file.write(content)


def _sync_folder(folder: Path) -> None:
    # The folder must be synced, too, for the new name; Windows cannot do that.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
