"""The secret of an installation, without which its hashes say nothing to others."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from os import PathLike

SIZE: Final = 32


def installation_salt(path: str | PathLike[str]) -> str:
    """Return the salt in a file, which is made where there is none.

    Only its owner may read the file. Two processes that make it at the same time get the
    same salt.

    Parameters
    ----------
    path : path-like
        The file; folders that are missing are made.

    Raises
    ------
    ValueError
        If the file is there and too short to be a salt.
    """
    file = Path(path)
    if not file.exists():
        _make(file)
    salt = file.read_text("ascii", "replace").strip()
    if len(salt) < SIZE:
        raise ValueError(
            f"{file} has {len(salt)} characters and is no salt; delete it for a new one"
        )
    return salt


def _make(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp lets only the owner read; a link either finds no file or leaves the other's.
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w") as made:
            made.write(secrets.token_hex(SIZE // 2))
            made.flush()
            os.fsync(made.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, file)
    finally:
        Path(name).unlink()
