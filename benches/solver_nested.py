"""How long the solver for nested tables takes.

    python benches/solver_nested.py [--quick] [--json OUT]

solves documents of 100,000 nodes in three layouts at several budgets, chains in which each class
is nested in the one before, and stars in which all classes lie below one. Where the dynamic program
is cheap it solves the nested table as well, and must find the same value.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import instances
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, rounded, show, store, timed

from mckp.solvers import dp, solve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from instances import Instance

    from mckp.solvers import Solution

REPEAT: Final = 7
CELLS: Final = 2 * 10**9
"""Updates up to which the dynamic program checks the value."""
BUDGETS: Final = (400, 4000, 32_000, 100_000, 200_000, 300_000)
PARTS: Final = (0.25, 0.5, 0.75)


def subjects(chosen: argparse.Namespace) -> Iterator[tuple[str, Instance, int]]:
    """Yield what is solved: its kind, the instance, and the budget."""
    for seed in range(1, chosen.seeds + 1):
        document = instances.document(seed=seed, nodes=chosen.nodes, layouts=chosen.layouts)
        yield from (("document", document, budget) for budget in chosen.budgets)
    for part in PARTS:
        chain = instances.chain(chosen.depth, part=part)
        yield "chain", chain, chain.budget
        star = instances.star(chosen.children, part=part)
        yield "star", star, star.budget


def measure(subject: tuple[str, Instance, int], repeat: int, most: int) -> dict[str, Any]:
    """Solve one nested table.

    Parameters
    ----------
    subject
        Of `subjects`.
    repeat
        How many timed calls.
    most
        Updates up to which the dynamic program checks the value.

    Raises
    ------
    AssertionError
        If the value differs from that of the dynamic program.
    """
    kind, instance, budget = subject
    solution = solve(instance.table, budget, "large")
    check(instance, budget, solution, most)
    work = partial(solve, instance.table, budget, "large")
    ms = statistics.median(timed(work)[1] for _ in range(repeat))
    return {
        "kind": kind,
        "instance": instance.name,
        "classes": instance.table.classes,
        "options": instance.table.options,
        "depth": instance.table.depth,
        "budget": budget,
        "ms": rounded(ms, 4),
        "status": str(solution.status),
        "value": solution.value,
        "gap": solution.gap,
        "operations": solution.statistics.get("operations", 0),
    }


def check(instance: Instance, budget: int, solution: Solution, most: int) -> None:
    """Compare a solution with its own sums and, if that is cheap, with the dynamic program.

    Raises
    ------
    AssertionError
        If they differ.
    """
    table, name = instance.table, f"{instance.name}, budget {budget}"
    taken = (solution.choice + table.start[:-1])[solution.choice >= 0]
    sums = int(table.cost[taken].sum()), table.value[taken].sum()
    assert sums == (solution.cost, solution.value), f"{name}: tree adds up to {sums}"
    assert solution.cost <= budget, f"{name}: tree is over the budget"
    if table.options * (budget + 1) <= most:
        other = dp.solve(table, budget, work_limit=most)
        assert solution.value <= other.bound, f"{name}: tree {solution.value}, dp {other.value}"
        assert other.value <= solution.bound, f"{name}: tree {solution.bound}, dp {other.value}"


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return medians and worst times by kind and budget, and what is not proved."""
    lines: list[dict[str, Any]] = []
    keys = dict.fromkeys((r["kind"], r["budget"] if r["kind"] == "document" else 0) for r in rows)
    for kind, budget in keys:
        members = [r for r in rows if r["kind"] == kind and budget in (0, r["budget"])]
        lines.append(
            {
                "kind": kind,
                "budget": budget or "25, 50, 75 %",
                "instances": len(members),
                "median": rounded(statistics.median(row["ms"] for row in members)),
                "worst": rounded(max(row["ms"] for row in members)),
                "gap": max(row["gap"] for row in members),
                "unproved": sum(row["status"] != "optimal" for row in members),
                "operations": max(row["operations"] for row in members),
            }
        )
    unproved = [row for row in rows if row["status"] != "optimal"]
    return {
        "lines": lines,
        "unproved": [
            f"{r['instance']}, budget {r['budget']}, gap {r['gap']:.2g}" for r in unproved
        ],
    }


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what to solve."""
    parser = argparse.ArgumentParser(description="Time the solver for nested tables.")
    add_common(parser)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--layouts", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5, help="how many documents")
    parser.add_argument("--budgets", nargs="+", type=int, default=list(BUDGETS))
    parser.add_argument("--depth", type=int, default=10_000, help="of the chains")
    parser.add_argument("--children", type=int, default=100_000, help="of the stars")
    parser.add_argument("--cells", type=int, default=CELLS, help="updates the check may make")
    parser.add_argument("--repeat", type=int, default=REPEAT, help="timed calls")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.nodes, chosen.seeds, chosen.budgets = 500, 2, [40, 400]
        chosen.depth, chosen.children, chosen.repeat = 100, 100, 3
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all; 1 if one is not proved."""
    chosen = parsed(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    rows: list[dict[str, Any]] = []
    for subject in track(list(subjects(chosen)), "Tables", console=Console(stderr=True)):
        rows.append(measure(subject, chosen.repeat, chosen.cells))
    totals = summary(rows)
    show("nested, ms", totals["lines"], *totals["lines"][0])
    console.print(f"unproved: {totals['unproved'] or 'none'}")
    store(chosen.json, {"summary": totals, "instances": rows})
    return 1 if totals["unproved"] else 0


if __name__ == "__main__":
    sys.exit(main())
