"""Records over processes: read a little ahead, and what becomes of them put back in order.

Small records are sent together; but none waits for others to be read while a process has nothing
to do.
"""

from __future__ import annotations

import pickle
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mckp.batch.worker import Failure, attempt, outcome
from mckp.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from mckp.batch.worker import Team

T = TypeVar("T")

MAX_RECORDS: Final = 32
"""Records sent in one message."""

MESSAGES_AHEAD: Final = 4
"""Full messages for each process that may be read ahead."""

BYTES_AHEAD: Final = 64 << 20
"""Bytes of records read ahead, beyond one message for each process."""

MESSAGE_BYTES: Final = 16 << 10
"""Bytes from which on a message gets no further record: some ten milliseconds of work."""

SLOW_RECORD_SECONDS: Final = 0.002
"""Seconds for a record to be read, from which on no others are awaited to send it."""

POLL_SECONDS: Final = 0.001
"""Seconds between two looks for answers while there are records to hand out."""


@dataclass(slots=True)
class Message:
    """Records that are sent together: their numbers and pickled content."""

    numbers: list[int] = field(default_factory=list[int])
    payloads: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, number: int, payload: bytes) -> None:
        """Put one more record in."""
        self.numbers.append(number)
        self.payloads.append(payload)
        self.size += len(payload)


def spread(
    records: Iterable[Any], call: Callable[[Any], T], team: Team
) -> Generator[T | Failure, None, None]:
    """Yield what becomes of each record, in order."""
    with team:
        yield from _Spread(iter(records), call, team).outcomes()


class _Spread:
    """One run over all records."""

    def __init__(self, records: Iterator[Any], call: Callable[[Any], Any], team: Team) -> None:
        self.records = records
        self.call = call
        self.team = team
        self.done: dict[int, Any] = {}
        self.read = self.given = self.held = 0
        self.open = Message()
        self.queue: deque[Message] = deque()
        self.is_over = False
        self.fault: Exception | None = None
        self.looked = 0.0

    def outcomes(self) -> Iterator[Any]:
        while True:
            if self.team.is_busy and perf_counter() - self.looked > POLL_SECONDS:
                self.collect(0)
            if self.given in self.done:
                yield self.done.pop(self.given)
                self.given += 1
            elif self.may_read():
                self.take()
            elif self.given < self.read:
                self.close()
                self.collect(None)
            else:
                break
        if self.fault is not None:  # of the iterator itself, after all that came before
            raise self.fault

    def may_read(self) -> bool:
        """Whether one more record may be held."""
        most = self.team.most
        if self.is_over or self.read - self.given >= MESSAGES_AHEAD * MAX_RECORDS * most:
            return False
        return self.held < BYTES_AHEAD or len(self.queue) + self.team.at_work < most

    def take(self) -> None:
        """Read a record and put it into the open message, which is closed when it is full."""
        start = perf_counter()
        try:
            record = next(self.records)
        except StopIteration:
            self.is_over = True
            return
        except Exception as fault:
            self.is_over, self.fault = True, fault
            return
        number, self.read = self.read, self.read + 1
        try:
            payload = pickle.dumps(record, pickle.HIGHEST_PROTOCOL)
        except Exception:  # Python data may hold what no other process can have
            self.done[number] = outcome(number, attempt(self.call, record))
            return
        self.open.add(number, payload)
        self.held += len(payload)
        if self.is_due() or perf_counter() - start > SLOW_RECORD_SECONDS:
            self.close()

    def is_due(self) -> bool:
        """Whether the open message is to be sent as it is."""
        if len(self.open.numbers) >= MAX_RECORDS or self.open.size >= MESSAGE_BYTES:
            return True
        return self.team.has_idle and not self.queue

    def close(self) -> None:
        """Let no more records into the open message, and send what can be sent."""
        if self.open.numbers:
            self.queue.append(self.open)
            self.open = Message()
        self.send()

    def send(self) -> None:
        for worker in self.team.idle(len(self.queue)):
            with suppress(OSError):  # it ended on its own; the message goes to another
                worker.send(self.queue[0], self.queue[0].payloads)
                self.queue.popleft()

    def collect(self, seconds: float | None) -> None:
        """Take the answers that are there, or come within some seconds; None: one at least."""
        for message, answer in self.team.answers(seconds):
            self.settle(message, answer)
        if self.is_due():
            self.close()
        self.send()
        self.looked = perf_counter()

    def settle(self, message: Message, answer: list[Any] | WorkerError) -> None:
        if isinstance(answer, WorkerError):
            self.survive(message, answer)
            return
        self.held -= message.size
        for number, payload, found in zip(message.numbers, message.payloads, answer, strict=True):
            known = attempt(self.call, pickle.loads(payload)) if found is None else found
            self.done[number] = outcome(number, known)

    def survive(self, message: Message, error: WorkerError) -> None:
        """Go on after the end of a process: whose fault it was shows when each goes alone."""
        if len(message.numbers) > 1:
            parts = zip(message.numbers, message.payloads, strict=True)
            alone = [Message([number], [payload], len(payload)) for number, payload in parts]
            self.queue.extendleft(reversed(alone))
            return
        self.held -= message.size
        self.done[message.numbers[0]] = Failure(message.numbers[0], error)
