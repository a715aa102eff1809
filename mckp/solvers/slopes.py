"""What a unit of cost buys at a budget, and the budget at which it buys no more than that."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mckp.solvers.lagrange import ROOM
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.solvers.tree import Selected
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
        If no selection fits.

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
        self._problem = problem = Problem.of(table, budget)
        if not problem.is_feasible:
            raise ValueError(f"no selection fits a budget of {budget}")
        self.per_one = problem.scaled.per_one
        """Units of value that make a value of 1."""
        self._ends = problem.prices.cheapest(), problem.prices.dearest()

    def right_of(self, budget: int) -> float:
        """Return the value of one more unit of cost at a budget; 0 where nothing more is to be had.

        Time as for the relaxation at that budget.
        """
        return self._problem.prices.relax(budget).slope / self.per_one

    def spent(self, price: float) -> int | None:
        """Return the least cost that is spent where nothing is bought for less than a price.

        None if that is the least or the greatest there is. The price is rounded where value and
        cost at it would not fit 64 bits.
        """
        prices = self._problem.prices
        ratio = min(Fraction(price) * Fraction(self.per_one), Fraction(2 * prices.most_value + 1))
        room = ROOM // (prices.most_value + int(ratio * prices.most_cost) + 1)
        ratio = ratio.limit_denominator(max(1, room))
        cost = prices.at(ratio.denominator, ratio.numerator)[1].cost
        return None if cost in (end.cost for end in self._ends) else cost

    def corners(self) -> list[tuple[int, int]]:
        """Return the corners of the curve, as cost and value in units, ascending.

        Time O(options) for each corner. Without nesting the curve is the frontier of the linear
        relaxation of E. Zemel, Information Processing Letters 18 (1984).
        """
        found, ahead = [self._ends[0]], [self._ends[1]]
        while ahead:
            low, high = found[-1], ahead[-1]
            middle: Selected | None = None
            if high.cost > low.cost + 1:
                _, middle = self._problem.prices.between(low, high, 0)
            if middle is not None:
                ahead.append(middle)
            else:
                found += [high] if high.cost > low.cost else []
                ahead.pop()
        return [(corner.cost, corner.value) for corner in found]
