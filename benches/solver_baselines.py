"""What choosing among formats is worth beside simpler rules, at equal budgets.

    python benches/solver_baselines.py [PATH ...] [--quick] [--json OUT]

solves pieces of documents in several formats, made-up documents, and the very tables that `encode`
makes of the files of examples/ and of each PATH (a file or folder; ``*.jsonl`` holds a document a
line), at 5 to 95 % of what they cost. Each rule's value is told as a share of the optimum. For
rules that know only classes at the root nested tables are cut into parts first (`solver_parts`),
coarsely and finely, and the cut that serves the rule best counts; `greedy` gets them as they are.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import instances
from baselines import BASELINES
from bench_formats import documents
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, fill, median_ms, rounded, store, timed
from solver_parts import Parts

from mckp import MckpError, tokenizers
from mckp.encoders import select
from mckp.menu import offer
from mckp.menu.price import Prices, price
from mckp.menu.tabulate import tabulate
from mckp.parsers import as_tree
from mckp.reading import document_kind
from mckp.solvers import Status, get, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.solvers import Solution, Table

RULES: Final = ("greedy", "density", "binary", "fair", "random", "head-tail", "fifo")
WHOLE: Final = ("greedy",)
"""Rules that know nested tables."""
PARTS: Final = tuple(percent / 100 for percent in (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95))
EXAMPLES: Final = Path(__file__).parents[1] / "examples"
ENDINGS: Final = frozenset({".json", ".md", ".txt"})


@dataclass(frozen=True)
class Subject:
    """A document to choose from.

    Attributes
    ----------
    set, name
        The kind of data, and which of them.
    at
        Gives the table and the budget for a part of what everything costs.
    """

    set: str
    name: str
    at: Callable[[float], tuple[Table, int]]


def subjects(chosen: argparse.Namespace) -> Iterator[Subject]:
    """Yield everything that is solved."""
    for family in instances.RENDERINGS:
        for seed in range(1, chosen.seeds + 1):
            at = partial(_rendering, family, seed, chosen.classes)
            yield Subject(family, f"{family}-{seed}", at)
    for seed in range(1, chosen.seeds + 1):
        made = instances.document(seed=seed, nodes=chosen.nodes)
        yield Subject("documents", made.name, partial(_document, made.table))
    for path in (EXAMPLES, *chosen.paths):
        found = list(_sources(path))
        for name, source in found[:: max(1, -(-len(found) // chosen.most))]:
            yield from _real(path.resolve().stem, name, source)


def _sources(path: Path) -> Iterator[tuple[str, Any]]:
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.suffix == ".jsonl":
            yield from ((each.name, each.value) for each in documents([file]))
        elif file.suffix in ENDINGS:
            yield file.name, file.read_bytes()


def _rendering(family: str, seed: int, classes: int, part: float) -> tuple[Table, int]:
    made = instances.renderings(family, seed=seed, classes=classes, part=part)
    return made.table, made.budget


def _document(table: Table, part: float) -> tuple[Table, int]:
    return table, int(part * int(table.cost[1]))


def _real(kind: str, name: str, source: Any) -> Iterator[Subject]:
    """Read a document the way `encode` does; what it cannot read is none."""
    prices = Prices(tokenizers.get("o200k"))
    try:
        menu = offer(as_tree(source, None), select("native"), prices.of, document_kind)
    except MckpError:
        return
    table = tabulate(menu, price(menu, prices)).table
    yield Subject(kind, name, partial(_tabulated, table, prices.whole(menu.root)))


def _tabulated(table: Table, whole: int, part: float) -> tuple[Table, int]:
    return table, int(part * whole)


def measure(
    subject: Subject, parts: Sequence[float], cuts: Sequence[int], repeat: int
) -> Iterator[dict[str, Any]]:
    """Yield the optimum and what each rule finds, for each part that has a selection.

    Parameters
    ----------
    subject
        What to solve.
    parts
        Budgets, as parts of what everything costs.
    cuts
        Into how many parts nested tables are cut for the rules.
    repeat
        How many timed calls.
    """
    for part in parts:
        table, budget = subject.at(part)
        name = "large"
        best = solve(table, budget, name)
        if best.status is Status.INFEASIBLE or best.value <= 0:
            continue
        row: dict[str, Any] = {
            "set": subject.set,
            "name": subject.name,
            "part": part,
            "classes": table.classes,
            "budget": budget,
            "value": best.value,
            "status": str(best.status),
            "ms": rounded(median_ms(partial(solve, table, budget, name), repeat)),
        }
        whole = [Parts(table, 0, 0.0)]
        pieces = whole if table.is_flat else [Parts.of(table, cut) for cut in cuts]
        rules = dict.fromkeys(RULES, pieces) | dict.fromkeys(WHOLE, whole)
        yield row | {
            "rules": {
                rule: _best_cut(_rule(rule, each, budget, best) for each in given)
                for rule, given in rules.items()
            }
        }


def _best_cut(found: Iterable[dict[str, float]]) -> dict[str, float]:
    return max(found, key=lambda entry: entry["share"])


def _rule(rule: str, pieces: Parts, budget: int, best: Solution) -> dict[str, float]:
    """Return the share of the optimum that a rule keeps, and its milliseconds."""
    left = budget - pieces.cost
    if left < 0:
        return {"share": 0.0, "ms": 0.0}
    ask = BASELINES.get(rule) or get(rule)
    solution, ms = timed(lambda: ask(pieces.table, left))
    found = 0.0 if solution.status is Status.INFEASIBLE else solution.value + pieces.value
    assert found <= best.bound * (1 + 1e-12), f"{rule}: {found} is above {best.bound}"
    return {"share": round(found / best.value, 5), "ms": rounded(ms)}


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each set and rule, its share of the optimum by part, in the mean and at worst."""
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        parts = sorted({row["part"] for row in own})
        entry: dict[str, Any] = {
            "set": name,
            "documents": len({row["name"] for row in own}),
            "ms": rounded(statistics.median(row["ms"] for row in own)),
            "unproved": sum(row["status"] != "optimal" for row in own),
            "parts": parts,
            "rules": {rule: _of(rule, own, parts) for rule in RULES},
        }
        found.append(entry)
    return found


