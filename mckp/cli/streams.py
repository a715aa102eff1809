"""Reads and writes bytes of files and standard streams, whatever the locale."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from mckp.agents.places import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from contextlib import AbstractContextManager

    from mckp.batch.progress import Report

STANDARD: Final = "-"
_PATIENCE: Final = 1.5
"""Seconds between notes that the work goes on."""


def read(name: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``."""
    with opened_file(name) as file:
        return file.read()


def document(name: str) -> bytes:
    """Return the bytes of a file, and refuse one that is not text.

    Raises
    ------
    MckpError
        If it is empty (as when the command before a pipe has failed), a folder, or binary.
    """
    from mckp.errors import MckpError
    from mckp.parsers.repair import refuse_binary

    try:
        content = read(name)
    except IsADirectoryError:
        raise MckpError(
            "expected a file, not a folder; to encode all files in a folder, use mckp batch"
        ) from None
    if not content.strip():
        raise MckpError("the input is empty; the command that wrote it may have failed")
    refuse_binary(content)
    return content


@contextmanager
def opened_file(name: str) -> Generator[BinaryIO]:
    """Open a file for reading; ``-`` is standard input, which is not closed afterwards."""
    if name != STANDARD:
        with open(name, "rb") as file:
            yield file
    elif sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise OSError(errno.EBADF, "the stream is closed", "<stdin>")
    else:
        yield sys.stdin.buffer


def write(text: str, name: str) -> None:
    """Write a text exactly, as UTF-8, to a file, or to standard output for ``-``.

    A terminal gets a line end if the text does not end with one, so that the prompt is on a line of
    its own.
    """
    if name != STANDARD:
        with written_file(name) as write_part:
            write_part(text.encode())
        return
    if is_terminal(sys.stdout) and not text.endswith("\n"):
        text += "\n"
    write_output(text.encode())


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream, which may be closed, is a terminal."""
    return stream is not None and stream.isatty()


def write_output(data: bytes) -> None:
    """Write all bytes to standard output; raise an `OSError` if it is closed."""
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
    """Drop buffered output; otherwise the interpreter would report an error at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def written_file(name: str) -> Generator[Callable[[bytes], object]]:
    """Yield a function that appends bytes to a file, which is replaced only when all is written.

    For ``-``, it writes each part to standard output at once.
    """
    if name == STANDARD:
        yield write_output
        return
    with replacing(name) as file:
        yield file.write


def shown_name(name: str | bytes | int) -> str:
    """Return the name of a file for messages."""
    if name == STANDARD:
        return "<stdin>"
    return os.fsdecode(name) if isinstance(name, bytes) else str(name)


def title(name: str) -> str:
    """Return the title of a page about a file."""
    return "standard input" if name == STANDARD else Path(name).name


def printable(text: str) -> str:
    r"""Return a text with control and invisible characters escaped.

    Examples
    --------
    >>> print(printable("a\x1b[1m\nü"))
    a\x1b[1m\nü
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def note_estimate(tokenizer: str) -> None:
    """Print a note on standard error if a tokenizer estimates, and so cannot prove a budget."""
    from mckp import tokenizers

    if not (counter := tokenizers.get(tokenizer)).exact:
        from mckp.tokenizers.listing import accuracy_advice

        note = f"tokens are estimated by {counter.name}, not counted; {accuracy_advice(tokenizer)}"
        sys.stderr.write(f"mckp: note: {note}\n")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return a table as text, with a caption below it."""
    from mckp.display.blocks import aligned_lines

    cells = [[printable(cell) for cell in row] for row in rows]
    return "\n".join([*aligned_lines(head, cells), "", printable(caption)]) + "\n"


def bar(label: str) -> AbstractContextManager[Report]:
    """Return a context with a progress bar, which is shown only on a terminal."""
    from mckp.batch.progress import bar as drawn_bar

    return (
        drawn_bar(label, transient=True)
        if is_terminal(sys.stderr)
        else nullcontext(lambda done, total: None)
    )


@contextmanager
def clock(label: str) -> Generator[None]:
    """Show the seconds that the work has taken so far, on a terminal."""
    if not is_terminal(sys.stderr):
        yield
        return
    from threading import Event, Thread  # most commands end before this is needed

    start, done = monotonic(), Event()

    def show_seconds() -> None:
        """Show the seconds until the work is done."""
        line = ""
        while not done.wait(_PATIENCE):
            line = f"mckp: {label}, {monotonic() - start:.0f} s so far"
            sys.stderr.write(f"\r{line}")
            sys.stderr.flush()
        sys.stderr.write(f"\r{' ' * len(line)}\r" if line else "")

    ticker = Thread(target=show_seconds, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
