"""Small documents that made a solver without a limit take minutes or gigabytes.

Each is a few kilobytes to a few megabytes, made from a seed, and is of a kind: arrays within
arrays, decision trees, many plain fields, many short sections, objects deep within each other.

    python benches/blowups.py [--against FOLDER] [--quick] [--json OUT]

makes the table of each and solves it at several budgets, one process for a document: seconds of
processor time and megabytes above those of the process before. With ``--against`` the same tables
are solved by the checkout of another version in that folder as well, within ``--limit`` seconds
and ``--memory`` gigabytes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from machine import load
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, rounded, show, store

import mckp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORDS: Final = ("tide", "gauge", "berth", "crane", "dock", "level", "harbour", "pilot", "ferry")
"""What texts are made of."""
SHARES: Final = 0.95, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05
"""Budgets, as parts of the tokens of all of a document."""


def doubled(times: int) -> Any:
    """Return 1 in a pair in a pair: ``[[1, 1], [1, 1]]`` for 2."""
    value: Any = 1
    for _ in range(times):
        value = [value, value]
    return value


def pairs(depth: int, *, by_depth: bool = False) -> Any:
    """Return objects of two members, so deep; with names that give the depth if asked for."""
    mark = str(depth) if by_depth else ""
    if depth == 0:
        return {"a": 1, "b": 2}
    inner = pairs(depth - 1, by_depth=by_depth)
    return {f"l{mark}": inner, f"r{mark}": inner}


def decisions(depth: int) -> Any:
    """Return a decision tree, as of a model of machine learning."""
    if depth == 0:
        return {"label": "leaf 0"}
    below = decisions(depth - 1)
    return {"feature": f"f{depth}", "threshold": depth * 0.37, "yes": below, "no": below}


def deep(levels: int) -> Any:
    """Return objects within each other, each with a few fields of its own."""
    value: Any = {"k": 1}
    for n in range(levels):
        value = {"id": n, "name": f"n{n}", "kind": "x", "child": value, "tags": ["a", "b"]}
    return value


def texts_deep(levels: int) -> Any:
    """Return objects within each other, each with four texts."""
    random, value = Random(1), dict[str, Any]()
    for n in range(levels):
        texts = {f"{name}_{n}": " ".join(random.choices(WORDS, k=6)) for name in WORDS[:4]}
        value = {**texts, "inner": value}
    return value


def fields(number: int) -> Any:
    """Return one object of plain fields."""
    return {f"field_{n}": n * 7919 % 10007 for n in range(number)}


def fields_of(number: int, make: Callable[[int], Any]) -> Any:
    """Return one object of fields that a function makes."""
    return {f"field_{n}": make(n) for n in range(number)}


def records_apart(number: int) -> Any:
    """Return records of which no two share a key."""
    return [{f"k{n}": n, f"m{n}": n % 7, f"z{n}": f"v{n % 31}"} for n in range(number)]


def sections(number: int, seed: int = 0) -> str:
    """Return Markdown of short sections below headings of four levels."""
    random = Random(seed)

    def section(n: int) -> str:
        words = " ".join(random.choices(WORDS, k=random.randint(3, 25))).capitalize()
        return f"{'#' * random.randint(1, 4)} Part {n}\n\n{words}."

    return "\n\n".join(map(section, range(number)))


def headings(number: int, seed: int = 0) -> str:
    """Return Markdown of headings alone."""
    random = Random(seed)
    lines = (f"{'#' * random.randint(1, 6)} {random.choice(WORDS)} {n}" for n in range(number))
    return "\n\n".join(lines)


KINDS: Final[dict[str, Callable[[], Any]]] = {
    "doubled 10": lambda: doubled(10),
    "doubled 12": lambda: doubled(12),
    "pairs 10": lambda: pairs(10),
    "pairs 11, names by depth": lambda: pairs(11, by_depth=True),
    "decisions 8": lambda: decisions(8),
    "decisions 10": lambda: decisions(10),
    "fields 5,000": lambda: fields(5_000),
    "fields 20,000": lambda: fields(20_000),
    "fields 60,000": lambda: fields(60_000),
    "fields of lists 10,000": lambda: fields_of(10_000, lambda n: [n % 10, n % 7, n % 3]),
    "sections 1,500": lambda: sections(1_500),
    "sections 4,600": lambda: sections(4_600),
    "sections 12,000": lambda: sections(12_000),
    "headings 12,000": lambda: headings(12_000),
    "deep 150": lambda: deep(150),
    "texts deep 150": lambda: texts_deep(150),
    "fields of objects 6,000": lambda: fields_of(6_000, lambda n: {"a": n, "b": n % 7}),
    "records apart 6,000": lambda: records_apart(6_000),
}
"""The documents, by name."""

_CHILD: Final = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
folder, file, budgets, limit, memory = sys.argv[1:]
sys.path.insert(0, folder)
from mckp.solvers import Table, dp
arrays = np.load(file)
table, limit = Table(**arrays), float(limit) or None
dp.solve(Table.flat([[0, 1]], [[0, 1]]), 0)
if float(memory):
    most = int(float(memory) * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
def peak():
    # Not ru_maxrss, which a process inherits from the one that started it.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
before = peak()
for budget in json.loads(budgets):
    began = time.process_time()
    row = {"budget": budget}
    try:
        found = dp.solve(table, budget, time_limit=limit)
        row |= {"status": str(found.status), "value": float(found.value), "cost": found.cost}
        row |= {"gap": found.gap, "work": found.statistics.get("operations", 0)}
    except MemoryError:
        row |= {"status": "out of memory", "value": None, "cost": None, "gap": None, "work": 0}
    row |= {"seconds": time.process_time() - began, "mb": peak() - before}
    print(json.dumps(row), flush=True)
"""
"""Solves a table of a file, within the checkout of a folder. It runs with other versions too."""


