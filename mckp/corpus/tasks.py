"""What is done with each record of a corpus: a row of output, and figures to add up.

One part of a corpus, from its records to its files: what runs on every machine.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from mckp import tokenizers
from mckp.api import encode
from mckp.batch.ahead import outcomes
from mckp.batch.worker import Failure, Team
from mckp.comparison import tokens_in
from mckp.corpus.records import records
from mckp.corpus.storage import Store
from mckp.encoders import ALL, BASELINES, LEVELS
from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.parsers import as_tree
from mckp.telemetry.fields import add

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mckp.api import TokenizerLike
    from mckp.corpus.records import Record
    from mckp.corpus.storage import Part
    from mckp.telemetry.fields import Figures
    from mckp.tokenizers.base import Tokenizer
    from mckp.tree import TreeNode


RECORDS, ERRORS, DONE = "records", "errors", "done"
"""The folders of an output: rows, what was set aside, and which parts are done."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked for, as every process that shares the work gets it."""

    source: str
    target: str
    task: Task
    column: str | None = None
    keeps_rows: bool = True


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


Given: TypeAlias = tuple[Any, str | None]
"""A document and what kind of text it is, or the error with which it could not be read."""

Row: TypeAlias = dict[str, Any]
"""What becomes of a record, as JSON can hold it."""


class Task(Protocol):
    """What is done with a record. It is pickled, and called in many processes."""

    def __call__(self, given: Given) -> Row:
        """Return the row of a record; errors are raised."""
        ...

    def figures(self, row: Row) -> Figures:
        """Return what is added up of a row."""
        ...


@dataclass(frozen=True, slots=True)
class Encode:
    """Write each record within a budget."""

    options: Mapping[str, Any]

    def __call__(self, given: Given) -> Row:
        found = encode(data_of(given), kind=given[1], **self.options).to_dict()
        return {name: found[name] for name in _KEPT}

    def figures(self, row: Row) -> Figures:
        return {"tokens": row["tokens"], "cut": int(bool(row["elided"]))}


_KEPT = ("text", "tokens", "status", "value", "total", "bound", "loss", "elided")


@dataclass(frozen=True, slots=True)
class Measure:
    """Count the tokens of each record in several formats, by one or several tokenizers."""

    formats: tuple[str, ...]
    counters: tuple[TokenizerLike, ...]

    def __call__(self, given: Given) -> Row:
        tree = as_tree(data_of(given), given[1])
        counters = [tokenizers.get(each) for each in self.counters]
        return {"tokens": {each.name: self._counted(tree, each) for each in counters}}

    def _counted(self, tree: TreeNode, counter: Tokenizer) -> dict[str, int]:
        source = dump(tree.value) if tree.is_json else tree.source or ""
        found: dict[str, int] = {REFERENCE: counter.count(source)}
        for name in self.formats:
            tokens = _tokens(tree, name, counter)
            if tokens is not None:
                found[name] = tokens
        return found

    def figures(self, row: Row) -> Figures:
        """Return tokens by tokenizer and format, and the reference where that format fits."""
        return {"tokens": {name: _beside(counts) for name, counts in row["tokens"].items()}}


REFERENCE: Final = "source"
"""What formats are set beside: compact JSON of data, and a text as it is."""


def formats_named(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of levels and formats, each once.

    Raises
    ------
    UnknownNameError
        If one is none.
    """
    known = (*LEVELS, *_FORMATS)
    found = tuple(dict.fromkeys(names))
    if unknown := [name for name in found if name not in known]:
        raise UnknownNameError("format", unknown[0], known)
    return found


_FORMATS: Final = {each.name: each for each in (*ALL, *BASELINES)}


def _tokens(tree: TreeNode, name: str, counter: Tokenizer) -> int | None:
    if name in LEVELS:
        return encode(tree, formats=name, tokenizer=counter).tokens
    return tokens_in(tree, _FORMATS[name], counter)


def _beside(counts: dict[str, int]) -> dict[str, Figures]:
    source = counts[REFERENCE]
    return {
        name: {"tokens": tokens, "records": 1, REFERENCE: source} for name, tokens in counts.items()
    }


def data_of(given: Given) -> Any:
    """Return the document; the error with which it could not be read is raised."""
    data = given[0]
    if isinstance(data, Exception):
        raise data
    return data
