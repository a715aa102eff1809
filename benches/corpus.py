"""A corpus of made-up records: how fast, whatever the partitions, and after a kill.

``python benches/corpus.py --json benches/results/corpus.json`` writes 100,000 lines of JSON, and
encodes them by `mckp corpus` with a kill -9 on the way, with 1, 2 and 4 partitions, and on a local
Ray cluster if Ray is installed; the first tenth also without an engine. It fails if an output is
not, byte for byte, that of the others.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import machine
from rich.console import Console
from rich.table import Table as Grid
from samples import WORDS
from solver_figures import add_common, fill, store

import mckp
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

BAD_EVERY: Final = 1000
"""One line in so many is no JSON."""

COLUMNS: Final = ("run", "records", "seconds", "records a second", "processor, ms a record")


class Timed(NamedTuple):
    """A run: seconds by the clock, those of all processors, and what was added up."""

    seconds: float
    processor: float
    figures: dict[str, int]


BUDGET: Final = 280
"""Tokens that nearly all records fit in."""


def record(number: int) -> dict[str, Any]:
    """Return a page of issues, the same for a number every time."""
    random = Random(number)
    items = [_issue(random, 10 * number + n) for n in range(random.randint(3, 9))]
    return {"total": random.randint(9, 900), "page": 1, "items": items}


def _issue(random: Random, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "title": " ".join(random.choices(WORDS, k=random.randint(3, 9))),
        "state": random.choice(["open", "closed"]),
        "assignee": random.choice([None, "ann", "bo"]),
        "comments": random.randint(0, 40),
        "updated": f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}T08:15:00Z",
    }


def write_corpus(path: Path, count: int) -> None:
    """Write the records, a line each, and among them lines that are none."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            broken = number % BAD_EVERY == BAD_EVERY // 2
            file.write('{"broken": tru\n' if broken else dump(record(number)) + "\n")


def counted(results: Iterable[mckp.Result | mckp.Failure]) -> dict[str, int]:
    """Return the figures that a corpus adds up."""
    found: Counter[str] = Counter()
    for result in results:
        if isinstance(result, mckp.Failure):
            found["failed"] += 1
        else:
            found.update(tokens=result.tokens, cut=int(bool(result.elided)))
    return dict(found)


def alone(path: Path, processes: int | None) -> Timed:
    """Encode all lines without an engine."""
    start, before = time.perf_counter(), _own()
    with path.open("rb") as file:
        many = mckp.encode_many(file, budget=BUDGET, kind="json", processes=processes)
        figures = counted(many)
    return Timed(time.perf_counter() - start, _own() - before, figures)


def _own() -> float:
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


def command(path: Path, out: Path, partitions: int, runner: str = "native") -> list[str]:
    """Return the command line of one run."""
    options = ["--budget", str(BUDGET), "--partitions", str(partitions), "--runner", runner]
    return [sys.executable, "-m", "mckp", "corpus", "encode", str(path), str(out), *options]


def ran(arguments: list[str]) -> Timed:
    """Run a command to its end."""
    mark = f"MCKP_BENCH={os.urandom(8).hex()}"
    name, _, value = mark.partition("=")
    start = time.perf_counter()
    with machine.spent(mark) as spent:
        done = subprocess.run(
            [*arguments, "--json"],
            capture_output=True,
            check=False,
            env={**os.environ, name: value},
        )
    if done.returncode != 1 or b"set aside" not in done.stderr:  # as there are broken lines
        raise RuntimeError(done.stderr.decode())
    summary = load(done.stdout.decode())
    figures = {"failed": summary["failed"], **summary["figures"]}
    return Timed(time.perf_counter() - start, sum(spent.values()), figures)


def killed(arguments: list[str], out: Path, parts: int) -> dict[str, Any]:
    """Run a command, kill all of it once some parts are done, and run it again."""
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and len(list(out.glob("done/0*"))) < parts:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = {name: name.stat().st_mtime_ns for name in out.glob("done/0*")}
    seconds = ran(arguments).seconds
    again = sum(name.stat().st_mtime_ns != changed for name, changed in done.items())
    return {"parts before the kill": len(done), "of them done again": again, "seconds": seconds}


