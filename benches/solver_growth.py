"""How time and memory grow with classes, options and the budget.

    python benches/solver_growth.py [--quick] [--json OUT]

solves instances along one axis at a time, each in two processes of its own, in which kernels are
warmed on a tiny instance. In one the peak of memory is set back, and one call gives the peak above
what the process held before it; there all large arrays go back to the system when they are
freed. In the other the median of some calls gives the time. The exponents are slopes of the
least-squares lines through the logarithms of the larger half of a series, where what every call
costs weighs little. Beside each time stands one pass of numpy over costs and values.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import instances
import machine
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, fill, rounded, store, timed

from mckp.solvers import solve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from instances import Instance

    from mckp.solvers import Table

REPEAT: Final = 5
SLOW: Final = 2000.0
"""Milliseconds beyond which one call is all that is timed."""
PAGE: Final = 10**6
"""Bytes below which a peak is mostly what the process holds anyway."""
RETURNING: Final = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""What makes glibc give memory back; else what the table's making left hides the peak."""


@dataclass(frozen=True)
class Point:
    """One instance of a series.

    Attributes
    ----------
    solver, family, axis
        What solves what, and what grows.
    classes, options
        How many classes, and how many options each; for documents nodes and layouts.
    largest
        The range of costs of the literature's families.
    budget
        Of documents; 0 takes the middle of the range.
    """

    solver: str
    family: str
    axis: str
    classes: int
    options: int
    largest: int = 1000
    budget: int = 0

    def instance(self) -> Instance:
        """Make the instance."""
        if self.family == "document":
            return instances.document(seed=1, nodes=self.classes, layouts=self.options)
        if self.family in instances.RENDERINGS:
            return instances.renderings(
                self.family, seed=1, classes=self.classes, options=self.options
            )
        return instances.flat(
            self.family, seed=1, classes=self.classes, options=self.options, largest=self.largest
        )

    @property
    def tiny(self) -> Point:
        """What warms the kernels."""
        classes = 300 if self.family == "document" else 30
        return Point(self.solver, self.family, self.axis, classes, min(self.options, 7), 1000)


