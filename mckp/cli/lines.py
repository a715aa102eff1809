"""``mckp batch``: JSON lines in, JSON lines out, one for each document."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mckp
from mckp.cli import streams
from mckp.jsontext import dump

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Generator, Iterable

    from mckp.result import Result


@dataclass(slots=True)
class Losses:
    """What there is to say in the end of lines that could not be encoded."""

    count: int = 0
    first: tuple[int, Exception] | None = None
    others: int = 0
    worst: mckp.BudgetError | None = None

    def add(self, number: int, error: Exception) -> None:
        """Take note of one more."""
        self.count += 1
        self.first = self.first or (number, error)
        if not isinstance(error, mckp.BudgetError):
            self.others += 1
        elif self.worst is None or error.floor > self.worst.floor:
            self.worst = error

    def check(self) -> None:
        """Raise one error for all, if there were any."""
        if self.first is None:
            return
        if self.worst is not None and not self.others:
            raise self.worst
        lines = "1 line was" if self.count == 1 else f"{self.count} lines were"
        number, error = self.first
        raise mckp.MckpError(f"{lines} not encoded; line {number}: {_message(error)}")


def encode_lines(arguments: Namespace) -> None:
    """Write what becomes of each line; raise at the end if one could not be encoded."""
    losses = Losses()
    streams.tell_of_estimate(arguments.tokenizer)
    with streams.opened(arguments.file) as lines, streams.written(arguments.out) as write:
        for number, found in _encoded(lines, arguments):
            if isinstance(found, mckp.Failure):
                losses.add(number, found.error)
            write(f"{dump(_told(number, found))}\n".encode())
    losses.check()


def _told(number: int, found: Result | mckp.Failure) -> dict[str, Any]:
    if not isinstance(found, mckp.Failure):
        return found.to_dict()
    return {"error": _message(found.error), "line": number}


def _message(error: Exception) -> str:
    if isinstance(error, mckp.ParseError) and error.column:
        return f"{error.message} (column {error.column})"  # to its parser it was the first line
    return str(error)


def _encoded(
    lines: Iterable[bytes], arguments: Namespace
) -> Generator[tuple[int, Result | mckp.Failure]]:
    """Yield the number of each line that is not blank, and what becomes of it."""
    from mckp.batch.progress import watched

    numbers: deque[int] = deque()
    shown = _shows_progress(arguments.out)
    total = _count(arguments.file) if shown else None
    found = mckp.encode_many(
        _noted(lines, numbers),
        processes=arguments.processes,
        budget=arguments.budget,
        tokenizer=arguments.tokenizer,
        formats=arguments.formats,
        weights=arguments.weights,
        priorities=arguments.priority,
        query=arguments.query,
        solver=arguments.solver,
        kind="json",
    )
    with closing(watched(found, shown, total)) as outcomes:
        for outcome in outcomes:
            yield numbers.popleft(), outcome


def _noted(lines: Iterable[bytes], numbers: deque[int]) -> Generator[bytes]:
    for number, line in enumerate(lines, 1):
        if not line.isspace():
            numbers.append(number)
            yield line


def _shows_progress(out: str) -> bool:
    """Whether somebody looks at standard error, and not at lines in the same place."""
    return streams.is_watched() and not (out == streams.STANDARD and streams.is_terminal())


def _count(name: str) -> int | None:
    """Return how many lines of a file are not blank; None for what can be read only once."""
    if name == streams.STANDARD or not Path(name).is_file():
        return None
    with streams.opened(name) as lines:
        return sum(not line.isspace() for line in lines)
