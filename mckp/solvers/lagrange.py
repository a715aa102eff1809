"""Lagrangian relaxation: the best price of cost, and the resulting bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.frozen import frozen
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.solvers.problem import Problem
    from mckp.solvers.tree import Relaxed, Selected, Tree


@frozen
class Relaxation:
    """The relaxation at the break: the least price at which the best selection fits the budget.

    Attributes
    ----------
    scale, price : int
        The reduced value of a selection is ``scale * value - price * cost``.
    relaxed : Relaxed
        The best reduced values of options and classes.
    root : int
        The best reduced value of the whole table, which no selection exceeds.
    within, beyond : Selected
        The best selections on both sides of the break: one that fits the budget, and one that does
        not. `beyond` is None if the most valuable selection fits.
    budget : int
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
        """An upper bound, in units, of the value of any selection within the budget."""
        if self.beyond is None:
            return self.within.value
        return (self.root + self.price * self.budget) // self.scale

    def loss(self, value: int, cost: int) -> int:
        """Return how far the reduced value of a selection is below the best."""
        return self.root - (self.scale * value - self.price * cost)

    @property
    def slope(self) -> float:
        """The value, in units, of one more unit of cost at the break."""
        if self.beyond is None:
            return 0.0
        rise = self.beyond.value - self.within.value
        return rise / (self.beyond.cost - self.within.cost)


def relax_at(tree: Tree, scale: int, price: int) -> tuple[Relaxed, Selected]:
    """Return the best reduced values of a tree at a price, and its best selection."""
    relaxed = tree.relax(scale, price)
    return relaxed, tree.select(relaxed)


def most_valuable(problem: Problem) -> Selected:
    """Return the selection with the greatest value; ties go to the lower cost."""
    return relax_at(problem.tree, problem.most_cost + 1, 1)[1]


def cheapest(problem: Problem) -> Selected:
    """Return the selection with the least cost; ties go to the greatest value."""
    return relax_at(problem.tree, 1, 2 * problem.scaled.most + 1)[1]


def relax(problem: Problem, budget: int, tree: Tree | None = None) -> Relaxation:
    """Return the relaxation of a problem at the break; some selection must fit the budget.

    If a `tree` is given, it is used in place of the problem's own, and the price is a whole number
    for a scale that exceeds any cost, so that ``scale * value - cost`` ranks by value, then by
    cost.

    The search begins with the cheapest and the most valuable selection. At the price of the line
    through both, it finds a selection above the line, which replaces one of the two, or there is
    none, and the price is that of the break: Y. P. Aneja and K. P. K. Nair, "Bicriteria
    transportation problem", Management Science 25 (1979), section 2. It takes some ten to twenty
    prices, O(options) each.
    """
    is_whole, tree = tree is not None, tree or problem.tree
    scale, price = problem.most_cost + 1, 1
    relaxed, beyond = relax_at(tree, scale, price)
    if beyond.cost <= budget:
        root = scale * beyond.value - beyond.cost
        return Relaxation(scale, price, relaxed, root, beyond, None, budget)
    within = relax_at(tree, 1, 2 * problem.scaled.most + 1)[1]
    price_rule = _whole_price if is_whole else _price_ratio
    while True:
        scale, price = price_rule(problem, beyond.value - within.value, beyond.cost - within.cost)
        relaxed, between = relax_at(tree, scale, price)
        root = scale * between.value - price * between.cost
        if root <= max(scale * end.value - price * end.cost for end in (within, beyond)):
            return Relaxation(scale, price, relaxed, root, within, beyond, budget)
        if between.cost <= budget:
            within = between
        else:
            beyond = between


def _whole_price(problem: Problem, rise: int, run: int) -> tuple[int, int]:
    """Return a scale greater than any cost, and the price of a slope, rounded up.

    The slope is `rise` units of value for `run` units of cost. The price is at least 1, and lower
    if reduced values would exceed `SUM_LIMIT`.
    """
    scale = problem.most_cost + 1
    cap = (SUM_LIMIT - scale * problem.scaled.most) // scale
    return scale, max(1, min(cap, -(-scale * rise // run)))


def _price_ratio(problem: Problem, rise: int, run: int) -> tuple[int, int]:
    """Return a scale and a price whose ratio is a slope: `rise` units of value for `run` of cost.

    They are made smaller, with the price rounded up, if reduced values would exceed `SUM_LIMIT`.
    Any price gives a valid bound, so rounding does little harm.
    """
    size = run * problem.scaled.most + rise * problem.most_cost
    if size <= SUM_LIMIT:
        return run, rise
    scale = max(1, SUM_LIMIT * run // (2 * size))
    return scale, -(-scale * rise // run)
