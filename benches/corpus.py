"""A corpus of made-up records: how fast, whatever the partitions, and after a kill.

``python benches/corpus.py --json benches/results/corpus.json`` writes 100,000 lines of JSON, and
encodes them in one process, by `encode_many`, and by `mckp corpus` with 1, 2 and 4 partitions, on a
local Ray cluster if Ray is installed, and with a kill -9 on the way. It fails if an output is not,
byte for byte, that of one partition.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import machine
from rich.console import Console
from rich.table import Table as Grid
from samples import WORDS
from solver_figures import add_common, fill, store

import mckp
from mckp.corpus.storage import Store
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BUDGET: Final = 290
BAD_EVERY: Final = 1000
"""One line in so many is no JSON."""

COLUMNS: Final = ("run", "seconds", "records a second", "of one process")


def record(number: int) -> dict[str, Any]:
    """Return a page of issues, the same for a number every time."""
    random = Random(number)
    items = [_issue(random, 10 * number + n) for n in range(random.randint(4, 9))]
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


def one_process(path: Path) -> dict[str, int]:
    """Encode all lines one by one in this process."""
    found: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            try:
                result = mckp.encode(line, budget=BUDGET, kind="json")
            except mckp.MckpError:
                found["failed"] += 1
            else:
                found.update(tokens=result.tokens, cut=int(bool(result.elided)))
    return dict(found)


def many(path: Path) -> dict[str, int]:
    """Encode all lines over the processors of this machine, without an engine."""
    found: Counter[str] = Counter()
    with path.open("rb") as file:
        for result in mckp.encode_many(file, budget=BUDGET, kind="json"):
            if isinstance(result, mckp.Failure):
                found["failed"] += 1
            else:
                found.update(tokens=result.tokens, cut=int(bool(result.elided)))
    return dict(found)


def command(path: Path, out: Path, partitions: int, runner: str = "native") -> list[str]:
    """Return the command line of one run."""
    options = ["--budget", str(BUDGET), "--partitions", str(partitions), "--runner", runner]
    return [sys.executable, "-m", "mckp", "corpus", "encode", str(path), str(out), *options]


def ran(arguments: list[str]) -> float:
    """Run a command to its end; return the seconds by the clock."""
    start = time.perf_counter()
    done = subprocess.run(arguments, capture_output=True, check=False)
    if done.returncode != 1 or b"set aside" not in done.stderr:  # as there are broken lines
        raise RuntimeError(done.stderr.decode())
    return time.perf_counter() - start


def killed(arguments: list[str], out: Path, parts: int) -> dict[str, Any]:
    """Run a command, kill all of it once some parts are done, and run it again."""
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None and len(list(out.glob("done/*"))) < parts:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(2)  # processes of other sessions notice that nobody is there
    names = sorted((out / "done").iterdir())
    done = {name: name.stat().st_mtime_ns for name in names if not Store.is_draft(name.name)}
    seconds = ran(arguments)
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


def measure(folder: Path, count: int) -> dict[str, Any]:
    """Return the figures of all runs."""
    path = folder / "records.jsonl"
    write_corpus(path, count)
    rows: list[dict[str, Any]] = []

    def row(name: str, seconds: float, digested: str | None = None) -> None:
        rate = count / seconds
        first = rows[0]["seconds"] if rows else seconds
        rows.append(
            {"run": name, "seconds": seconds, "records a second": rate}
            | {"of one process": first / seconds, "sha256": digested, "load": machine.load()}
        )
        print(f"{name}: {seconds:.1f} s, {rate:.0f} a second", file=sys.stderr)

    totals: list[dict[str, int]] = []
    alone: tuple[tuple[str, Callable[[Path], dict[str, int]]], ...]
    alone = (("one process", one_process), ("encode_many", many))
    for name, call in alone:
        start = time.perf_counter()
        totals.append(call(path))
        row(name, time.perf_counter() - start)
    runs = [(f"{n} partitions" if n > 1 else "1 partition", n, "native") for n in (1, 2, 4)]
    if find_spec("ray"):
        runs.append(("2 partitions on Ray", 2, "ray"))
    for name, partitions, runner in runs:
        out = folder / name
        seconds = ran(command(path, out, partitions, runner))
        row(name, seconds, digest(out))
    one = folder / runs[0][0]
    summary = load((one / "summary.json").read_text("utf-8"))
    resumed = killed(command(path, folder / "killed", 2), folder / "killed", summary["parts"] // 3)
    resumed["sha256"] = digest(folder / "killed")
    hashes = {row["sha256"] for row in rows if row["sha256"]} | {resumed["sha256"]}
    figures = {"failed": summary["failed"], **summary["figures"]}
    if len(hashes) > 1 or any(total != figures for total in totals):
        raise AssertionError(f"outputs differ: {hashes}, {totals}, {figures}")
    return {
        "records": count,
        "bytes": path.stat().st_size,
        "budget": BUDGET,
        "processors": len(os.sched_getaffinity(0)),
        "summary": summary,
        "rows": rows,
        "killed": resumed | check(path, folder / "killed"),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Encode a corpus in several ways.")
    add_common(parser)
    parser.add_argument("--records", type=int, default=100_000)
    chosen = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="mckp-corpus-"))
    try:
        found = measure(folder, 3000 if chosen.quick else chosen.records)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    grid = fill(Grid(*COLUMNS), ([row[c] for c in COLUMNS] for row in found["rows"]))
    Console(width=None if sys.stdout.isatty() else 120).print(grid)
    print(found["killed"])
    store(chosen.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
