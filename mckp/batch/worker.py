"""A process that encodes what it is sent, and what becomes of a record."""

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
"""Records that are sent together: numbers and pickled content."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record of which nothing became.

    Attributes
    ----------
    index : int
        Which record it is, counted from 0.
    error : Exception
        Why: an `MckpError` for what is wrong with the record or the budget, a `WorkerError` if
        the process that encoded it ended; anything else is a defect, with a traceback among its
        notes if it comes from another process.
    """

    index: int
    error: Exception

    def __str__(self) -> str:
        return f"record {self.index}: {self.error}"


def attempt(call: Callable[[Any], T], record: Any) -> T | Exception:
    """Return what a call gives for a record, or its error instead of raising it."""
    try:
        return call(record)
    except Exception as error:
        return error


def outcome(index: int, result: T | Exception) -> T | Failure:
    """Return what to hand out for a record."""
    return Failure(index, result) if isinstance(result, Exception) else result


EXIT_SECONDS: Final = 5.0
"""Seconds to wait for the exit code of a process whose line is closed."""


class Worker:
    """A process and our end of the pipe to it.

    `chunk` is what it has not answered yet: an empty chunk while it begins, None while it waits.
    """

    def __init__(self, context: Any, setup: bytes) -> None:
        self.link: Connection
        self.link, theirs = context.Pipe()
        self.chunk: Chunk | None = []
        # A forked process has a copy of `link`, and must close it: else it would never notice
        # that this end is gone.
        self._process = context.Process(
            target=work, args=(theirs, self.link, setup), name="mckp", daemon=True
        )
        with _uninterrupted():
            self._process.start()
        theirs.close()

    def send(self, chunk: Chunk) -> None:
        """Send records to a process that waits; an OSError says that it has ended before that."""
        self.link.send(len(chunk))
        self.chunk = chunk
        with suppress(OSError):  # an end from here on is noticed where the answer is due
            for _, payload in chunk:
                self.link.send_bytes(payload)

    def stop(self, patience: float = 0.0) -> int | None:
        """End the process at once, and return its exit code: it holds nothing to be missed."""
        self._process.join(patience)
        self._process.kill()
        self._process.join()
        self.link.close()
        code: int | None = self._process.exitcode
        return code


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Hold Ctrl-C back while a process begins, which inherits that: it would tell of it, too."""
    masked = getattr(signal, "pthread_sigmask", None)  # which Windows has not
    before = masked(signal.SIG_BLOCK, {signal.SIGINT}) if masked else ()
    try:
        yield
    finally:
        if masked:
            masked(signal.SIG_SETMASK, before)


def work(link: Connection, theirs: Connection, setup: bytes) -> None:
    """Answer chunks until the pipe is closed; this is what the process runs.

    An answer has for each record a result, an error, or None if the record could not be unpickled.
    The first answer is an empty list once the process has begun, or the error why it cannot begin.
    """
    theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has the handlers of the program
    with suppress(EOFError, OSError):
        call: Any = attempt(pickle.loads, setup)
        if isinstance(call, Exception):
            link.send(WorkerError(f"a worker process cannot start: {type(call).__name__}: {call}"))
            return
        attempt(call, "[]")  # loads the vocabulary, once for all records
        link.send([])
        while True:
            payloads = [link.recv_bytes() for _ in range(link.recv())]
            link.send([_found(call, payload) for payload in payloads])


def _found(call: Callable[[Any], Any], payload: bytes) -> Any:
    try:
        record = pickle.loads(payload)
    except Exception:
        return None  # as when its class is known to the process that asks only
    result = attempt(call, record)
    return _portable(result) if isinstance(result, Exception) else result


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way; a defect keeps its traceback as a note."""
    try:
        copy: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = WorkerError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MckpError):
        copy.add_note("in another process:\n" + "".join(traceback.format_exception(error)))
    return copy
