"""The synthetic ablation of the paper before this one: replayed, and with what is best beside it.

    python benches/ablation.py [--trials 2000] [--quick] [--json OUT]

replays every cell that was published (`published/ablation.json`), digit for digit, and tells where
it comes out differently. Then other rules choose from the same lists under the same budgets, each
knowing no more than the strategy ``priority`` did. An *exact* rule keeps the items whose values add
up to the most, proved by `mckp.solvers`; that paper multiplied values by weights first, which takes
one large item for as much as two small ones. *packed* takes items by falling value as long as they
fit. What p1 is worth for one list, it gains or loses by what the values know of the needed item;
the solver gives the most value, and no rule of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from replay import Lists, draw, kept, knapsacks, packed, values
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, fill, store

from mckp.solvers import Table, solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PUBLISHED: Final = Path(__file__).with_name("published") / "ablation.json"
BUDGETS: Final = (1000, 2000, 4000, 8000)
SIZES: Final = (20, 50, 100, 200)
OTHERS: Final = ("uniform", "adversarial", "realistic")
"""Distributions that are looked at with 50 items only, as was published."""
DIGITS: Final = {"p1": 4, "tokens": 1, "kept": 2}
OTHER_LISTS: Final = 20_000
"""Lists that chances are learnt from; they begin where no trial is."""
QUICK: Final = 7
"""Of the published cells, one in so many is replayed in a smoke test."""


def published() -> dict[str, Any]:
    """Return what was published."""
    found: dict[str, Any] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return found


def measures(lists: Lists, chosen: NDArray[np.bool_]) -> dict[str, float]:
    """Return p1, and the means of tokens and of items that are kept."""
    trial = np.arange(len(chosen))
    found = {
        "p1": chosen[trial, lists.gold].mean(),
        "tokens": (lists.weights * chosen).sum(axis=1).mean(),
        "kept": chosen.sum(axis=1).mean(),
    }
    return {name: round(float(number), DIGITS[name]) for name, number in found.items()}


def replayed(cell: dict[str, Any], trials: int) -> dict[str, Any]:
    """Return a published cell beside its replay, and whether all that was published agrees."""
    lists = draw(cell["distribution"], cell["items"], trials)
    budget = cell["budget"]
    chosen = kept(lists, values(cell["strategy"], lists), (budget,))[budget]
    found = measures(lists, chosen)
    agrees = all(cell[name] == found[name] for name in DIGITS if name in cell)
    return {"published": cell, "replayed": found, "agrees": agrees}


def _equal(lists: Lists) -> NDArray[np.float64]:
    return np.ones(lists.weights.shape)


def _priority(lists: Lists) -> NDArray[np.float64]:
    return values("priority", lists)


def _activity(lists: Lists) -> NDArray[np.float64]:
    return _priority(lists) if lists.activity is None else lists.activity


def _top_fifth(lists: Lists) -> NDArray[np.float64]:
    """Return 1 for the fifth of the items that has most activity, else 0."""
    return (_ranks(_activity(lists)) < max(lists.items // 5, 1)).astype(np.float64)


def _chance(lists: Lists) -> NDArray[np.float64]:
    """Return how often items of each rank by activity were needed in other lists of this kind."""
    others = draw(lists.distribution, lists.items, OTHER_LISTS, first=OTHER_LISTS)
    needed = _ranks(_activity(others))[np.arange(OTHER_LISTS), others.gold]
    chances = np.bincount(needed, minlength=lists.items) / OTHER_LISTS
    return chances[_ranks(_activity(lists))]


def _ranks(worth: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.argsort(np.argsort(-worth, axis=1, kind="stable"), axis=1)


def _exact(lists: Lists, worth: NDArray[np.float64], budget: int) -> NDArray[np.bool_]:
    """Return the items whose values add up to the most, proved."""
    found = np.empty(lists.weights.shape, dtype=bool)
    for chosen, weights, row in zip(found, lists.weights.tolist(), worth.tolist(), strict=True):
        table = Table.flat([[w] for w in weights], [[value] for value in row], skip=True)
        solution = solve(table, budget)
        assert solution.is_optimal, f"{solution.status} at {budget}"
        chosen[:] = solution.choice == 0
    return found


def _packed(lists: Lists, worth: NDArray[np.float64], budget: int) -> NDArray[np.bool_]:
    return packed(lists.weights, np.argsort(-worth, axis=1, kind="stable"), budget)


def _replay(lists: Lists, worth: NDArray[np.float64], budget: int) -> NDArray[np.bool_]:
    return kept(lists, worth, (budget,))[budget]


def _first_found(lists: Lists, worth: NDArray[np.float64], budget: int) -> NDArray[np.bool_]:
    return knapsacks(lists.weights, worth, (budget,))[budget]


RULES: Final = {
    "priority": (_priority, _replay),
    "priority, exact": (_priority, _exact),
    "activity, exact": (_activity, _exact),
    "activity, packed": (_activity, _packed),
    "top fifth, most": (_top_fifth, _exact),
    "chance, exact": (_chance, _exact),
    "equal, exact": (_equal, _exact),
}
"""What each item is taken to be worth, and how items are chosen; the first is that paper's best."""
CLAIMED: Final = RULES | {"top fifth, most": (_top_fifth, _first_found)}
"""The rules as they were tried: of as many items, those that the dynamic program came to first."""


