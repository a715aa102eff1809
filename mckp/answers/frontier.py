"""The most information within each budget, for all budgets at once or one by one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.choices import split_of
from mckp.display.curve import SAMPLES, BudgetCurve
from mckp.errors import BudgetError
from mckp.solvers import frontier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.answers.priced import Priced

MOST_WORK: Final = 3 * 10**8
"""Options times budgets up to which all budgets are solved at once: about a second."""


def curve(priced: Priced, budget: int | None) -> BudgetCurve:
    """Return the budget curve of a document.

    It has every budget if all can be solved exactly at once. If token counts do not add up or are
    estimated, or if the table is too large, it has sampled budgets. Its note says which of these is
    the case. `budget` is the one that the curve marks.
    """
    sampler, table = Sampler(priced), priced.tabulated.table
    whole_cost, why_not = priced.prices.whole_cost(priced.menu.root), ""
    if not priced.prices.adds_up:
        why_not = "the counts of this tokenizer do not add up"
    elif priced.prices.scale > 1 or priced.prices.frame:
        why_not = "this tokenizer estimates fractions of tokens"
    elif table.options * whole_cost > MOST_WORK:
        why_not = (
            f"the table is too large to solve for all budgets at once: {table.options:,} options"
        )
    if why_not:
        budgets, values, tokens = _sampled_figures(sampler, priced.within(None).tokens)
        note = f"{len(budgets)} budgets from {budgets[0]} to {budgets[-1]}, one by one; {why_not}"
    else:
        solved = frontier(table, whole_cost)
        budgets = np.flatnonzero(~np.ma.getmaskarray(solved.cost))
        values, tokens = solved.value.data[budgets].astype(np.float64), solved.cost.data[budgets]
        note = f"all budgets from {budgets[0]} to {whole_cost} at once"
    return BudgetCurve(budgets, values, tokens, priced.menu.root.worth, budget, note, sampler)


def _sampled_figures(sampler: Sampler, most: int) -> tuple[Any, Any, Any]:
    """Return sampled budgets up to `most`, and the worth and tokens of the text within each."""
    floor, rows = floor_of(sampler, most), list[tuple[float, ...]]()
    for budget in sorted(
        {floor + (most - floor) * number // (SAMPLES - 1) for number in range(SAMPLES)}
    ):
        # Where counts do not add up, more budget may find no text.
        with suppress(BudgetError):
            rows.append((budget, *sampler.figures(budget)))
    budgets, values, tokens = zip(*rows, strict=True)
    return np.array(budgets), np.array(values, dtype=np.float64), np.array(tokens)


def floor_of(sampler: Sampler, most: int) -> int:
    """Return the smallest budget that any text fits, or `most` if that is smaller.

    It is approximate if counts do not add up.
    """
    try:
        sampler.figures(0)
    except BudgetError as error:
        return min(error.floor, most)
    return 0


class Sampler:
    """Makes the text for each budget once; calling it returns the tokens of the text by format."""

    def __init__(self, priced: Priced) -> None:
        self._priced = priced
        self._known: dict[int, tuple[float, int, Mapping[str, int]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Become None in another process, which has no document."""
        return type(None), ()

    def __call__(self, budget: int) -> Mapping[str, int]:
        if budget not in self._known:
            result = self._priced.within(budget)
            split = split_of(result.choices, result.tokens)
            self._known[budget] = result.value, result.tokens, split
        return self._known[budget][2]

    def figures(self, budget: int) -> tuple[float, int]:
        """Return the information and the tokens of the text within a budget."""
        self(budget)
        return self._known[budget][:2]
