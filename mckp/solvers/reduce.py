"""Proved reductions: what cannot be part of a selection worth having is left out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.graph import Cut
from mckp.solvers.kernels import sweep
from mckp.solvers.rows import Rows

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.graph import Graph
    from mckp.solvers.limits import Limits

_SHIFTS: Final = (1, 3, 5, 8, 12)
"""The windows are cut at prices that differ from the best one by 1/2, 1/8, ... of it."""


@dataclass(frozen=True, eq=False)
class Band:
    """The part of a graph that holds every path worth a target or more.

    Parameters
    ----------
    cut
        The options that lie on such paths.
    rows
        The budgets that such paths can have left at each class.
    """

    cut: Cut
    rows: Rows

    def solve(self, limits: Limits) -> Ints | None:
        """Return the best path in the band as a path of the whole graph, None if it is empty.

        If the best path of the whole graph reaches the target, it is this one, ties included.
        """
        path = self.rows.solve(limits)
        return None if path is None else self.cut.lift(path)


def band(graph: Graph, price: int, target: int) -> Band | None:
    """Leave out everything that is not part of a path of value `target` within the budget.

    At any price a path's value is at most its reduced value plus the price of the budget. An
    option goes when even the best path through it stays below the target; a budget left on
    reaching a class goes when the best path with that much left does. Bounds are whole
    numbers and equality stays, so ties remain exactly as they were. None: nothing is left.

    Time O(options) for each of a dozen prices, memory O(options).

    Reduction by Lagrangian losses follows M. E. Dyer, N. Kayal, J. Walker, "A branch and bound
    algorithm for solving the multiple-choice knapsack problem", Journal of Computational and
    Applied Mathematics 11 (1984); the windows of budgets are this library's own.
    """
    least = target * graph.scale - price * graph.budget
    alive = sweep.through(*graph.arrays, graph.scale, price, least)
    if graph.classes and not alive[: graph.start[1]].any():
        return None
    cut = Cut.of(graph, alive).tight()
    if cut.graph.budget < 0:
        return None
    inner = cut.graph
    price_here = price * cut.cost_unit * inner.scale // (cut.value_unit * graph.scale)
    rows = windows(inner, max(1, price_here), cut.value_here(target))
    return Band(cut, rows)


def windows(graph: Graph, price: int, target: int) -> Rows:
    """Bound the budgets left on reaching each class by pairs of prices around `price`."""
    rows = Rows.of(graph)
    low, high = np.maximum(rows.low, 0), rows.high.copy()
    least = target * graph.scale
    steps = sorted({price >> shift for shift in _SHIFTS})
    before = {p: _before(graph, p) for p in _ladder(price, steps)}
    after = {p: _after(graph, p) for p in before}
    for paid, ahead in _pairs(price, steps):
        sweep.narrow(low, high, before[paid], after[ahead], paid, ahead, graph.budget, least)
    return Rows(graph, low, high)


def _ladder(price: int, steps: list[int]) -> set[int]:
    return {price} | {max(0, price + sign * step) for step, sign in product(steps, (-1, 1))}


def _pairs(price: int, steps: list[int]) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    for step in steps:
        less, more = max(0, price - step), price + step
        pairs |= {(less, more), (more, less), (price, more), (more, price)}
        pairs |= {(less, price), (price, less)}
    return {(paid, ahead) for paid, ahead in pairs if paid != ahead}


def _before(graph: Graph, price: int) -> Ints:
    return sweep.prefix(*graph.arrays, graph.scale, price)


def _after(graph: Graph, price: int) -> Ints:
    return sweep.suffix(*graph.arrays, graph.scale, price)[0]
