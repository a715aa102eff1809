"""How much of a document is left within a budget: mckp beside simpler rules and other libraries.

    python benches/budget.py [PATH ...] [--shares 0.5 0.2] [--formats native dense] [--json OUT]

reads files or folders as `bench_formats` does, takes the documents of 200 tokens or more, and gives
each a budget of some share of its tokens as compact JSON. Within it are asked: mckp at each level,
by its best solver and by the two baselines it has (``greedy`` by density, and ``binary``: all of
the document or nothing), each choosing from the same menu; a cut at the last token that fits;
dropping the oldest; a binary knapsack of JSON (`binary_json`); and the libraries of `cutters` that
are installed. Everything is counted once more by tiktoken. *Used* and its tenth percentile are
shares of the budget, over the documents of which something was cut; *leaves*, *present* and
*counted* are explained in `leaves`. The exit code tells of a text of mckp that is over its budget,
or that does not read as what its result says.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench_formats import documents
from budget_rows import Row, measure, systems
from cutters import LIBRARIES, recount
from leaves import ceiling, leaves
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import rounded, store

from mckp import tokenizers
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SHARES: Final = (0.5, 0.2)
LEAST: Final = 200
"""Tokens of compact JSON from which on a document is taken."""
GAPS: Final = (0, 1)
"""Tokens between two leaves that ceilings allow for."""
COLUMNS: Final = {
    "failed": "failed",
    "over": "over",
    "cut": "cut",
    "used": "used",
    "used p10": "p10",
    "leaves": "leaves",
    "leaves pooled": "pooled",
    "present": "present",
    "counted": "counted",
    "readable": "readable",
    "hinted": "hinted",
    "optimal": "optimal",
    "ms": "ms",
}
"""What of the figures is shown, and under which head."""


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of one system at one share."""
    cut = [row for row in rows if row.cut and not row.failure]
    over = [row.used for row in rows if row.tokens > row.budget]
    found: dict[str, Any] = {
        "documents": len(rows),
        "failed": dict(Counter(row.failure for row in rows if row.failure)),
        "over": len(over),
        "worst": rounded(max(over, default=1.0)),
        "cut": len(cut),
        "used": _mean(row.used for row in cut),
        "used p10": tenth([row.used for row in cut]),
        "used by all": _mean(row.used for row in rows),
        "present": _mean(row.recall.present for row in rows),
        "counted": _mean(row.recall.counted for row in rows),
        "present pooled": _pooled(rows, lambda row: row.recall.present),
        "counted pooled": _pooled(rows, lambda row: row.recall.counted),
        "readable": _mean(row.readable for row in rows),
        "ms": rounded(statistics.median(row.ms for row in rows)),
        "ms p95": rounded(sorted(row.ms for row in rows)[-(-95 * len(rows) // 100) - 1]),
    }
    return found | _leaves(rows) | _own([row for row in rows if row.kept])


def _leaves(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many leaves are left, where that is known; a document that is refused has none."""
    if all(row.left is None for row in rows):
        return {}
    return {
        "leaves": _mean(row.left or 0 for row in rows),
        "leaves of cut": _mean(row.left or 0 for row in rows if row.cut),
        "leaves pooled": _pooled(rows, lambda row: row.left or 0),
    }


def _own(rows: Sequence[Row]) -> dict[str, Any]:
    """Return what only mckp can be asked, of the documents that it does not refuse."""
    if not rows:
        return {}
    return {
        "faithful": _mean(row.kept is not None and row.kept.faithful for row in rows),
        "hinted": _mean(row.kept is not None and row.kept.hinted for row in rows),
        "optimal": _mean(row.status == "optimal" for row in rows),
        "value": _mean(row.value for row in rows),
    }


def _mean(numbers: Iterable[float]) -> float | None:
    found = list(numbers)
    return round(statistics.fmean(found), 4) if found else None


def _pooled(rows: Sequence[Row], part: Callable[[Row], float]) -> float:
    return round(sum(part(row) * row.total for row in rows) / sum(row.total for row in rows), 4)


def tenth(numbers: Sequence[float]) -> float | None:
    """Return the tenth percentile, one of the numbers.

    Examples
    --------
    >>> tenth([float(number) for number in range(1, 101)])
    10.0
    """
    return round(sorted(numbers)[-(-len(numbers) // 10) - 1], 4) if numbers else None


def ceilings(values: Sequence[Any], share: float) -> dict[str, Any]:
    """Return what share of the leaves fits by their values alone, in the mean and pooled."""
    count = tokenizers.get("o200k").count_batch
    sizes = [sum(1 for _ in leaves(value)) for value in values]
    found: dict[str, Any] = {}
    for gap in GAPS:
        fit = [ceiling(value, int(recount(dump(value)) * share), count, gap) for value in values]
        pooled = sum(part * size for part, size in zip(fit, sizes, strict=True)) / sum(sizes)
        found[f"gap {gap}"] = {"mean": _mean(fit), "pooled": round(pooled, 4)}
    return found


def show(console: Console, found: dict[str, Any]) -> None:
    """Print a table for each share."""
    for share, entry in found["shares"].items():
        title = f"{found['documents']} documents at {float(share):.0%} of their tokens"
        grid = Grid("system", *COLUMNS.values(), title=title)
        for name, own in entry["systems"].items():
            grid.add_row(name, *(_cell(own.get(key)) for key in COLUMNS))
        console.print(grid)
        for gap, own in entry["ceilings"].items():
            console.print(f"ceiling, {gap}: {own['mean']} in the mean, {own['pooled']} pooled")
        for name, own in entry["systems"].items():
            if own["over"] or own["failed"]:
                console.print(f"{name}: at most {own['worst']} of the budget; {own['failed']}")


def _cell(found: object) -> str:
    if is_object(found):
        return str(sum(found.values()))
    return f"{found:.3f}" if isinstance(found, float) else "" if found is None else str(found)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what to measure."""
    parser = argparse.ArgumentParser(description="Compare what is left within a budget.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--least", type=int, default=LEAST, help="tokens of a document")
    parser.add_argument("--formats", nargs="+", default=["native", "dense"], metavar="LEVEL")
    parser.add_argument("--every", type=int, default=1, help="take one document in so many")
    parser.add_argument("--quick", action="store_true", help="few documents, in seconds")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    return parser.parse_args(arguments)


def report(rows: Sequence[Row], values: Sequence[Any]) -> dict[str, Any]:
    """Return the figures of all systems and the ceilings, share by share."""
    found: dict[str, Any] = {}
    for share in dict.fromkeys(row.share for row in rows):
        own = [row for row in rows if row.share == share]
        names = dict.fromkeys(row.system for row in own)
        by_name = {name: [row for row in own if row.system == name] for name in names}
        found[str(share)] = {
            "systems": {name: summary(each) for name, each in by_name.items()},
            "ceilings": ceilings(values, share),
        }
    return found


def taken(chosen: argparse.Namespace) -> list[Any]:
    """Return the documents that are large enough, or fewer of them if so chosen."""
    values = [each.value for each in documents(chosen.paths)]
    large = [value for value in values if recount(dump(value)) >= chosen.least]
    if not large:
        raise SystemExit(f"there is no document of {chosen.least} tokens or more")
    return large[:: chosen.every][: 3 if chosen.quick else None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 1 if mckp breaks a promise."""
    chosen = parsed(arguments)
    console = Console(width=None if sys.stdout.isatty() else 180)
    values = taken(chosen)
    asked = systems(chosen.formats, console)
    for system in asked:
        measure(system, values[0], chosen.shares[0])  # what a first call loads is not measured
    rows = [
        measure(system, value, share)
        for value in track(values, "Documents", console=Console(stderr=True))
        for share in chosen.shares
        for system in asked
    ]
    libraries = {
        each.name: f"{each.distribution} {each.version}" for each in LIBRARIES if each.version
    }
    found: dict[str, Any] = {"documents": len(values), "libraries": libraries}
    found |= {"least": chosen.least, "shares": report(rows, values)}
    show(console, found)
    store(chosen.json, found)
    return 1 if any(row.is_wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
