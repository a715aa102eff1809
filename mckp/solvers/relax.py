"""The Lagrangian relaxation: a price a unit of cost, a proved bound, a first solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.solvers.kernels import sweep

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.graph import Graph

_ROUNDS: Final = 30
"""Secant steps before the search for the price halves its interval instead."""


@dataclass(frozen=True, eq=False)
class Point:
    """The best selection when cost has a price and no limit.

    Parameters
    ----------
    price
        What one unit of cost counts, where a unit of value counts ``budget + 1``.
    best, spent
        For each class, reduced value and cost of the best path from it to the end.
    path
        The option that begins each of those paths.
    """

    price: int
    best: Ints
    spent: Ints
    path: Ints

    @classmethod
    def at(cls, graph: Graph, price: int) -> Point:
        """Choose for every class at this price. O(options)."""
        return cls(price, *sweep.suffix(*graph.arrays, graph.scale, price))

    @property
    def cost(self) -> int:
        """Cost of the selection."""
        return int(self.spent[0])

    def bound(self, budget: int) -> int:
        """Scaled value that nothing within the budget exceeds."""
        return int(self.best[0]) + self.price * budget

    def unpriced(self) -> int:
        """Scaled value of the selection."""
        return self.bound(self.cost)


@dataclass(frozen=True, eq=False)
class Dual:
    """The price at which the relaxed budget is just met, and what follows from it.

    Parameters
    ----------
    graph
        The graph relaxed.
    over, under
        The selections just above and just below the break: the last that costs too much (None
        if even the best fits) and the first that fits.
    tightest
        The point of the least bound.
    """

    graph: Graph
    over: Point | None
    under: Point
    tightest: Point

    @property
    def bound(self) -> int:
        """Value that no selection within the budget exceeds."""
        return self.tightest.bound(self.graph.budget) // self.graph.scale

    def least_cost(self, value: int) -> int:
        """Cost that no selection of this value undercuts."""
        price = self.tightest.price
        return max(0, -((int(self.tightest.best[0]) - value * self.graph.scale) // price))

    def incumbent(self) -> Ints:
        """Return the best of a few greedy paths within the budget. O(options) each.

        Each starts from the selection that fits and walks through the classes, taking
        at a lower price what there is still room for.
        """
        graph, under = self.graph, self.under
        worth = (under.best + under.price * under.spent) // graph.scale
        fixed = (graph.budget, under.spent, worth)
        price = self.over.price if self.over else under.price
        paths = [under.path]
        while self.over and len(paths) < 8:
            paths.append(sweep.top_up(*graph.arrays, graph.scale, price, *fixed))
            price //= 4
        return max(paths, key=lambda path: rank(graph, path))


def rank(graph: Graph, path: Ints) -> tuple[int, int]:
    """Order paths: more value first, then less cost."""
    value, cost = graph.totals(path)
    return value, -cost


def relax(graph: Graph) -> Dual:
    """Find the price of the least bound, by secants and then by halving.

    Every point evaluated gives a valid bound in whole numbers, so nothing depends on
    where the search stops. Time O(options) a step, a dozen steps as a rule and about
    ``30 + log2(value * budget)`` at most; memory O(classes).

    The dual search is the classical one for concave piecewise linear functions; for and-or
    trees no source is known to the author. For classes without nesting the bound is the
    LP bound of E. Zemel, Information Processing Letters 18 (1984), and of M. E. Dyer,
    Mathematical Programming 29 (1984), up to the rounding of the price.
    """
    over = Point.at(graph, 1)
    if over.cost <= graph.budget:
        return Dual(graph, None, over, over)
    under = Point.at(graph, graph.most_value * graph.scale // graph.budget + 1)
    tightest = min(over, under, key=lambda point: point.bound(graph.budget))
    rounds = 0
    while under.price - over.price > 1:
        point = Point.at(graph, _next_price(over, under, halve=rounds >= _ROUNDS))
        known = max(int(end.best[0]) + _drop(end, point) for end in (over, under))
        tightest = min(tightest, point, key=lambda point: point.bound(graph.budget))
        over, under = (point, under) if point.cost > graph.budget else (over, point)
        rounds += 1
        if rounds < _ROUNDS and int(point.best[0]) <= known:
            break
    return Dual(graph, over, under, tightest)


def _drop(end: Point, point: Point) -> int:
    return (end.price - point.price) * end.cost


def _next_price(over: Point, under: Point, *, halve: bool) -> int:
    middle = (over.price + under.price) // 2
    if not halve:
        middle = (over.unpriced() - under.unpriced()) // (over.cost - under.cost)
    return min(max(middle, over.price + 1), under.price - 1)
