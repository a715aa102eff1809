"""Lagrangian relaxation: the best price for cost, the bound, and what each option loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.solvers.tree import Relaxed, Selected, Tree


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The relaxation at the break: the least price at which the best selection fits the budget.

    Reduced value is ``scale * value - price * cost``. `relaxed` has the best of all options and
    classes, `root` is the best of the whole table: no selection has more. `within` and `beyond`
    are the best selections known on both sides of the break: one that fits the budget, and one
    that does not (None if the most valuable one fits).
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
    """A tree to be relaxed at one price after the other.

    Value and cost of no selection exceed `most_value` and `most_cost` in size.
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
            # At the price of the line through both.
            scale, price = self.ratio(high.value - low.value, high.cost - low.cost)
            relaxed, middle = self.at(scale, price)
            root = scale * middle.value - price * middle.cost
            if root <= max(scale * each.value - price * each.cost for each in (low, high)):
                return Relaxation(scale, price, relaxed, root, low, high, budget)
            if middle.cost <= budget:
                low = middle
            else:
                high = middle
