"""What is left of a document as its budget grows: a choice of formats, and the binary knapsack.

    python benches/curve.py [PATH ...] [--shares 0.05 ... 1] [--plot DIR] [--json OUT]

gives each document (of files or folders as `bench_formats` reads them; without any, those that
`samples` makes up) budgets from 5 to 100 % of its tokens as compact JSON. *mckp* chooses among the
formats of a level, value by value. Two rules choose from the same tree within the same budget, and
exactly too, but have one way only to write a value, so there is nothing to choose but whether:
*kv alone* is mckp with that format for everything, hints included, and *JSON* is compact JSON
without any hint (`binary_json`). ``--plot`` draws the shares of the leaves.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench_formats import Document, documents
from binary_json import most_leaves
from cutters import recount
from leaves import kept, leaves
from plots import curve, write
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from samples import samples
from solver_figures import add_common, store

import mckp
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SHARES: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
LEAST: Final = 200
SEEDS: Final = 3
"""How many documents of each shape are made up."""


def _encoded(formats: str | list[str], value: Any, budget: int) -> tuple[float, float]:
    """Return shares of the value and of the leaves that mckp keeps, nothing if it refuses."""
    try:
        result = mckp.encode(value, budget=budget, formats=formats)
    except mckp.BudgetError:
        return 0.0, 0.0
    assert recount(result.text) <= budget, f"{result.tokens} tokens within {budget}"
    found = kept(value, mckp.decode(result.text), result)
    assert found.faithful, "the text reads as something else than the result says"
    return result.value / result.total, found.leaves / found.total


def _binary(value: Any, budget: int) -> tuple[float, float]:
    share = most_leaves(value, budget)[1] / sum(1 for _ in leaves(value))
    return share, share


RULES: Final[dict[str, Callable[[Any, int], tuple[float, float]]]] = {
    "mckp native": partial(_encoded, "native"),
    "mckp dense": partial(_encoded, "dense"),
    "binary, kv alone": partial(_encoded, ["kv"]),
    "binary, JSON": _binary,
}
"""Shares of the value and of the leaves that are left within a budget."""


def subjects(paths: Sequence[Path], seeds: int, least: int, every: int) -> Iterator[Document]:
    """Yield the documents; those of one set are told of together."""
    found = documents(paths) if paths else _made_up(seeds)
    large = (each for each in found if recount(dump(each.value)) >= least)
    yield from (each for number, each in enumerate(large) if number % every == 0)


def _made_up(seeds: int) -> Iterator[Document]:
    for seed in range(1, seeds + 1):
        for name, value in samples(seed):
            yield Document("samples", name, f"{name}-{seed}", value)


def measure(document: Document, shares: Sequence[float]) -> Iterator[dict[str, Any]]:
    """Yield what each rule keeps of a document, for each budget."""
    tokens = recount(dump(document.value))
    for share in shares:
        for rule, keep in RULES.items():
            value, left = keep(document.value, int(share * tokens))
            yield {
                "set": document.set,
                "rule": rule,
                "share": share,
                "value": value,
                "leaves": left,
            }


def summary(rows: Sequence[dict[str, Any]], shares: Sequence[float]) -> list[dict[str, Any]]:
    """Return the mean of each rule by budget, set by set."""
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(row["set"] for row in rows):
        own = [row for row in rows if row["set"] == name]
        count = len(own) // (len(RULES) * len(shares))
        rules = {rule: _of([row for row in own if row["rule"] == rule], shares) for rule in RULES}
        found.append({"set": name, "documents": count, "shares": list(shares), "rules": rules})
    return found


def _of(rows: Sequence[dict[str, Any]], shares: Sequence[float]) -> dict[str, list[float]]:
    return {
        what: [
            round(statistics.fmean(row[what] for row in rows if row["share"] == share), 4)
            for share in shares
        ]
        for what in ("value", "leaves")
    }


def show(console: Console, found: Sequence[dict[str, Any]]) -> None:
    """Print shares of the leaves and of the value, in the mean over documents."""
    for entry in found:
        for what in ("leaves", "value"):
            heads = [f"{share:.0%}" for share in entry["shares"]]
            title = f"{entry['set']}, {entry['documents']} documents: share of the {what}"
            grid = Grid("rule", *heads, title=title)
            for rule, own in entry["rules"].items():
                grid.add_row(rule, *(f"{share:.3f}" for share in own[what]))
            console.print(grid)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the curves."""
    parser = argparse.ArgumentParser(description="Compare what is left as the budget grows.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--seeds", type=int, default=SEEDS, help="made-up documents of each shape")
    parser.add_argument("--least", type=int, default=LEAST, help="tokens of a document")
    parser.add_argument("--every", type=int, default=1, help="take one document in so many")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="draw curve.svg there")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.shares, chosen.seeds = [0.1, 0.5, 1.0], 1
    every = list(subjects(chosen.paths, chosen.seeds, chosen.least, chosen.every))
    every = every[: 3 if chosen.quick else None]
    if not every:
        parser.error(f"there is no document of {chosen.least} tokens or more")
    rows = [
        row
        for document in track(every, "Documents", console=Console(stderr=True))
        for row in measure(document, chosen.shares)
    ]
    found = {"least": chosen.least, "sets": summary(rows, chosen.shares)}
    show(Console(width=None if sys.stdout.isatty() else 140), found["sets"])
    store(chosen.json, found)
    if chosen.plot:
        write(curve, found, chosen.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