def compared(distribution: str, items: int, trials: int) -> list[dict[str, Any]]:
    """Return what each rule keeps of the same lists, for each budget."""
    lists = draw(distribution, items, trials)
    rows: list[dict[str, Any]] = []
    for rule, (worth, choose) in RULES.items():
        value = worth(lists)
        for budget in BUDGETS:
            row = {"distribution": distribution, "items": items, "budget": budget, "rule": rule}
            rows.append(row | measures(lists, choose(lists, value, budget)))
    return rows


def improvement(claim: dict[str, Any], trials: int) -> dict[str, Any]:
    """Return what was said of a better rule beside what it does in as many trials."""
    lists = draw("power_law", claim["items"], trials)
    found: dict[str, float] = {}
    for key, rule in (("p1", claim["rule"]), ("priority", "priority")):
        worth, choose = CLAIMED[rule]
        found[key] = measures(lists, choose(lists, worth(lists), claim["budget"]))["p1"]
    agrees = all(claim[key] == round(found[key], 3) for key in found if key in claim)
    return {"published": claim, "replayed": found, "agrees": agrees}


def show(console: Console, found: dict[str, Any]) -> None:
    """Print what differs from what was published, and p1 of all rules."""
    for name in ("cells", "improvements"):
        entries = found[name]
        agreeing = sum(entry["agrees"] for entry in entries)
        console.print(f"{name}: {agreeing} of {len(entries)} as published")
        for entry in entries:
            if not entry["agrees"]:
                console.print(f"  published {entry['published']}, here {entry['replayed']}")
    by_list: dict[tuple[str, int], dict[str, list[str]]] = {}
    for row in found["rules"]:
        own = by_list.setdefault((row["distribution"], row["items"]), {})
        own.setdefault(row["rule"], []).append(f"{row['p1']:.4f} ({row['kept']:.2f})")
    for (distribution, items), rules in by_list.items():
        heads = [f"{budget:,}" for budget in BUDGETS]
        title = f"{distribution}, {items} items: p1 (items kept) by budget"
        console.print(
            fill(Grid("rule", *heads, title=title), ([rule, *row] for rule, row in rules.items()))
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ablation; 1 if a published cell comes out differently."""
    parser = argparse.ArgumentParser(description="Replay an ablation, and choose better.")
    add_common(parser)
    parser.add_argument("--trials", type=int, default=2000, help="lists for each rule")
    chosen = parser.parse_args(arguments)
    stated, trials = published(), 40 if chosen.quick else chosen.trials
    step = QUICK if chosen.quick else 1
    sets = [("power_law", items) for items in SIZES] + [(name, 50) for name in OTHERS]
    bar = Console(stderr=True)
    cells = [
        replayed(cell, stated["trials"])
        for cell in track(stated["cells"][::step], "Published", console=bar)
    ]
    claims = [
        improvement(claim, stated["trials of improvements"])
        for claim in track(stated["improvements"][::step], "Improvements", console=bar)
    ]
    rules = [
        row
        for distribution, items in track(sets[::step], "Rules", console=bar)
        for row in compared(distribution, items, trials)
    ]
    found = {"trials": trials, "cells": cells, "improvements": claims, "rules": rules}
    show(Console(width=None if sys.stdout.isatty() else 140), found)
    store(chosen.json, found)
    return 0 if all(entry["agrees"] for entry in cells + claims) else 1


if __name__ == "__main__":
    sys.exit(main())
