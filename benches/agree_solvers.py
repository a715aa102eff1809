"""Check on many instances that all exact solvers, brute force, CP-SAT and the frontier agree.

Run from the root: ``python benches/agree_solvers.py --instances 20000``. A difference ends the run
with the seed of the instance that shows it. ``--public FOLDER`` solves published knapsacks instead
(`instances.public` says in which files) and compares with the optima stored beside them.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

sys.path.append(str(Path(__file__).parents[1]))

from instances import below

from mckp.solvers import Status, dp, frontier, solve
from tests.solvers import agreement, instances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.solvers import Solution, Table


def main(argv: Sequence[str] | None = None) -> int:
    """Make the instances, compare the solvers, print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=5000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--public", type=Path, metavar="FOLDER", help="of published knapsacks")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one of these")
    arguments = parser.parse_args(argv)
    if arguments.public:
        return published(arguments.public, arguments.limit)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.instances)
    counts = Counter[str]()
    for seed in track(seeds, description="solving"):
        check(seed, counts)
    grid = Grid("what", "instances", title="dp = large = auto = cpsat = brute")
    for label, number in sorted(counts.items()):
        grid.add_row(label, f"{number:,}")
    Console().print(grid)
    return 0


def published(folder: Path, limit: float) -> int:
    """Solve published instances; 1 if a proved value is not the known optimum."""
    counts, wrong = Counter[str](), list[str]()
    slowest = (0.0, "")
    for made, optimum in below(folder):
        begin = time.perf_counter()
        solution = solve(made.table, made.budget, time_limit=limit)
        slowest = max(slowest, (time.perf_counter() - begin, made.name))
        counts[str(solution.status)] += 1
        if optimum is not None and (solution.value > optimum or solution.bound < optimum):
            wrong.append(
                f"{made.name}: {solution.value} of at most {solution.bound}, known {optimum}"
            )
        counts["known optimum found"] += solution.value == optimum
    print(*(f"{label}: {number}" for label, number in counts.items()), *wrong, sep="\n")
    print(f"slowest: {slowest[0]:.2f} s, {slowest[1]}")
    return int(bool(wrong))


def check(seed: int, counts: Counter[str]) -> None:
    """Compare the solvers on one instance and count what it was."""
    kind = seed % 10
    made = instances.with_setup if kind < 6 else instances.tiny if kind < 9 else larger
    table, budget = made(seed)
    try:
        solution = agreement.assert_exact(table, budget)
        if seed % 4 == 0:
            agreement.assert_cpsat(table, budget, solution)
            counts["CP-SAT too"] += 1
        tried = brute_too(table, budget, solution)
        budgets = frontier_too(table, budget) if seed % 20 == 1 else 0
    except AssertionError:
        print(f"the solvers differ on seed {seed}: budget {budget}, {table.to_json()}")
        raise
    values = "float" if table.value.dtype.kind == "f" else "int"
    shape = "flat" if table.is_flat else "nested"
    counts.update(
        ["all", f"{shape}, depth {table.depth}", f"values {values}", str(solution.status)]
    )
    counts["with setup costs"] += table.has_setup
    counts.update(["brute force too"] * tried + ["frontier too"] * (budgets > 0))
    counts["budgets of frontiers"] += budgets


def larger(seed: int) -> tuple[Table, int]:
    """Return one of the literature's families, or a small document."""
    rng = np.random.default_rng(seed)
    family = rng.choice([*instances.FAMILIES, "document"])
    if family == "document":
        return instances.document(seed, 12), int(rng.integers(0, 200))
    n, k = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    return instances.flat(str(family), seed, n, k, 40, float(rng.uniform(0, 1.1)))


def brute_too(table: Table, budget: int, solution: Solution) -> bool:
    """Compare with brute force, unless there are too many selections."""
    return agreement.assert_brute(table, budget, solution, work=1000)


def frontier_too(table: Table, budget: int) -> int:
    """Compare the frontier with a solution for each of its budgets; return how many there are."""
    curve = frontier(table, budget)
    for tokens in range(budget + 1):
        solution = dp.solve(table, tokens)
        if solution.status is Status.INFEASIBLE:
            assert curve.floor is None or tokens < curve.floor
        else:
            assert curve.cost[tokens] == solution.cost, tokens
            value, near = float(curve.value[tokens]), 2 * curve.tolerance
            assert math.isclose(value, solution.value, rel_tol=1e-14, abs_tol=near), tokens
    return budget + 1


if __name__ == "__main__":
    sys.exit(main())
