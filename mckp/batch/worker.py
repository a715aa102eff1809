"""Processes that encode what they are sent: one, the end of the line to it, and a team of them."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mckp.errors import MckpError, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection


T = TypeVar("T")


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


def outcome(index: int, found: T | Exception) -> T | Failure:
    """Return what to hand out for a record."""
    return Failure(index, found) if isinstance(found, Exception) else found


EXIT_SECONDS: Final = 5.0
"""Seconds to wait for the exit code of a process whose line is closed."""


_NO_START: Final = (
    'a process ended before it could begin; is the script guarded by if __name__ == "__main__"?'
)


class Worker:
    """The near end of the line to a process."""

    def __init__(self, context: Any, setup: bytes) -> None:
        self.link: Connection
        self.link, theirs = context.Pipe()
        self.is_ready = False
        self.message: Any = None
        # A forked process has a copy of `link`, and must close it: else it would never notice
        # that this end is gone.
        self._process = context.Process(
            target=work, args=(theirs, self.link, setup), name="mckp", daemon=True
        )
        self._process.start()
        theirs.close()

    def send(self, message: Any, payloads: Sequence[bytes]) -> None:
        """Send pickled records to a process that waits.

        Raises
        ------
        OSError
            If it has ended before that.
        """
        self.link.send(len(payloads))
        self.message = message
        with suppress(OSError):  # an end from here on is noticed where the answer is due
            for payload in payloads:
                self.link.send_bytes(payload)

    def receive(self) -> list[Any] | None:
        """Return an answer: for each record the result, the error, or None if it was not read.

        The first answer is None, and says that the process has begun.

        Raises
        ------
        EOFError, OSError
            If the process has ended.
        WorkerError
            If it cannot begin.
        """
        answer: list[Any] | WorkerError | None = pickle.loads(self.link.recv_bytes())
        if isinstance(answer, WorkerError):
            raise answer
        self.is_ready, self.message = True, None
        return answer

    def lost(self) -> WorkerError:
        """Return the error of a process that has ended on its own."""
        self._process.join(EXIT_SECONDS)
        code: int | None = self._process.exitcode
        self.stop()
        return WorkerError("its process ended" if self.is_ready else _NO_START, exitcode=code)

    def stop(self) -> None:
        """End the process at once. It holds nothing that anybody would miss."""
        self._process.kill()
        self._process.join()
        self.link.close()


def work(link: Connection, theirs: Connection, setup: bytes) -> None:
    """Answer messages until nobody is there any more: what the process runs."""
    theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has the handlers of the program
    with suppress(EOFError, OSError):
        try:
            call = _prepared(setup)
        except Exception as error:
            message = f"a process cannot begin: {type(error).__name__}: {error}"
            link.send_bytes(pickle.dumps(WorkerError(message)))
            return
        link.send_bytes(pickle.dumps(None))
        while True:
            payloads = [link.recv_bytes() for _ in range(link.recv())]
            link.send_bytes(pickle.dumps([_found(call, payload) for payload in payloads]))


def _prepared(setup: bytes) -> Callable[[Any], Any]:
    call: Callable[[Any], Any] = pickle.loads(setup)
    attempt(call, "[]")  # loads the vocabulary, once for all records
    return call


def _found(call: Callable[[Any], Any], payload: bytes) -> Any:
    try:
        record = pickle.loads(payload)
    except Exception:
        return None  # as when its class is known to the process that asks only
    found = attempt(call, record)
    return _portable(found) if isinstance(found, Exception) else found


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way; a defect keeps its traceback as a note."""
    try:
        copy: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = WorkerError(f"{type(error).__name__}: {error}")
    if not isinstance(error, MckpError):
        copy.add_note("in another process:\n" + "".join(traceback.format_exception(error)))
    return copy


class Team:
    """Processes that encode.

    Raises
    ------
    TypeError
        If the call cannot be sent to another process.
    """

    def __init__(self, call: Callable[[Any], Any], most: int, method: str | None = None) -> None:
        self.most = most
        self._setup = _pickled(call)
        self._context: Any = multiprocessing.get_context(method or start_method())
        self._workers: list[Worker] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    @property
    def at_work(self) -> int:
        """How many processes have a message they have not answered."""
        return sum(worker.message is not None for worker in self._workers)

    @property
    def is_busy(self) -> bool:
        """Whether anything is to be heard of any process."""
        return any(w.message is not None or not w.is_ready for w in self._workers)

    @property
    def has_idle(self) -> bool:
        """Whether a process waits, or none was started yet."""
        waits = (worker.is_ready and worker.message is None for worker in self._workers)
        return not self._workers or any(waits)

    def idle(self, wanted: int) -> list[Worker]:
        """Return processes that wait, as many as are wanted; further ones are started."""
        idle = [w for w in self._workers if w.is_ready and w.message is None][:wanted]
        beginning = sum(not worker.is_ready for worker in self._workers)
        room = self.most - len(self._workers)
        for _ in range(min(room, wanted - len(idle) - beginning)):
            self._start()
        return idle

    def _start(self) -> None:
        try:
            self._workers.append(Worker(self._context, self._setup))
        except OSError as error:
            self._do_without(WorkerError(f"no process can be started: {error}"))

    def _do_without(self, error: WorkerError) -> None:
        """Go on with the processes there are, if there are any."""
        self.most = len(self._workers)
        if not self._workers:
            raise error

    def answers(self, seconds: float | None) -> Iterator[tuple[Any, list[Any] | WorkerError]]:
        """Yield messages with their answers, or with the error of a process that ended."""
        heard = set(wait([worker.link for worker in self._workers], seconds))
        for worker in [each for each in self._workers if each.link in heard]:
            message, answer = worker.message, self._heard(worker)
            if message is not None and answer is not None:
                yield message, answer

    def _heard(self, worker: Worker) -> list[Any] | WorkerError | None:
        try:
            return worker.receive()
        except (EOFError, OSError):
            self._workers.remove(worker)
            error = worker.lost()
        if not worker.is_ready:
            self._do_without(error)
        return error


def start_method() -> str:
    """Return how processes are to be started.

    What the program has set, or else the default of the platform; but a fork of a process with
    several threads may hang, for locks of the others stay locked in it.
    """
    method = multiprocessing.get_start_method(allow_none=True)
    methods = multiprocessing.get_all_start_methods()
    method = method or methods[0]
    if method == "fork" and threading.active_count() > 1 and "forkserver" in methods:
        return "forkserver"
    return method


def _pickled(call: Callable[[Any], Any]) -> bytes:
    try:
        return pickle.dumps(call)
    except Exception as error:
        raise TypeError(
            f"the tokenizer cannot be sent to other processes ({error}); "
            "pass its name or a function of a module, or processes=1"
        ) from error
