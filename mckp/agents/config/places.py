"""Where files of configuration and telemetry are, and how one is written: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from os import PathLike

    from mckp.agents.config.config import Telemetry

FOLDER: Final = "MCKP_TELEMETRY_DIR"
"""The variable that goes before the default folder of telemetry, and after a configuration."""

PROJECT: Final = Path(".mckp") / "pipeline_config.toml"
"""The configuration of a project, in its folder."""

LEARNT: Final = Path(".mckp") / "salience.toml"
"""What `mckp tune` has learnt in a project: a configuration too, over which the other one goes."""


def named(variable: str) -> Path | None:
    """Return the place that a variable of the environment names."""
    found = os.environ.get(variable)
    return Path(found) if found else None


def user_folder() -> Path:
    """Return the folder of this user's files."""
    return (named("XDG_CONFIG_HOME") or Path.home() / ".config") / "mckp"


def config_files(project: Path | None = None) -> tuple[Path, ...]:
    """Return the files of a configuration, the user's and over it those of a project's folder.

    Examples
    --------
    >>> [file.name for file in config_files(Path("."))]
    ['pipeline_config.toml', 'salience.toml', 'pipeline_config.toml']
    """
    own = user_folder() / "pipeline_config.toml"
    return (own,) if project is None else (own, project / LEARNT, project / PROJECT)


def telemetry_folder(telemetry: Telemetry) -> Path:
    """Return the folder that telemetry is written to and read from."""
    found = telemetry.path or os.environ.get(FOLDER)
    return Path(found).expanduser() if found else user_folder() / "telemetry"


def read_whole(path: Path) -> bytes:
    """Return what a file holds; a pipe or a device is refused: who reads one may wait for ever."""
    kind = path.stat().st_mode
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise OSError(errno.EINVAL, "It is a pipe or a device, and no file", str(path))
    return path.read_bytes()


def write_atomically(
    path: str | PathLike[str], content: bytes, *, mode: int | None = None, anew: bool = True
) -> None:
    """Replace a file, or leave it as it is.

    The content goes to a file beside it, to the disk, and then takes its name. A process that
    is killed in between leaves the old file, and one called ``.<name>.<something>.tmp``. Of a link,
    what it points to is replaced. Folders that are missing are made. Without a mode the file keeps
    its permissions, or has ``0o644``. If not `anew`, a file that is there by then stays.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        made.chmod(mode)
        if anew:
            made.replace(target)
        else:
            with contextlib.suppress(FileExistsError):
                target.hardlink_to(made)
    finally:
        with contextlib.suppress(OSError):
            made.unlink()
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    # The new name is on the disk only once the folder is; Windows has no such thing.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
