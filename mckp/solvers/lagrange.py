"""Lagrangian relaxation: the best price for cost, the bound, and what each option loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.base import NEVER
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.tree import Relaxed, Selected, Tree

    Ints = NDArray[np.int64]

FAR: Final = -NEVER
"""Loss of what is impossible, in reduced value."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The relaxation at the break: the least price at which the best selection fits the budget.

    Parameters
    ----------
    scale, price
        Reduced value is ``scale * value - price * cost``.
    relaxed
        The best reduced values of all options and classes.
    root
        The best of the whole table: no selection has more.
    within, beyond
        The best selections known on both sides of the break: one that fits the budget, and one
        that does not (None if the most valuable one fits).
    budget
        The budget.
    """

    scale: int
    price: int
    relaxed: Relaxed
    root: int
    within: Selected
    beyond: Selected | None
    budget: int

    @property
    def bound(self) -> int:
        """Units of value that no selection within the budget exceeds."""
        if self.beyond is None:
            return self.within.value
        return (self.root + self.price * self.budget) // self.scale

    def loss(self, value: int, cost: int) -> int:
        """Return what a selection of this value and cost loses against the root."""
        return self.root - (self.scale * value - self.price * cost)

    @property
    def slope(self) -> float:
        """Units of value that one more unit of cost is worth at the break."""
        if self.beyond is None:
            return 0.0
        rise = self.beyond.value - self.within.value
        return rise / (self.beyond.cost - self.within.cost)


class Prices:
    """A tree and the sizes of its numbers, to be relaxed at one price after the other.

    Parameters
    ----------
    tree
        The tree.
    most_value, most_cost
        Sizes that value and cost of no selection exceed, of either sign.
    """

    def __init__(self, tree: Tree, most_value: int, most_cost: int) -> None:
        self.tree, self.most_value, self.most_cost = tree, most_value, most_cost

    def at(self, scale: int, price: int) -> tuple[Relaxed, Selected]:
        """Return the relaxation at a price, and its selection."""
        relaxed = self.tree.relax(scale, price)
        return relaxed, self.tree.select(relaxed)

    def dearest(self) -> Selected:
        """Return the selection of the greatest value, of these the one of the least cost."""
        return self.at(self.most_cost + 1, 1)[1]

    def cheapest(self) -> Selected:
        """Return the selection of the least cost, of these the one of the greatest value."""
        return self.at(1, 2 * self.most_value + 1)[1]

    def ratio(self, rise: int, run: int) -> tuple[int, int]:
        """Return scale and price whose ratio is this slope, rounded up where it does not fit.

        Reduced values, in units times scale, stay below `SUM_LIMIT`. Any price gives a bound, so
        rounding costs little.
        """
        if run * self.most_value + rise * self.most_cost <= SUM_LIMIT:
            return run, rise
        scale = SUM_LIMIT * run // (2 * (run * self.most_value + rise * self.most_cost))
        scale = max(1, scale)
        return scale, -(-scale * rise // run)

    def relax(self, budget: int) -> Relaxation:
        """Find the break of a tree in which some selection fits the budget.

        Notes
        -----
        Between two corners of the concave hull of all selections, the price of the line through
        both finds a third above it, or there is none; the corners come closer from both sides.
        It is the search of Y. P. Aneja and K. P. K. Nair, "Bicriteria transportation problem",
        Management Science 25 (1979), section 2. Some ten to twenty prices, O(options) each.
        """
        scale, price = self.most_cost + 1, 1
        relaxed, high = self.at(scale, price)
        if high.cost <= budget:
            root = self.tree.root(relaxed)
            return Relaxation(scale, price, relaxed, root, high, None, budget)
        low = self.cheapest()
        while True:
            relaxation, middle = self.between(low, high, budget)
            if middle is None:
                return relaxation
            if middle.cost <= budget:
                low = middle
            else:
                high = middle

    def between(
        self, low: Selected, high: Selected, budget: int
    ) -> tuple[Relaxation, Selected | None]:
        """Relax at the price of the line through two selections; return one above it, or None."""
        scale, price = self.ratio(high.value - low.value, high.cost - low.cost)
        relaxed, middle = self.at(scale, price)
        root = scale * middle.value - price * middle.cost
        known = max(scale * x.value - price * x.cost for x in (low, high))
        relaxation = Relaxation(scale, price, relaxed, root, low, high, budget)
        return relaxation, middle if root > known else None


def option_losses(tree: Tree, relaxed: Relaxed) -> Ints:
    """Return for each option how much less the best selection with it is worth. O(options).

    The least of both ways to take it, clean and paid, over both states of its class.
    """
    losses = np.empty(tree.cost.size, dtype=np.int64)
    best = relaxed.best
    free = np.zeros(tree.class_ids.size, dtype=np.int64)
    clean = free if tree.owing is None else np.full(tree.class_ids.size, FAR)
    for number, level in enumerate(tree.levels):
        where, owner = level.options, tree.owner[level.options]
        found = (free + relaxed.best_free)[owner] - best[where]
        if tree.owing is not None:
            other = (clean + relaxed.best_clean)[owner] - best[where]
            other[tree.owing[where]] = FAR
            found = np.minimum(found, other)
        found = np.minimum(found, FAR)
        losses[where] = found
        if number + 1 == len(tree.levels) or not level.openers.size:
            break
        below = tree.levels[number + 1].classes
        opener = tree.parent[below]
        base = losses[opener] + best[opener]
        kept = np.minimum(base - relaxed.clean[opener], FAR)
        clean[below] = kept
        if relaxed.paid is not None:
            free[below] = np.minimum(base - relaxed.paid[opener], FAR)
    return losses
