"""The most information within every budget, all at once or one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.budgets import SAMPLES, BudgetCurve
from mckp.display.blocks import split_of
from mckp.errors import BudgetError
from mckp.solvers import frontier
from mckp.solvers.dues import Dues
from mckp.solvers.slopes import Slopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.answers.origin import Origin
    from mckp.plan import Offer, Plan

MOST_WORK: Final = 3 * 10**9
"""Options times budgets up to which all budgets are solved at once: about a second."""

MOST_OPTIONS: Final = 1 << 18
"""Options of a table in which every hint is priced exactly."""


def slopes(plan: Plan, budget: int) -> Slopes:
    """Return what tokens buy near a budget, hints shared out as is best there."""
    most = plan.most
    offer = plan.offer(most, set())
    return Slopes(Dues.spread(offer.table, offer.due, min(budget, most)).shared, most)


def curve(origin: Origin, budget: int | None) -> BudgetCurve:
    """Return the curve of a document, as exact as its size allows."""
    plan = origin.plans.part
    why_not = "counts of this tokenizer do not add up"
    if origin.tokenizer.additive:
        offer = _exact(plan)
        work = offer.table.options * plan.most
        if not offer.due.any() and work <= MOST_WORK:
            return _at_once(origin, plan, offer, budget)
        why_not = f"for all at once the table is too large: {offer.table.options:,} options"
    return _one_by_one(origin, plan, budget, why_not)


def _exact(plan: Plan) -> Offer:
    """Return the table for all budgets, hints priced exactly unless it grows too large."""
    exact: set[int] = set()
    offer = plan.offer(plan.most, exact)
    while offer.due.any() and offer.table.options <= MOST_OPTIONS:
        exact |= {offer.container(row) for row in np.flatnonzero(offer.due).tolist()}
        offer = plan.offer(plan.most, exact)
    return offer


def _at_once(origin: Origin, plan: Plan, offer: Offer, budget: int | None) -> BudgetCurve:
    found = frontier(offer.table, plan.most)
    budgets = np.flatnonzero(~np.ma.getmaskarray(found.cost))
    return BudgetCurve(
        budgets,
        found.value.data[budgets].astype(np.float64),
        found.cost.data[budgets],
        plan.total,
        budget,
        f"all budgets from {budgets[0]} to {plan.most} at once",
        Sampler(origin),
    )


def _one_by_one(origin: Origin, plan: Plan, budget: int | None, why: str) -> BudgetCurve:
    sampler = Sampler(origin)
    most = origin.result(None).tokens
    floor = _floor(sampler, most)
    tried = sorted({floor + (most - floor) * n // (SAMPLES - 1) for n in range(SAMPLES)})
    figures = {each: sampler.figures(each) for each in tried if sampler.fits(each)}
    budgets, found = list(figures), list(figures.values())
    return BudgetCurve(
        np.array(budgets, dtype=np.int64),
        np.array([value for value, _ in found], dtype=np.float64),
        np.array([tokens for _, tokens in found], dtype=np.int64),
        plan.total,
        budget,
        f"{len(budgets)} budgets from {budgets[0]} to {budgets[-1]}, one by one; {why}",
        sampler,
    )


def _floor(sampler: Sampler, most: int) -> int:
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
    """Figures of the texts for some budgets, each made once.

    Parameters
    ----------
    origin : Origin
        What texts are made from.
    """

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._known: dict[int, tuple[float, int, Mapping[str, int]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __call__(self, budget: int) -> Mapping[str, int]:
        """Return the tokens of each format."""
        return self._of(budget)[2]

    def figures(self, budget: int) -> tuple[float, int]:
        """Return information and tokens."""
        return self._of(budget)[:2]

    def fits(self, budget: int) -> bool:
        """Whether a text is found; where counts do not add up, more budget may find none."""
        try:
            self._of(budget)
        except BudgetError:
            return False
        return True

    def _of(self, budget: int) -> tuple[float, int, Mapping[str, int]]:
        if budget not in self._known:
            result = self._origin.result(budget)
            split = split_of(result.choices, result.tokens)
            self._known[budget] = result.value, result.tokens, split
        return self._known[budget]
