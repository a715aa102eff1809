"""One part of a corpus, from its records to its files: what runs on every machine."""

from __future__ import annotations

import multiprocessing
from collections import deque
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mckp.batch.ahead import outcomes
from mckp.batch.team import Team
from mckp.batch.worker import Failure
from mckp.corpus.records import records
from mckp.corpus.storage import Store
from mckp.jsontext import dump
from mckp.telemetry.figures import add

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.corpus.parts import Part
    from mckp.corpus.records import Record
    from mckp.corpus.tasks import Given, Row, Task
    from mckp.telemetry.figures import Figures

RECORDS, ERRORS, DONE = "records", "errors", "done"
"""The folders of an output: rows, what was set aside, and which parts are done."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked for, as every process that shares the work gets it.

    Attributes
    ----------
    source, target : str
        Where records come from and where files go.
    task : Task
        What is done with a record.
    column : str or None
        What of a record is the document; None for all of it.
    keeps_rows : bool
        Whether rows are written, or only added up.
    leaves_out : tuple of str
        Names of files that are not read.
    """

    source: str
    target: str
    task: Task
    column: str | None = None
    keeps_rows: bool = True
    leaves_out: tuple[str, ...] = ()


class Bench:
    """Where parts are worked on, one after the other; records go to a process beside.

    A record whose process ends, as for want of memory, is set aside like any other.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.source, self.target = Store(job.source), Store(job.target)
        # The engine has threads of its own, which a fork would not survive.
        methods = multiprocessing.get_all_start_methods()
        method = "forkserver" if "forkserver" in methods else "spawn"
        self.team = Team(job.task, 1, method)

    def done(self, part: Part) -> Figures:
        """Write the files of a part, the one that says so last; return its figures."""
        sheet = _Sheet(self.job)
        for record, found in self._outcomes(part):
            sheet.add(record, found)
        files: Figures = {}
        for folder, lines in ((RECORDS, sheet.rows), (ERRORS, sheet.errors)):
            if lines:
                data = "".join(f"{line}\n" for line in lines).encode()
                name = f"{folder}/{part.number:06d}.jsonl"
                self.target.put(name, data)
                files[name] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
        figures = {"part": part.number, "bytes": part.size, **sheet.figures, "files": files}
        self.target.put(done_name(part.number), dump(figures).encode())
        return figures

    def _outcomes(self, part: Part) -> Iterator[tuple[Record, Row | Failure]]:
        waiting: deque[Record] = deque()

        def given() -> Iterator[Given]:
            for record in records(self.source, part, self.job.column):
                waiting.append(record)
                yield record.data, record.kind

        for found in outcomes(given(), self.job.task, self.team):
            yield waiting.popleft(), found


def done_name(number: int) -> str:
    """Return the name of the file that says that a part is done."""
    return f"{DONE}/{number:06d}.json"


@dataclass(slots=True)
class _Sheet:
    """The lines of a part, and its figures."""

    job: Job
    rows: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    figures: Figures = field(default_factory=lambda: {"records": 0, "failed": 0, "figures": {}})

    def add(self, record: Record, found: Row | Failure) -> None:
        place = {"file": record.file, "at": record.at}
        self.figures["records"] += 1
        if isinstance(found, Failure):
            self.figures["failed"] += 1
            error = {"error": str(found.error), "type": type(found.error).__name__}
            self.errors.append(dump(place | error | {"record": _shown(record.raw)}))
            return
        add(self.figures["figures"], self.job.task.figures(found))
        if self.job.keeps_rows:
            self.rows.append(dump(place | found))


def _shown(raw: Any) -> str | None:
    """Return a record as it stands in its file, as far as a JSON string can hold it."""
    if isinstance(raw, bytes):
        return raw.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    if raw is None:
        return None
    return str(raw).encode("utf-8", "backslashreplace").decode().rstrip("\r\n")
