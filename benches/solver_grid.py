"""How long flat tables take, beside other solvers and one pass over the data.

    python benches/solver_grid.py [--quick] [--no-peers] [--json OUT]

solves the families of the literature and pieces of documents in several formats, at every number
of classes, options and part of the range of budgets. Two solvers are timed on each cell, the
default and `large`, which is compiled: the median of some calls after one warm one, what Python
adds included, and between those calls one pass of numpy over costs and values, which no solver can
beat. On the cells chosen for the peers CP-SAT (one worker, with the time for building its model),
HiGHS (as OR-Tools brings it, with its model's time) and the planner of llmslim solve it as
well, each within a limit.

Whoever proves a value must agree with all others who do; a difference ends the run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import instances
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, geometric_mean, rounded, show, store, timed
from solver_peers import PEERS, Answer

from mckp.solvers import solve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from instances import Instance

    from mckp.solvers import Solution

REPEAT: Final = 7
PEER_OPTIONS, PEER_PART, PEER_CLASSES = 7, 0.5, 10_000
"""The peers get cells of so many options and this part, of at most so many classes."""
FAMILIES: Final = (*instances.FAMILIES, *instances.RENDERINGS)


@dataclass(frozen=True)
class Target:
    """What is aimed at: milliseconds for seven options a class.

    Attributes
    ----------
    classes
        How many classes.
    median
        The most for the median over all families, parts and seeds.
    worst
        The most for the median of any family, if that is aimed at.
    """

    classes: int
    median: float
    worst: float | None = None


TARGETS: Final = (Target(1000, 0.36), Target(10_000, 1.2), Target(100_000, 11, 30))


@dataclass(frozen=True)
class Cell:
    """What one instance is made from."""

    family: str
    classes: int
    options: int
    part: float
    seed: int

    def instance(self) -> Instance:
        """Make the instance."""
        make = instances.flat if self.family in instances.FAMILIES else instances.renderings
        return make(
            self.family, seed=self.seed, classes=self.classes, options=self.options, part=self.part
        )

    @property
    def for_peers(self) -> bool:
        """Whether the slower solvers get it too."""
        options = 2 if self.family == "kp01s" else PEER_OPTIONS
        chosen = self.options == options and self.part == PEER_PART
        return chosen and self.classes <= PEER_CLASSES


def grid(chosen: argparse.Namespace) -> Iterator[Cell]:
    """Yield the cells; kp01s always has two options a class."""
    for family, classes in product(chosen.families, chosen.classes):
        options = [2] if family == "kp01s" else chosen.options
        for combination in product(options, chosen.parts, range(1, chosen.seeds + 1)):
            yield Cell(family, classes, *combination)


def measure(cell: Cell, repeat: int, limit: float | None) -> dict[str, Any]:
    """Solve one cell with all who take part.

    Parameters
    ----------
    cell
        What to solve.
    repeat
        How many timed calls.
    limit
        Seconds for each peer; None for no peers.

    Raises
    ------
    AssertionError
        If two values are both proved and differ, or a bound is passed.
    """
    instance = cell.instance()
    solution, row = _default(instance, repeat)
    answers = {} if limit is None else _peers(cell, instance, limit)
    check(instance, solution, answers)
    by_peer = {name: asdict(answer) for name, answer in answers.items()}
    for entry in by_peer.values():
        entry["ms"] = rounded(entry["ms"], 4)
        entry["times"] = rounded(entry["ms"] / row["ms"])
        entry["late"] = limit is not None and entry["ms"] >= 990 * limit
    return asdict(cell) | {"budget": instance.budget} | row | {"peers": by_peer}


def _default(instance: Instance, repeat: int) -> tuple[Solution, dict[str, Any]]:
    table, budget = instance.table, instance.budget
    solution, compiled = solve(table, budget), solve(table, budget, "large")
    assert compiled.value <= solution.bound, f"{instance.name}: large {compiled.value}"
    assert solution.value <= compiled.bound, f"{instance.name}: large {compiled.bound}"
    own: list[float] = []
    large: list[float] = []
    passes: list[float] = []
    for _ in range(repeat):
        own.append(timed(lambda: solve(table, budget))[1])
        large.append(timed(lambda: solve(table, budget, "large"))[1])
        passes.append(timed(lambda: table.cost.sum() + table.value.sum())[1])
    one_pass = statistics.median(passes)
    return solution, {
        "ms": rounded(statistics.median(own), 4),
        "large": rounded(statistics.median(large), 4),
        "pass": rounded(one_pass, 4),
        "passes": rounded(statistics.median(large) / one_pass),
        "status": str(solution.status),
        "value": solution.value,
        "cost": solution.cost,
        "gap": solution.gap,
        "operations": solution.statistics.get("operations", 0),
    }


def _peers(cell: Cell, instance: Instance, limit: float) -> dict[str, Answer]:
    peers = [peer for peer in PEERS if peer.available and cell.for_peers]
    answers = {peer.name: peer.ask(instance, limit) for peer in peers}
    return {name: answer for name, answer in answers.items() if answer is not None}


def check(instance: Instance, solution: Solution, answers: dict[str, Answer]) -> None:
    """Compare a solution with what others say.

    Raises
    ------
    AssertionError
        If two values are both proved and differ, or a value passes a bound.
    """
    best = Answer.of(solution, 0)
    choice, table = solution.choice + instance.table.start[:-1], instance.table
    sums = int(table.cost[choice].sum()), table.value[choice].sum()
    assert sums == (solution.cost, solution.value), (
        f"{instance.name}: the default adds up to {sums}"
    )
    assert solution.cost <= instance.budget, f"{instance.name}: the default is over the budget"
    for name, answer in answers.items():
        for first, two in ((best, answer), (answer, best)):
            within = first.value is None or two.bound is None or first.value <= two.bound
            assert within, (
                f"{instance.name}, budget {instance.budget}: the default {best}, {name} {answer}"
            )


def summary(cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return medians and worst times by family and classes, ratios to peers, and targets."""
    return {
        "cells": len(cells),
        "unproved": [_name(cell) for cell in cells if cell["status"] != "optimal"],
        "families": _families(cells),
        "peers": _ratios(cells),
        "targets": _targets(cells),
        "slowest": [
            {"cell": _name(cell), "ms": cell["ms"], "operations": cell["operations"]}
            for cell in sorted(cells, key=lambda cell: -cell["ms"])[:10]
        ],
    }


