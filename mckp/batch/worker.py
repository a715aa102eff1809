"""The worker process of `encode_many`, and the outcome of one record."""

from __future__ import annotations

import pickle
import signal
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from mckp.errors import MckpError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from multiprocessing.connection import Connection

T = TypeVar("T")

Chunk: TypeAlias = list[tuple[int, bytes]]
"""Records that are sent together: their numbers and pickled contents."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be encoded.

    Attributes
    ----------
    index : int
        The index of the record, counted from 0.
    error : Exception
        The reason: an `MckpError` if the record or the budget is wrong, a `WorkerError` if the
        process that encoded it ended; anything else is a defect, with a traceback in its notes if
        it comes from another process.
    """

    index: int
    error: Exception

    def __str__(self) -> str:
        return f"record {self.index}: {self.error}"


def attempt(call: Callable[[Any], T], record: object) -> T | Exception:
    """Return the result of a call for a record, or its exception instead of raising it."""
    try:
        return call(record)
    except Exception as error:
        return error


def outcome(index: int, result: T | Exception) -> T | Failure:
    """Return a result as it is, or turn an exception into a `Failure` with the record's index."""
    return Failure(index, result) if isinstance(result, Exception) else result


EXIT_SECONDS: Final = 5.0
"""Seconds to wait for the exit code of a process whose pipe is closed."""


class Worker:
    """A worker process and our end of the pipe to it.

    `chunk` holds the records that it has not answered yet: it is empty while the process starts,
    and None while the process is idle.
    """

    def __init__(self, context: Any, setup: bytes) -> None:
        self.link: Connection
        self.link, child_link = context.Pipe()
        self.chunk: Chunk | None = []
        # A forked process has a copy of `link`, and must close it; otherwise it would never notice
        # that this end is gone.
        self._process = context.Process(
            target=work, args=(child_link, self.link, setup), name="mckp", daemon=True
        )
        with _ctrl_c_blocked():
            self._process.start()
        child_link.close()

    def send(self, chunk: Chunk) -> None:
        """Send records to an idle process; raise `OSError` if it has already ended."""
        self.link.send(len(chunk))
        self.chunk = chunk
        with suppress(OSError):  # if it ends from here on, that is noticed where the answer is read
            for _, payload in chunk:
                self.link.send_bytes(payload)

    def stop(self, patience: float = 0.0) -> int | None:
        """End the process after at most `patience` seconds, and return its exit code."""
        self._process.join(patience)
        self._process.kill()
        self._process.join()
        self.link.close()
        code: int | None = self._process.exitcode
        return code


@contextmanager
def _ctrl_c_blocked() -> Generator[None]:
    """Block Ctrl-C while a worker starts; it inherits the block, so Ctrl-C does not reach it."""
    set_mask = getattr(signal, "pthread_sigmask", None)  # missing on Windows
    before = set_mask(signal.SIG_BLOCK, {signal.SIGINT}) if set_mask else ()
    try:
        yield
    finally:
        if set_mask:
            set_mask(signal.SIG_SETMASK, before)


def work(link: Connection, parent_link: Connection, setup: bytes) -> None:
    """Answer chunks of records until the pipe is closed: the main loop of a worker process.

    `setup` is the pickled call for a record. A forked process also has the parent's end of the
    pipe, and closes it. An answer has one item per record: a result, an error, or None if the
    record could not be unpickled. The first message is an empty list, or the error that kept the
    process from starting.
    """
    parent_link.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork inherits the handlers of the program
    with suppress(EOFError, OSError):
        call: Any = attempt(pickle.loads, setup)
        if isinstance(call, Exception):
            link.send(WorkerError(f"a worker process cannot start: {type(call).__name__}: {call}"))
            return
        attempt(call, "[]")  # loads the vocabulary, once for all records
        link.send([])
        while True:
            payloads = [link.recv_bytes() for _ in range(link.recv())]
            link.send([_answer_record(call, payload) for payload in payloads])


def _answer_record(call: Callable[[Any], Any], payload: bytes) -> Any:
    """Return the result or error of a pickled record; None if it cannot be unpickled here."""
    try:
        record = pickle.loads(payload)
    except Exception:
        return None  # e.g. its class is known only to the parent process
    result = attempt(call, record)
    return _picklable_error(result) if isinstance(result, Exception) else result


def _picklable_error(error: Exception) -> Exception:
    """Return an error that can be pickled; a defect keeps its traceback as a note."""
    try:
        copy: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = WorkerError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MckpError):
        copy.add_note("in another process:\n" + "".join(traceback.format_exception(error)))
    return copy
