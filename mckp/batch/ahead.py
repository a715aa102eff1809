"""Encodes records in several processes, reads a little ahead, and yields results in order.

Small records are sent in chunks, but not while a process is idle.

No pool of the standard library is used: `ProcessPoolExecutor` waits for running work at shutdown
and at the end of the program, and hangs if a process is killed while it answers.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections import deque
from contextlib import suppress
from multiprocessing.connection import wait
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from mckp.batch.worker import EXIT_SECONDS, Worker, attempt, outcome
from mckp.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from functools import partial

    from mckp.batch.worker import Chunk

MAX_RECORDS: Final = 32
"""The most records of a chunk."""

CHUNKS_AHEAD: Final = 4
"""The number of full chunks per process that may be read ahead."""

BYTES_AHEAD: Final = 64 << 20
"""The most bytes of records that are read ahead, beyond one chunk per process."""

CHUNK_BYTES: Final = 16 << 10
"""A chunk with this many bytes gets no further records: about ten milliseconds of work."""

WAIT_SECONDS: Final = 0.002
"""The interval at which answers are checked, and a record is sent without waiting for others."""


class Spread:
    """One run over all records; raises `TypeError` if the call cannot be sent to processes."""

    def __init__(self, records: Iterable[Any], call: partial[Any], most_processes: int) -> None:
        self.records = iter(records)
        self.call = call
        self.setup = _pickle_call(call)
        self.most_processes = most_processes
        self.context: Any = multiprocessing.get_context(start_method())
        self.workers: dict[Any, Worker] = {}
        self.open_chunk: Chunk = []
        self.queue: deque[Chunk] = deque()
        self.answers: dict[int, Any] = {}
        self.read_count = self.yielded_count = self.held_bytes = 0
        self.end_error: Exception | None = None
        self.last_check = 0.0

    def outcomes(self) -> Generator[Any, None, None]:
        """Yield the outcome for each record, in order."""
        try:
            while True:
                if self.workers and perf_counter() - self.last_check > WAIT_SECONDS:
                    self.collect_answers(0)
                if self.yielded_count in self.answers:
                    yield outcome(self.yielded_count, self.answers.pop(self.yielded_count))
                    self.yielded_count += 1
                elif self.may_read():
                    self.read_record()
                elif self.yielded_count < self.read_count:
                    self.close_chunk()
                    self.collect_answers(None)
                else:
                    break
        finally:
            for worker in self.workers.values():
                worker.stop()
        if self.end_error is not None and not isinstance(self.end_error, StopIteration):
            raise self.end_error  # an error of the iterator, raised after all earlier outcomes

    def may_read(self) -> bool:
        """Whether there is room to read one more record ahead."""
        most_ahead = CHUNKS_AHEAD * MAX_RECORDS * self.most_processes
        if self.end_error is not None or self.read_count - self.yielded_count >= most_ahead:
            return False
        at_work = sum(bool(worker.chunk) for worker in self.workers.values())
        return self.held_bytes < BYTES_AHEAD or len(self.queue) + at_work < self.most_processes

    def read_record(self) -> None:
        """Read a record into the open chunk, and close the chunk when it is full."""
        start = perf_counter()
        try:
            record = next(self.records)
        except Exception as end:
            self.end_error = end
            return
        number, self.read_count = self.read_count, self.read_count + 1
        try:
            payload = pickle.dumps(record, pickle.HIGHEST_PROTOCOL)
        except Exception:  # Python data may contain what cannot be pickled
            self.answers[number] = attempt(self.call, record)
            return
        self.open_chunk.append((number, payload))
        self.held_bytes += len(payload)
        if self.must_send() or perf_counter() - start > WAIT_SECONDS:
            self.close_chunk()

    def must_send(self) -> bool:
        """Whether the open chunk must be sent: it is full, or a process has nothing to do."""
        if len(self.open_chunk) >= MAX_RECORDS or _chunk_bytes(self.open_chunk) >= CHUNK_BYTES:
            return True
        are_idle = (worker.chunk is None for worker in self.workers.values())
        return not self.queue and (not self.workers or any(are_idle))

    def close_chunk(self) -> None:
        """Close the open chunk, and send as many chunks as possible."""
        if self.open_chunk:
            self.queue.append(self.open_chunk)
            self.open_chunk = []
        self.send_chunks()

    def send_chunks(self) -> None:
        """Send chunks to idle processes, and start a process for each chunk that is left.

        No more than `most_processes` are running.
        """
        for worker in self.workers.values():
            if self.queue and worker.chunk is None:
                with suppress(OSError):  # the process has ended; the chunk goes to another
                    worker.send(self.queue[0])
                    self.queue.popleft()
        starting = sum(worker.chunk == [] for worker in self.workers.values())
        for _ in range(min(self.most_processes - len(self.workers), len(self.queue) - starting)):
            try:
                worker = Worker(self.context, self.setup)
                self.workers[worker.link] = worker
            except OSError as error:
                self.continue_or_raise(WorkerError(f"no worker process can be started: {error}"))

    def continue_or_raise(self, error: WorkerError) -> None:
        """Go on with the processes that are running, or raise the error if there are none."""
        self.most_processes = len(self.workers)
        if not self.workers:
            raise error

    def collect_answers(self, seconds: float | None) -> None:
        """Take the answers that arrive within some seconds; with None, wait for at least one."""
        for link in wait(self.workers, seconds):
            worker = self.workers[link]
            chunk, worker.chunk = worker.chunk, None
            try:
                answer: list[Any] | WorkerError = worker.link.recv()
            except (EOFError, OSError):
                del self.workers[link]
                self.handle_death(chunk, worker.stop(EXIT_SECONDS))
                continue
            if isinstance(answer, WorkerError):
                raise answer
            self.store_answers(chunk or [], answer)
        if self.must_send():
            self.close_chunk()
        self.send_chunks()
        self.last_check = perf_counter()

    def store_answers(self, chunk: Chunk, answers: list[Any]) -> None:
        """Store the answers to the records of a chunk; None is a record still to be done here."""
        self.held_bytes -= _chunk_bytes(chunk)
        for (number, payload), answer in zip(chunk, answers, strict=True):
            is_unread = answer is None
            self.answers[number] = (
                attempt(self.call, pickle.loads(payload)) if is_unread else answer
            )

    def handle_death(self, chunk: Chunk | None, code: int | None) -> None:
        """Handle the death of a worker process, which had this chunk, with its exit code.

        The records are tried again one by one; a record that was alone has failed. A process that
        could not even begin is an error if there is no other.
        """
        if chunk == []:
            guard = 'guard the script with if __name__ == "__main__"'
            error = WorkerError(
                f"a worker process ended before it could begin; {guard}", exitcode=code
            )
            self.continue_or_raise(error)
        elif chunk is not None and len(chunk) == 1:
            self.store_answers(chunk, [WorkerError("its worker process ended", exitcode=code)])
        elif chunk is not None:
            self.queue.extendleft([job] for job in reversed(chunk))


def _chunk_bytes(chunk: Chunk) -> int:
    """Return the number of bytes in a chunk."""
    return sum(len(payload) for _, payload in chunk)


def start_method() -> str:
    """Return the start method for processes: the program's own, or the platform's default.

    It is not ``fork`` in a process with several threads, which may hang, since locks of other
    threads stay locked in the fork.
    """
    method = multiprocessing.get_start_method(allow_none=True)
    methods = multiprocessing.get_all_start_methods()
    method = method or methods[0]
    if method == "fork" and threading.active_count() > 1 and "forkserver" in methods:
        return "forkserver"
    return method


def _pickle_call(call: partial[Any]) -> bytes:
    """Pickle a call; raise a `TypeError` if an option of it cannot be pickled."""
    for name, value in call.keywords.items():
        try:
            pickle.dumps(value)
        except Exception as error:
            raise TypeError(
                f"{name} cannot be sent to other processes ({error}); "
                "pass a name or a function from a module, or set processes=1"
            ) from error
    return pickle.dumps(call)
