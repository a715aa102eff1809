"""Lagrangian relaxation: the best price of cost, and the resulting bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.solvers.problem import Problem
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
        """An upper bound, in units, of the value of any selection within the budget."""
        if self.beyond is None:
            return self.within.value
        return (self.root + self.price * self.budget) // self.scale

    def loss(self, value: int, cost: int) -> int:
        """Return the loss of a selection with this value and cost against the root."""
        return self.root - (self.scale * value - self.price * cost)

    @property
    def slope(self) -> float:
        """The value, in units, of one more unit of cost at the break."""
        if self.beyond is None:
            return 0.0
        rise = self.beyond.value - self.within.value
        return rise / (self.beyond.cost - self.within.cost)


def at(tree: Tree, scale: int, price: int) -> tuple[Relaxed, Selected]:
    """Return the relaxation at a price, and its best selection."""
    relaxed = tree.relax(scale, price)
    return relaxed, tree.select(relaxed)


def dearest(problem: Problem) -> Selected:
    """Return the selection with the greatest value; ties go to the least cost."""
    return at(problem.tree, problem.most_cost + 1, 1)[1]


def cheapest(problem: Problem) -> Selected:
    """Return the selection with the least cost; ties go to the greatest value."""
    return at(problem.tree, 1, 2 * problem.scaled.most + 1)[1]


def relax(problem: Problem, budget: int, tree: Tree | None = None) -> Relaxation:
    """Return the relaxation at the break; some selection must fit the budget.

    If a `tree` is given, the price is a whole number and the scale exceeds any cost, so that
    ``scale * value - cost`` ranks by value, then by cost.

    Between two corners of the concave hull of all selections, the price of the line through
    both finds a third above it, or there is none; the corners come closer from both sides.
    It is the search of Y. P. Aneja and K. P. K. Nair, "Bicriteria transportation problem",
    Management Science 25 (1979), section 2. Some ten to twenty prices, O(options) each.
    """
    is_whole, tree = tree is not None, tree or problem.tree
    scale, price = problem.most_cost + 1, 1
    relaxed, high = at(tree, scale, price)
    if high.cost <= budget:
        root = scale * high.value - high.cost
        return Relaxation(scale, price, relaxed, root, high, None, budget)
    low = at(tree, 1, 2 * problem.scaled.most + 1)[1]
    ratio = _whole if is_whole else _ratio
    while True:
        scale, price = ratio(problem, high.value - low.value, high.cost - low.cost)
        relaxed, middle = at(tree, scale, price)
        root = scale * middle.value - price * middle.cost
        if root <= max(scale * end.value - price * end.cost for end in (low, high)):
            return Relaxation(scale, price, relaxed, root, low, high, budget)
        if middle.cost <= budget:
            low = middle
        else:
            high = middle


def _whole(problem: Problem, rise: int, run: int) -> tuple[int, int]:
    """Return a scale greater than any cost, and the price for a slope, rounded up."""
    scale = problem.most_cost + 1
    cap = (SUM_LIMIT - scale * problem.scaled.most) // scale
    return scale, max(1, min(cap, -(-scale * rise // run)))


def _ratio(problem: Problem, rise: int, run: int) -> tuple[int, int]:
    """Return a scale and a price in the ratio of a slope, rounded up if they do not fit.

    Reduced values, in units times scale, stay below `SUM_LIMIT`. Any price gives a valid bound, so
    rounding does little harm.
    """
    size = run * problem.scaled.most + rise * problem.most_cost
    if size <= SUM_LIMIT:
        return run, rise
    scale = max(1, SUM_LIMIT * run // (2 * size))
    return scale, -(-scale * rise // run)
