"""Bytes in, bytes out: files and standard streams, whatever the locale."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

STANDARD: Final = "-"


def read(name: str) -> bytes:
    """Return the bytes of a file; of standard input for ``-``."""
    if name != STANDARD:
        return Path(name).read_bytes()
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise OSError(errno.EBADF, "the stream is closed", "<stdin>")
    return sys.stdin.buffer.read()


def write(text: str, name: str) -> None:
    """Write exactly a text, as UTF-8, to a file or (``-``) to standard output.

    A terminal gets a line end in addition if the text has none, so that the prompt
    stands on a line of its own.
    """
    if name != STANDARD:
        write_file(text.encode(), name)
        return
    if is_terminal() and not text.endswith("\n"):
        text += "\n"
    write_output(text.encode())


def is_terminal() -> bool:
    """Whether somebody reads standard output from a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()  # pyright: ignore[reportUnnecessaryComparison]


def write_output(data: bytes) -> None:
    """Write bytes to standard output, to the last one."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise OSError(errno.EBADF, "the stream is closed", "<stdout>")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        discard_output()
        error.filename = "<stdout>"
        raise


def discard_output() -> None:
    """Drop what is still buffered; else the interpreter would complain of it at its end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(data: bytes, name: str) -> None:
    """Write a file whole or not at all.

    Links are followed. What is no regular file, such as a device or a pipe, cannot be
    replaced and is written to.
    """
    path = Path(os.path.realpath(name))
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path, data)
    except OSError as error:
        error.filename = name
        raise


def _replace(path: Path, data: bytes) -> None:
    # Not by tempfile: its files are private, these get the rights any new file gets.
    draft = path.with_name(f".mckp-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with draft.open("xb") as file:
            _write_through(file, data)
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _write_through(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def shown_name(name: str | bytes | int) -> str:
    """Return how a file is called in messages."""
    if name == STANDARD:
        return "<stdin>"
    return os.fsdecode(name) if isinstance(name, bytes) else str(name)


def printable(text: str) -> str:
    r"""Return a text in which what would move the cursor or hide is escaped.

    Examples
    --------
    >>> print(printable("a\x1b[1m\nü"))
    a\x1b[1m\nü
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
