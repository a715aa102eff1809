"""Time `encode` in passes of tiktoken over the same data as compact JSON, or over the source.

    python benches/encode_speed.py [PATH ...] [--formats native] [--runs 3] [--quick] [--json OUT]

Each PATH is a JSON file, a folder whose ``tok_*.json`` are taken, or a file of JSON lines, whose
values (or ``payload`` members) become one array of about a megabyte; tables, mixtures, Markdown,
plain text and logs are made up (`large`). Each document is encoded in processes of its own, which
have loaded the vocabulary. *Once* is a call in passes, the median of some processes in which one
small document was encoded before, so that modules are imported, and is what goals are for; *first*
is a call with nothing before it; *later* is the median of calls that follow; *cpu* is *once* by
processor time, to go by where other things run on the machine. What is written is read back, and
that is part of the time. Half a budget is half of the tokens that the same level takes without
one. `fresh` reports what processes find.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from bench_formats import documents as records
from fresh import Place, add_place, ask, place_of
from goals import PASSES, judged
from large import TEXTS, write
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, rounded, show, store

from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SIZES: Final = {
    "table": (0.1, 0.5, 1.3, 2),
    "mixture": (1,),
    "markdown": (0.1, 1),
    "text": (0.1, 1),
    "log": (0.1, 1),
}
"""Megabytes of what is made up."""
QUICK: Final = 0.002
BUDGETS: Final = ("none", "half")
RUNS: Final = 3
HEADS: Final = (
    "document",
    "bytes",
    "formats",
    "budget",
    "pass",
    "ratio",
    "goal",
    "met",
    "cpu ratio",
)
"""What is printed of a row."""
CALLS: Final = 2
MEGABYTE: Final = 1_000_000
LINES: Final = "responses"
"""What goals call a file of JSON lines."""


@dataclass(frozen=True)
class Subject:
    """A document in a file.

    Attributes
    ----------
    name, kind
        What tables call it, and what `PASSES` does.
    path
        Where it is.
    """

    name: str
    kind: str
    path: Path


def subjects(paths: Iterable[Path], folder: Path, *, quick: bool) -> Iterator[Subject]:
    """Yield all documents, each written into a folder."""
    for kind, sizes in SIZES.items():
        for size in sizes[:1] if quick else sizes:
            path = folder / f"{kind}-{size}"
            write(path, kind, round(1e6 * (QUICK if quick else size)))
            yield Subject(kind, kind, path)
    for path in paths:
        for file in sorted(path.glob("tok_*.json")) if path.is_dir() else [path]:
            own = folder / f"own-{file.name}"
            own.write_text(dump(_read(file)), encoding="utf-8")
            kind = LINES if file.suffix == ".jsonl" else "data"
            yield Subject(file.stem.removeprefix("tok_"), kind, own)


def _read(path: Path) -> Any:
    if path.suffix != ".jsonl":
        return json.loads(path.read_bytes())
    values: list[Any] = []
    room = MEGABYTE
    for record in records([path]):
        values.append(record.value)
        room -= len(dump(record.value))
        if room <= 0:
            break
    return values


def measure(
    subject: Subject, formats: str, place: Place, runs: int, calls: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one document: without a budget, and within half of its tokens."""
    kind = subject.kind if subject.kind in TEXTS else None
    kind = "text" if kind == "log" else kind
    job = {"work": "speed", "path": str(subject.path), "formats": formats, "kind": kind}
    budget: int | None = None
    for name in BUDGETS:
        row: dict[str, Any] = {"document": subject.name, "formats": formats, "budget": name}
        row["backend"] = "toktok" if place.fast else "tiktoken"
        answers: list[dict[str, Any]] = []
        while len(answers) <= runs:  # the first one has nothing loaded
            settings = {"budget": budget, "loaded": bool(answers), "calls": calls if answers else 0}
            asked = ask(job | settings, place)
            if "failed" in asked:
                yield row | asked
                return
            if "floor" in asked:  # half is less than what a tiny document takes at least
                budget = asked["floor"]
            else:
                answers.append(asked)
        budget = answers[0]["tokens"] // 2
        yield row | _summary(answers[0], answers[1:], PASSES.get((subject.kind, name)))


def _summary(
    first: dict[str, Any], rest: Sequence[dict[str, Any]], goal: float | None
) -> dict[str, Any]:
    figures: dict[str, Any] = {key: first[key] for key in ("bytes", "tokens", "status", "kept")}
    figures["MB"] = float(f"{first['bytes'] / 1e6:.2g}")
    for key in ("pass", "ms", "ratio", "cpu ratio", "later"):
        figures[key] = rounded(statistics.median(answer[key] for answer in rest))
    figures |= {"first": rounded(first["ratio"]), "loaded": rest[0]["loaded"]}
    return figures | judged(figures["ratio"], goal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store if asked to; 1 if a document fails."""
    parser = argparse.ArgumentParser(description="Time encode in passes of tiktoken.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    add_place(parser)
    parser.add_argument("--formats", nargs="+", default=["native"], metavar="LEVEL")
    parser.add_argument("--only", nargs="+", help="documents of these names alone")
    parser.add_argument("--most", type=float, default=100, help="megabytes of a document")
    parser.add_argument("--runs", type=int, default=RUNS, help="processes a row")
    parser.add_argument("--calls", type=int, default=CALLS, help="later calls in one of them")
    chosen = parser.parse_args(arguments)
    place, load_before = place_of(chosen), machine.load()
    runs, calls = (1, 1) if chosen.quick else (chosen.runs, chosen.calls)
    with tempfile.TemporaryDirectory() as folder:
        every = [
            subject
            for subject in subjects(chosen.paths, Path(folder), quick=chosen.quick)
            if chosen.only is None or subject.name in chosen.only
            if subject.path.stat().st_size <= chosen.most * 1.05e6
        ]
        formats: list[str] = chosen.formats
        cells: list[tuple[Subject, str]] = list(product(every, formats))
        rows = [
            row
            for subject, formats in track(cells, "Documents", console=Console(stderr=True))
            for row in measure(subject, formats, place, runs, calls)
        ]
    show(f"encode in passes of tiktoken, {place.facts()['install']} install", rows, *HEADS)
    loads = {"load before": load_before, "load after": machine.load()}
    store(chosen.json, {"runs": runs} | place.facts() | loads | {"rows": rows})
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