def points(quick: bool) -> Iterator[Point]:
    """Yield the points of all series."""
    if quick:
        yield Point("large", "fidelity", "classes", 100, 7)
        yield Point("large", "document", "budget", 300, 2, budget=100)
        yield from (Point("dp", "uncorrelated", "options", 20, n) for n in (5, 10))
        return
    classes = [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
    for family in ("fidelity", "uncorrelated", "strongly"):
        yield from (Point("large", family, "classes", n, 7) for n in classes)
        yield from (Point("large", family, "options", 1000, k) for k in (3, 10, 30, 100, 300, 1000))
    for family in ("uncorrelated", "strongly"):
        for largest in (100, 1000, 10_000, 100_000, 1_000_000):
            yield Point("large", family, "budget", 10_000, 7, largest)
    yield from (Point("large", "document", "classes", n, 3) for n in classes[:-1])
    yield from (Point("large", "document", "options", 30_000, k) for k in (1, 2, 4, 8, 16))
    budgets = (400, 1600, 6400, 25_600, 102_400)
    yield from (Point("large", "document", "budget", 100_000, 3, budget=c) for c in budgets)
    yield from (Point("dp", "uncorrelated", "classes", n, 7) for n in (10, 30, 100, 300, 1000))
    yield from (Point("dp", "uncorrelated", "options", 100, k) for k in (3, 10, 30, 100, 300))
    for largest in (100, 300, 1000, 3000, 10_000):
        yield Point("dp", "uncorrelated", "budget", 100, 7, largest)


def prepared(point: Point) -> tuple[Table, int]:
    """Return the table and budget of a point, after the solver's kernels are loaded."""
    tiny = point.tiny.instance()
    solve(tiny.table, tiny.budget, point.solver)
    made = point.instance()
    return made.table, point.budget or made.budget


def peak(point: Point) -> dict[str, Any]:
    """Solve one point in this process, and return how far that raises the peak of memory."""
    table, budget = prepared(point)
    held = machine.reset_peak()
    solve(table, budget, point.solver)
    return {"bytes": max(0, machine.peak() - held)}


def measure(point: Point, repeat: int) -> dict[str, Any]:
    """Solve one point in this process, and return its times."""
    table, budget = prepared(point)
    solution, first = timed(lambda: solve(table, budget, point.solver))
    runs = 1 if first > SLOW else repeat
    times = [timed(lambda: solve(table, budget, point.solver))[1] for _ in range(runs)]
    passes = [timed(lambda: table.cost.sum() + table.value.sum())[1] for _ in range(repeat)]
    return asdict(point) | {
        "size": budget if point.axis == "budget" else asdict(point)[point.axis],
        "ms": rounded(statistics.median(times), 4),
        "pass": rounded(statistics.median(passes), 4),
        "status": str(solution.status),
    }


def ask(point: Point, repeat: int) -> dict[str, Any]:
    """Solve one point in other processes."""
    job = json.dumps(asdict(point))
    times = _child(["--repeat", str(repeat), "--point", job], {})
    return times | _child(["--memory", "--point", job], RETURNING)


def _child(arguments: Sequence[str], settings: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, __file__, *arguments]
    child = subprocess.run(command, capture_output=True, text=True, env=os.environ | settings)
    if child.returncode:
        raise RuntimeError(f"{arguments} failed: {child.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(child.stdout)
    return found


def slope(sizes: Sequence[float], amounts: Sequence[float]) -> float | None:
    """Return the exponent of growth, by least squares on logarithms; None of fewer than three.

    Examples
    --------
    >>> slope([1, 10, 100], [3, 300, 30000])
    2.0
    >>> slope([1], [3])
    """
    if len(set(sizes)) < 3:
        return None
    found = statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(amount) for amount in amounts]
    )
    return round(found.slope, 2)


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each series with the exponents of time, memory and one pass."""
    series: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        series[row["solver"], row["family"], row["axis"]].append(row)
    found: list[dict[str, Any]] = []
    for (solver, family, axis), own in series.items():
        sizes, half = [row["size"] for row in own], max(1, len(own) // 2)
        entry: dict[str, Any] = {"solver": solver, "family": family, "axis": axis, "sizes": sizes}
        for key in ("ms", "pass", "bytes"):
            entry[key] = [row[key] for row in own]
        entry["time exponent"] = slope(sizes[half - 1 :], entry["ms"][half - 1 :])
        large = [row for row in own[half - 1 :] if row["bytes"] >= PAGE <= own[-1]["bytes"]]
        entry["memory exponent"] = slope([r["size"] for r in large], [r["bytes"] for r in large])
        entry["passes"] = [rounded(row["ms"] / row["pass"]) for row in own]
        entry["unproved"] = sum(row["status"] != "optimal" for row in own)
        found.append(entry)
    return found


def show(console: Console, found: Sequence[dict[str, Any]]) -> None:
    """Print each series: first and last point, and the exponents."""
    heads = (
        "solver",
        "family",
        "axis",
        "sizes",
        "ms",
        "MB",
        "passes",
        "time ^",
        "memory ^",
        "unproved",
    )
    table = Grid(*heads, title="growth, from the smallest to the largest")
    for e in found:
        ends = [f"{e[key][0]:,} .. {e[key][-1]:,}" for key in ("sizes", "ms")]
        memory = f"{e['bytes'][0] / 1e6:.1f} .. {e['bytes'][-1] / 1e6:.1f}"
        passes = f"{e['passes'][0]:.0f} .. {e['passes'][-1]:.0f}"
        exponents = [str(e["time exponent"]), str(e["memory exponent"])]
        name = [e["solver"], e["family"], e["axis"]]
        fill(table, [[*name, *ends, memory, passes, *exponents, e["unproved"]]])
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all series."""
    parser = argparse.ArgumentParser(description="Measure how time and memory grow.")
    add_common(parser)
    parser.add_argument("--repeat", type=int, default=REPEAT, help="timed calls")
    parser.add_argument("--point", help="solve only this, in this process, and print JSON")
    parser.add_argument("--memory", action="store_true", help="of it measure memory, not time")
    chosen = parser.parse_args(arguments)
    if chosen.point:
        point = Point(**json.loads(chosen.point))
        print(json.dumps(peak(point) if chosen.memory else measure(point, chosen.repeat)))
        return 0
    console = Console(width=None if sys.stdout.isatty() else 160)
    work = list(points(chosen.quick))
    rows = [ask(p, chosen.repeat) for p in track(work, "Points", console=Console(stderr=True))]
    found = summary(rows)
    show(console, found)
    store(chosen.json, {"series": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
