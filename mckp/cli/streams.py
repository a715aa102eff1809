"""Bytes in, bytes out: files and standard streams, whatever the locale."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from mckp.agents.places import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from contextlib import AbstractContextManager

    from mckp.batch.progress import Report

STANDARD: Final = "-"
_PATIENCE: Final = 1.5
"""Seconds after which somebody who waits is told that the work goes on, and again and again."""


def read(name: str) -> bytes:
    """Return the bytes of a file; of standard input for ``-``."""
    with opened(name) as file:
        return file.read()


_BINARY: Final = (
    b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"%PDF-", b"PK\x03\x04",
    b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x7fELF", b"SQLite format 3\x00",
)  # fmt: skip
"""How pictures, PDF, archives, compressed files, programs and SQLite databases begin."""


def document(name: str) -> bytes:
    """Return the bytes of a file that says something.

    Raises
    ------
    MckpError
        If it is empty, as after a command before a pipe has failed, or a folder, or binary.
    """
    from mckp.errors import MckpError

    try:
        content = read(name)
    except IsADirectoryError:
        raise MckpError(
            "this is a folder; name a file, or encode every file in it with mckp batch"
        ) from None
    if not content.strip():
        raise MckpError("the input is empty; the command that wrote it may have failed")
    if content.startswith(_BINARY):
        raise MckpError("this is a binary file; mckp reads JSON, Markdown and text")
    return content


@contextmanager
def opened(name: str) -> Generator[BinaryIO]:
    """Open a file, or (``-``) standard input, which stays open."""
    if name != STANDARD:
        with open(name, "rb") as file:
            yield file
    elif sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise OSError(errno.EBADF, "the stream is closed", "<stdin>")
    else:
        yield sys.stdin.buffer


def write(text: str, name: str) -> None:
    """Write exactly a text, as UTF-8, to a file or (``-``) to standard output.

    A terminal gets a line end in addition if the text has none, so that the prompt
    is on a line of its own.
    """
    if name != STANDARD:
        with written(name) as write_part:
            write_part(text.encode())
        return
    if is_terminal(sys.stdout) and not text.endswith("\n"):
        text += "\n"
    write_output(text.encode())


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sits at the other end of a standard stream, which may be closed."""
    return stream is not None and stream.isatty()


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


@contextmanager
def written(name: str) -> Generator[Callable[[bytes], object]]:
    """Yield what writes to a file, part by part; it is there whole or not at all.

    For ``-`` that is standard output, to which each part is written at once.
    """
    if name == STANDARD:
        yield write_output
        return
    with replacing(name) as file:
        yield file.write


def shown_name(name: str | bytes | int) -> str:
    """Return how a file is called in messages."""
    if name == STANDARD:
        return "<stdin>"
    return os.fsdecode(name) if isinstance(name, bytes) else str(name)


def title(name: str) -> str:
    """Return what a page about a file is called."""
    return "standard input" if name == STANDARD else Path(name).name


def printable(text: str) -> str:
    r"""Return a text in which what would move the cursor or hide is escaped.

    Examples
    --------
    >>> print(printable("a\x1b[1m\nü"))
    a\x1b[1m\nü
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def tell_of_estimate(tokenizer: str) -> None:
    """Say so on standard error where tokens are estimated, and so prove no budget."""
    from mckp import tokenizers

    if not (counter := tokenizers.get(tokenizer)).exact:
        from mckp.tokenizers.listing import advice

        note = f"tokens are estimated by {counter.name}, not counted; {advice(tokenizer)}"
        sys.stderr.write(f"mckp: note: {note}\n")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return lines of a table, and below it what it shows."""
    from mckp.display.blocks import aligned

    cells = [[printable(cell) for cell in row] for row in rows]
    return "\n".join([*aligned(head, cells), "", printable(caption)]) + "\n"


def bar(label: str) -> AbstractContextManager[Report]:
    """Show how far something has come, where somebody looks at it."""
    from mckp.batch.progress import bar as drawn

    return (
        drawn(label, passing=True)
        if is_terminal(sys.stderr)
        else nullcontext(lambda done, total: None)
    )


@contextmanager
def clock(label: str) -> Generator[None]:
    """Show how many seconds some work has taken so far, where somebody waits for it."""
    if not is_terminal(sys.stderr):
        yield
        return
    began, done = monotonic(), Event()

    def tell() -> None:
        line = ""
        while not done.wait(_PATIENCE):
            line = f"mckp: {label}, {monotonic() - began:.0f} s so far"
            sys.stderr.write(f"\r{line}")
            sys.stderr.flush()
        sys.stderr.write(f"\r{' ' * len(line)}\r" if line else "")

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
