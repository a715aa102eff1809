"""Writing a file so that whoever reads it finds the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


def write_atomically(path: str | PathLike[str], content: bytes, *, mode: int | None = None) -> None:
    """Replace a file, or leave it as it is.

    The content goes to a file beside it, to the disk, and then takes its name. A process that
    is killed in between leaves the old file, and one called ``.<name>.<something>.tmp``.

    Parameters
    ----------
    path : path-like
        The file; of a link, what it points to. Folders that are missing are made.
    content : bytes
        What it shall hold.
    mode : int, optional
        Its permissions; else those it has, or ``0o644``.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    # The new name is on the disk only once the folder is; Windows has no such thing.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
