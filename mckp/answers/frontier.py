"""The most information within every budget, all at once or one by one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.display.blocks import split_of
from mckp.display.curve import SAMPLES, BudgetCurve
from mckp.errors import BudgetError
from mckp.solvers import frontier
from mckp.solvers.frontiers import Slopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.answers.priced import Priced

MOST_WORK: Final = 3 * 10**8
"""Options times budgets up to which all budgets are solved at once: about a second."""


def slopes(priced: Priced) -> Slopes:
    """Return what tokens buy near a budget."""
    return Slopes(priced.tabulated.table, priced.prices.whole(priced.menu.root))


def curve(priced: Priced, budget: int | None) -> BudgetCurve:
    """Return the curve of a document, for all budgets if its size allows."""
    why_not = "counts of this tokenizer do not add up"
    if priced.tokenizer.additive:
        table, most = priced.tabulated.table, priced.prices.whole(priced.menu.root)
        if table.options * most <= MOST_WORK:
            return _at_once(priced, most, budget)
        why_not = f"for all at once the table is too large: {table.options:,} options"
    return _one_by_one(priced, budget, why_not)


def _at_once(priced: Priced, most: int, budget: int | None) -> BudgetCurve:
    found = frontier(priced.tabulated.table, most)
    budgets = np.flatnonzero(~np.ma.getmaskarray(found.cost))
    return BudgetCurve(
        budgets,
        found.value.data[budgets].astype(np.float64),
        found.cost.data[budgets],
        priced.menu.root.worth,
        budget,
        f"all budgets from {budgets[0]} to {most} at once",
        Sampler(priced),
    )


def _one_by_one(priced: Priced, budget: int | None, why: str) -> BudgetCurve:
    sampler = Sampler(priced)
    most = priced.within(None).tokens
    floor = floor_of(sampler, most)
    budgets, values, tokens = list[int](), list[float](), list[int]()
    for each in sorted({floor + (most - floor) * n // (SAMPLES - 1) for n in range(SAMPLES)}):
        # Where counts do not add up, more budget may find no text.
        with suppress(BudgetError):
            value, count = sampler.figures(each)
            budgets, values, tokens = [*budgets, each], [*values, value], [*tokens, count]
    return BudgetCurve(
        np.array(budgets, dtype=np.int64),
        np.array(values, dtype=np.float64),
        np.array(tokens, dtype=np.int64),
        priced.menu.root.worth,
        budget,
        f"{len(budgets)} budgets from {budgets[0]} to {budgets[-1]}, one by one; {why}",
        sampler,
    )


def floor_of(sampler: Sampler, most: int) -> int:
    """Return a budget that a text fits, the least one unless something is pinned."""
    floor, step = 0, 1
    while floor < most:
        try:
            sampler.figures(floor)
        except BudgetError as error:
            # What is pinned may take more than an error can tell.
            floor, step = max(error.floor, floor + step), 2 * step
        else:
            break
    return min(floor, most)


class Sampler:
    """Figures of the texts for some budgets, each made once."""

    def __init__(self, priced: Priced) -> None:
        self._priced = priced
        self._known: dict[int, tuple[float, int, Mapping[str, int]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __call__(self, budget: int) -> Mapping[str, int]:
        """Return the tokens of each format."""
        return self._of(budget)[2]

    def figures(self, budget: int) -> tuple[float, int]:
        """Return information and tokens."""
        return self._of(budget)[:2]

    def _of(self, budget: int) -> tuple[float, int, Mapping[str, int]]:
        if budget not in self._known:
            result = self._priced.within(budget)
            split = split_of(result.choices, result.tokens)
            self._known[budget] = result.value, result.tokens, split
        return self._known[budget]