def _of(rule: str, rows: Sequence[dict[str, Any]], parts: Sequence[float]) -> dict[str, Any]:
    shares = [row["rules"][rule]["share"] for row in rows]
    return {
        "mean": round(statistics.fmean(shares), 4),
        "worst": round(min(shares), 4),
        "ms": rounded(statistics.median(row["rules"][rule]["ms"] for row in rows)),
        "by part": [
            round(statistics.fmean(r["rules"][rule]["share"] for r in rows if r["part"] == part), 4)
            for part in parts
        ],
    }


def show(console: Console, found: Sequence[dict[str, Any]]) -> None:
    """Print shares of the optimum, in the mean and at worst, and times."""
    title = "share of the optimum: mean (worst), ms"
    table = Grid("set", "documents", "optimum, ms", *RULES, title=title)
    for entry in found:
        texts = ("{mean:.3f} ({worst:.3f}) {ms:g}".format(**entry["rules"][rule]) for rule in RULES)
        fill(table, [[entry["set"], entry["documents"], entry["ms"], *texts]])
    console.print(table)
    for entry in found:
        heads = [f"{part:.0%}" for part in entry["parts"]]
        table = Grid("rule", *heads, title=f"{entry['set']}: share of the optimum by budget")
        for rule in RULES:
            table.add_row(rule, *(f"{share:.3f}" for share in entry["rules"][rule]["by part"]))
        console.print(table)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what to solve."""
    parser = argparse.ArgumentParser(description="Compare the optimum with simpler rules.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    parser.add_argument("--classes", type=int, default=1000, help="pieces of a document")
    parser.add_argument("--nodes", type=int, default=10_000, help="of a made-up document")
    parser.add_argument("--seeds", type=int, default=3, help="how many of each")
    parser.add_argument("--cuts", nargs="+", type=int, default=[1, 8, 64, 512], metavar="PARTS")
    parser.add_argument("--most", type=int, default=40, help="documents of each PATH, about")
    parser.add_argument("--repeat", type=int, default=3, help="timed calls of the optimum")
    parser.add_argument("--parts", nargs="+", type=float, default=list(PARTS))
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.classes, chosen.nodes, chosen.seeds = 50, 300, 1
        chosen.cuts, chosen.repeat, chosen.parts = [1, 20], 1, [0.2, 0.5, 0.8]
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison."""
    chosen = parsed(arguments)
    console = Console(width=None if sys.stdout.isatty() else 220)
    rows: list[dict[str, Any]] = []
    for subject in track(list(subjects(chosen)), "Documents", console=Console(stderr=True)):
        rows += measure(subject, chosen.parts, chosen.cuts, chosen.repeat)
    found = summary(rows)
    show(console, found)
    settings = {"parts": chosen.parts, "cuts": chosen.cuts, "classes": chosen.classes}
    store(chosen.json, {"settings": settings | {"nodes": chosen.nodes}, "sets": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