def _name(cell: dict[str, Any]) -> str:
    return "{family}-{classes}x{options}-p{part:g}-s{seed}".format(**cell)


def groups(
    cells: Iterable[dict[str, Any]], *keys: str
) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Return cells by some of their fields, in the order in which they come."""
    members: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for cell in cells:
        members[tuple(cell[key] for key in keys)].append(cell)
    return dict(members)


def _families(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "family": family,
            "classes": classes,
            "cells": len(rows),
            "median": rounded(statistics.median(row["ms"] for row in rows)),
            "worst": rounded(max(row["ms"] for row in rows)),
            "large": rounded(statistics.median(row["large"] for row in rows)),
            "large worst": rounded(max(row["large"] for row in rows)),
            "passes": rounded(statistics.median(row["passes"] for row in rows)),
            "operations": max(row["operations"] for row in rows),
            "unproved": sum(row["status"] != "optimal" for row in rows),
        }
        for (family, classes), rows in groups(cells, "family", "classes").items()
    ]


def _ratios(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how many times slower peers are; a run at the limit counts as its time."""
    ratios: list[dict[str, Any]] = []
    for (classes,), rows in groups(cells, "classes").items():
        for name in dict.fromkeys(name for row in rows for name in row["peers"]):
            answers = [row["peers"][name] for row in rows if name in row["peers"]]
            times = [answer["times"] for answer in answers]
            ratios.append(
                {
                    "classes": classes,
                    "peer": name,
                    "cells": len(answers),
                    "times": rounded(geometric_mean(times)),
                    "least": min(times),
                    "most": max(times),
                    "unproved": sum(answer["status"] != "optimal" for answer in answers),
                    "late": sum(answer["late"] for answer in answers),
                }
            )
    return ratios


def _targets(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    aims: list[dict[str, Any]] = []
    for aim in TARGETS:
        rows = [c for c in cells if c["classes"] == aim.classes and _seven(c)]
        if not rows:
            continue
        for name, column in (("default", "ms"), ("large", "large")):
            middle = statistics.median(row[column] for row in rows)
            aims.append(_aim(f"{name}, median at {aim.classes:,} x 7, ms", middle, aim.median))
        if aim.worst:
            medians = {
                family: statistics.median(row["large"] for row in members)
                for (family,), members in groups(rows, "family").items()
            }
            slowest = max(medians, key=lambda family: medians[family])
            label = f"large, slowest family at {aim.classes:,} x 7 ({slowest}), ms"
            aims.append(_aim(label, medians[slowest], aim.worst))
    return aims


def _seven(cell: dict[str, Any]) -> bool:
    return cell["family"] == "kp01s" or int(cell["options"]) == PEER_OPTIONS


def _aim(label: str, figure: float, target: float) -> dict[str, Any]:
    return {"what": label, "found": rounded(figure), "target": target, "met": figure <= target}


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the chosen part of the grid."""
    parser = argparse.ArgumentParser(description="Time the flat solver beside others.")
    add_common(parser)
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--classes", nargs="+", type=int, default=[10, 100, 1000, 10**4, 10**5])
    parser.add_argument("--options", nargs="+", type=int, default=[3, 7, 12])
    parser.add_argument("--parts", nargs="+", type=float, default=[0.25, 0.5, 0.75])
    parser.add_argument("--seeds", type=int, default=1, help="how many instances of each kind")
    parser.add_argument("--limit", type=float, default=10, help="seconds for each peer")
    parser.add_argument("--repeat", type=int, default=REPEAT, help="timed calls of the default")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.families = ["uncorrelated", "strongly", "kp01s", "proportional"]
        chosen.classes, chosen.options, chosen.parts = [20], [7], [0.5]
        chosen.limit, chosen.repeat = min(chosen.limit, 1), min(chosen.repeat, 3)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the grid; 1 if a cell is not proved."""
    chosen = parsed(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    if chosen.peers:
        for peer in PEERS:
            if not peer.available:
                console.print(f"{peer.name}: skipped, {peer.package} is not installed")
    work = partial(measure, repeat=chosen.repeat, limit=chosen.limit if chosen.peers else None)
    cells = list(grid(chosen))
    rows = [work(cell) for cell in track(cells, "Cells", console=Console(stderr=True))]
    totals = summary(rows)
    for name in ("families", "peers", "targets", "slowest"):
        rows_shown: list[dict[str, Any]] = totals[name]
        show(name, rows_shown, *(rows_shown[0] if rows_shown else ()))
    console.print(f"{totals['cells']} cells; unproved: {totals['unproved'] or 'none'}")
    settings = {"repeat": chosen.repeat, "limit": chosen.limit, "seeds": chosen.seeds}
    store(chosen.json, {"settings": settings, "summary": totals, "grid": rows})
    return 1 if totals["unproved"] else 0


if __name__ == "__main__":
    sys.exit(main())
