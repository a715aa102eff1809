"""What a unit of cost buys at a budget, and the budget at which it buys no more than that."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mckp.solvers.curve import furthest
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.table import Table


class Slopes:
    """The slopes of the least concave curve above a frontier, without that curve.

    Parameters
    ----------
    table
        What to choose from.
    budget
        The greatest budget of interest.

    Raises
    ------
    ValueError
        If no selection fits, or values times budget do not fit 64 bits.

    Examples
    --------
    >>> from mckp.table import Table
    >>> slopes = Slopes(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), 100)
    >>> slopes.right_of(0), slopes.right_of(25), slopes.right_of(100)
    (0.32, 0.08333333333333333, 0.0)
    >>> slopes.spent(0.2), slopes.spent(0.05)
    (25, None)
    """

    def __init__(self, table: Table, budget: int) -> None:
        problem = Problem.of(table, budget)
        if not problem.is_feasible:
            raise ValueError(f"no selection fits a budget of {budget}")
        self._cut = problem.core()
        self._per_one = problem.scaled.per_one

    def right_of(self, budget: int) -> float:
        """Return the value of one more unit of cost at a budget; 0 where nothing more is to be had.

        Time O(options) for each halving of the interval between two corners of the curve, some
        dozen, and the same memory.
        """
        cut, graph = self._cut, self._cut.graph
        here = Fraction(budget - cut.cost_off, cut.cost_unit)
        low, high = furthest(graph, 1, graph.most_value + 1), furthest(graph, 1, 0)
        if here >= high[0] or low == high:  # counts that do not add up may exceed the budget
            return 0.0
        while True:
            run, rise = high[0] - low[0], high[1] - low[1]
            middle = furthest(graph, run, rise) if run > 1 else low
            if (middle[1] - low[1]) * run <= rise * (middle[0] - low[0]):
                return rise * cut.value_unit / (run * cut.cost_unit * self._per_one)
            if middle[0] <= here:
                low = middle
            else:
                high = middle

    def spent(self, price: float) -> int | None:
        """Return the least cost that is spent where nothing is bought for less than a price.

        None if that is the least or the greatest there is. The price is rounded to a fraction
        whose denominator is at most the budget.
        """
        cut, graph = self._cut, self._cut.graph
        ratio = Fraction(price) * Fraction(self._per_one) * cut.cost_unit / cut.value_unit
        ratio = ratio.limit_denominator(max(1, graph.budget))
        if ratio.numerator > graph.most_value:
            ratio = Fraction(graph.most_value + 1)
        cost, _ = furthest(graph, ratio.denominator, ratio.numerator)
        if cost in (0, graph.budget):
            return None
        return cut.cost_off + cost * cut.cost_unit