def digest(out: Path) -> str:
    """Return a hash of the names and bytes of all files of an output."""
    found = sha256()
    for path in sorted(out.rglob("*")):
        if path.is_file():
            found.update(f"{path.relative_to(out)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def check(path: Path, out: Path) -> dict[str, int]:
    """See that each line of a corpus has one row of output, or one error, and no other."""
    places: Counter[int] = Counter()
    for file in [*out.glob("records/*"), *out.glob("errors/*")]:
        places.update(load(line)["at"] for line in file.read_text("utf-8").splitlines())
    at, wanted = 0, set[int]()
    with path.open("rb") as lines:
        for line in lines:
            wanted.add(at)
            at += len(line)
    found = {"lost": len(wanted - set(places)), "twice": sum(n > 1 for n in places.values())}
    return found | {"foreign": len(set(places) - wanted)}


def rows(path: Path, count: int, few: int) -> Iterator[dict[str, Any]]:
    """Yield the figures of each run; those without an engine take the first records only."""
    first = path.with_name("few.jsonl")
    write_corpus(first, few)
    known: set[str] = set()
    for name, processes in (("one process", 1), ("encode_many", None)):
        yield row(name, few, alone(first, processes))
    runs = [(f"{n} partitions" if n > 1 else "1 partition", n, "native") for n in (1, 2, 4)]
    if find_spec("ray"):
        runs.append(("2 partitions on Ray", 2, "ray"))
    for name, partitions, runner in runs:
        out = path.with_name(name)
        found = row(name, count, ran(command(path, out, partitions, runner)))
        known.add(digest(out))
        if len(known) > 1:
            raise AssertionError(f"the output of {name} differs")
        yield found | {"sha256": digest(out)}


def row(name: str, count: int, timed: Timed) -> dict[str, Any]:
    """Return the figures of a run, and print the speed."""
    found = {
        "run": name,
        "records": count,
        "seconds": timed.seconds,
        "records a second": count / timed.seconds,
        "processor, ms a record": 1000 * timed.processor / count,
        "figures": timed.figures,
        "load": machine.load(),
    }
    print(*(found[column] for column in COLUMNS), file=sys.stderr, flush=True)
    return found


def engine() -> dict[str, str]:
    """Return the versions of the engine's parts that are installed."""
    return {name: version(name) for name in ("daft", "pyarrow", "ray") if find_spec(name)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Encode a corpus in several ways.")
    add_common(parser)
    parser.add_argument("--records", type=int, default=100_000)
    chosen = parser.parse_args(arguments)
    count = 3000 if chosen.quick else chosen.records
    with tempfile.TemporaryDirectory(prefix="mckp-corpus-") as folder:
        path = Path(folder) / "records.jsonl"
        write_corpus(path, count)
        found: dict[str, Any] = {
            "records": count,
            "bytes": path.stat().st_size,
            "budget": BUDGET,
            "processors": len(os.sched_getaffinity(0)),
            "engine": engine(),
        }
        out = path.with_name("killed")
        resumed = killed(command(path, out, 2), out, 1 + path.stat().st_size // (1 << 20))
        resumed["sha256"] = digest(out)
        found["killed"] = resumed | check(path, out)
        done: list[dict[str, Any]] = []
        for each in rows(path, count, count // 10):
            done.append(each)
            store(chosen.json, found | {"rows": done})  # should a later run fail
        if {each.get("sha256", resumed["sha256"]) for each in done} != {resumed["sha256"]}:
            raise AssertionError("the output after the kill differs")
    grid = fill(Grid(*COLUMNS), ([row[c] for c in COLUMNS] for row in done))
    Console(width=None if sys.stdout.isatty() else 120).print(grid)
    print(found["killed"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
