"""The processes that share the work: started when there is some, ended all at once."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from mckp.batch.worker import Worker
from mckp.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from mckp.batch.worker import Answer


class Team:
    """Processes that encode.

    Parameters
    ----------
    call : callable
        What they do with a record.
    most : int
        How many processes there may be.
    method : str, optional
        How they are started, if not as `start_method` says.

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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

    def answers(self, seconds: float | None) -> Iterator[tuple[Any, Answer | WorkerError]]:
        """Yield messages with their answers, or with the error of a process that ended.

        Parameters
        ----------
        seconds : float or None
            How long to wait for the first; None: until there is one.
        """
        heard = set(wait([worker.link for worker in self._workers], seconds))
        for worker in [each for each in self._workers if each.link in heard]:
            message, answer = worker.message, self._heard(worker)
            if message is not None and answer is not None:
                yield message, answer

    def _heard(self, worker: Worker) -> Answer | WorkerError | None:
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