def table_of(document: Any) -> Any:
    """Return the knapsack table of a document."""
    return mckp.instance(document).table


def solved(
    folder: Path, table: Any, budgets: Sequence[int], limit: float, memory: float
) -> list[dict[str, Any]]:
    """Solve a table at several budgets in one new process; a row a budget."""
    names = "start", "cost", "value", "parent_option", "setup", "owing"
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        np.savez(file, **{name: getattr(table, name) for name in names})
        file.flush()
        given = str(folder), file.name, json.dumps(list(budgets)), str(limit), str(memory)
        command = [sys.executable, "-c", _CHILD, *given]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    rows = [cast("dict[str, Any]", json.loads(line)) for line in done.stdout.splitlines()]
    missing = {"status": "killed", "value": None, "cost": None, "gap": None, "work": 0}
    missing |= {"seconds": None, "mb": None}
    return rows + [{"budget": budget, **missing} for budget in budgets[len(rows) :]]


def measured(name: str, chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Solve the document of a name; a row a budget, with what the other version takes."""
    table = table_of(KINDS[name]())
    most = int(table.cost.max())
    budgets = [int(share * most) for share in chosen.shares]
    here = Path(__file__).parents[1]
    rows = solved(here, table, budgets, 0.0, 0.0)
    others: list[dict[str, Any]] = [{} for _ in rows]
    if chosen.against:
        others = solved(chosen.against, table, budgets, chosen.limit, chosen.memory)
    shares = cast("list[float]", chosen.shares)
    return [
        {
            "document": name,
            "options": table.options,
            "share": share,
            **row,
            **{f"other {key}": value for key, value in other.items() if key != "budget"},
        }
        for share, row, other in zip(shares, rows, others, strict=True)
    ]


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the worst of each document over its budgets."""
    lines: list[dict[str, Any]] = []
    for name in dict.fromkeys(row["document"] for row in rows):
        own = [row for row in rows if row["document"] == name]
        line: dict[str, Any] = {"document": name, "options": own[0]["options"]}
        for mark in ("", "other "):
            known = [row for row in own if row.get(f"{mark}seconds") is not None]
            if known:
                line[f"{mark}seconds"] = rounded(max(row[f"{mark}seconds"] for row in known), 3)
                line[f"{mark}mb"] = rounded(max(row[f"{mark}mb"] for row in known), 3)
            if f"{mark}status" in own[0]:
                open_ones = [row for row in own if row[f"{mark}status"] != "optimal"]
                line[f"{mark}open"] = len(open_ones)
        line["worst gap"] = max(row["gap"] or 0.0 for row in own)
        lines.append(line)
    return lines


def differences(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return where both versions prove something, and not the same."""
    both = [row for row in rows if row["status"] == row.get("other status") == "optimal"]
    return [
        f"{row['document']} at {row['share']}: {row['value']} and {row['other value']}"
        for row in both
        if not np.isclose(row["value"], row["other value"], rtol=1e-12)
        or row["cost"] != row["other cost"]
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve all; 1 if two proofs differ."""
    parser = argparse.ArgumentParser(description="Solve what made earlier solvers blow up.")
    add_common(parser)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="checkout of a version")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for the other version")
    parser.add_argument("--memory", type=float, default=7.0, help="gigabytes for the other version")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--only", nargs="+", choices=KINDS, metavar="DOCUMENT", default=list(KINDS))
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.only, chosen.shares = ["doubled 10", "deep 150"], [0.5]
    rows: list[dict[str, Any]] = []
    for name in track(chosen.only, "Documents", console=Console(stderr=True)):
        rows += measured(name, chosen)
    lines, wrong = summary(rows), differences(rows)
    show("worst of all budgets", lines, *max(lines, key=len))
    proved = sum(row["status"] == "optimal" for row in rows)
    Console().print(f"proved: {proved} of {len(rows)}; differences: {wrong or 'none'}")
    store(chosen.json, {"load": load(), "lines": lines, "rows": rows})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
