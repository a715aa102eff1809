"""The best value for every budget, from one run, and the worth of a unit of cost at each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.solvers.base import check_budget
from mckp.solvers.lagrange import cheapest, most_valuable, relax, relax_at
from mckp.solvers.paths import expand_paths
from mckp.solvers.problem import Problem
from mckp.solvers.states import FrontierProgram
from mckp.table import SUM_LIMIT, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints

    Whole = np.ma.MaskedArray[tuple[int], np.dtype[np.int64]]
    Real = np.ma.MaskedArray[tuple[int], np.dtype[np.float64]]


CLOSE: Final = 1e-9
"""Share by which a price is lowered, so that everything worth at least the price is bought."""


class Slopes:
    """The slopes of the least concave curve above a frontier, computed without the frontier.

    Options that cost more than `budget` are left out. Raises `ValueError` if no selection fits it.

    Examples
    --------
    >>> slopes = Slopes(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), 100)
    >>> slopes.slope_at(0), slopes.slope_at(25), slopes.slope_at(100)
    (0.32, 0.08333333333333333, 0.0)
    >>> slopes.cost_above(0.2), slopes.cost_above(0.05)
    (25, None)
    >>> slopes.cost_from(0.32), slopes.cost_above(0.32), slopes.cost_from(0.01)
    (25, None, 100)
    """

    def __init__(self, table: Table, budget: int) -> None:
        self._problem = problem = Problem.of(table, budget)
        if not problem.is_feasible:
            raise ValueError(f"no selection fits a budget of {budget}")
        self._per_one = problem.scaled.per_one
        self._ends = cheapest(problem).cost, most_valuable(problem).cost

    def slope_at(self, budget: int) -> float:
        """Return the value of one more unit of cost at a budget; 0 if the best selection fits.

        Some selection must fit the budget.
        """
        return relax(self._problem, budget).slope / self._per_one

    def cost_above(self, price: float) -> int | None:
        """Return the cost of the best selection if a unit of cost is worth a price.

        This selection has everything that is worth more than the price per unit. The result is None
        if it is the least or the greatest cost of all. The price is rounded if products of values
        and costs would not fit 64 bits otherwise.
        """
        cost = self._cost_at(price)
        return None if cost in self._ends else cost

    def cost_from(self, price: float) -> int:
        """Return the cost of the selection that has everything worth at least a price per unit."""
        return self._cost_at(price * (1 - CLOSE))

    def _cost_at(self, price: float) -> int:
        """Return the cost of the best selection at a price, which may be rounded."""
        from fractions import Fraction  # only prices need it

        most, most_cost = self._problem.scaled.most, self._problem.most_cost
        ratio = min(Fraction(price) * Fraction(self._per_one), Fraction(2 * most + 1))
        room = SUM_LIMIT // (most + int(ratio * most_cost) + 1)
        ratio = ratio.limit_denominator(max(1, room))
        return relax_at(self._problem.tree, ratio.denominator, ratio.numerator)[1].cost


MAX_CELLS: Final = 10**10
"""Most updates that `frontier` makes: some twenty seconds on one core of 2025."""
MAX_BUDGETS: Final = 2**25
"""Most budgets that `frontier` covers: they need 2 GiB."""


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """The greatest value within every budget ``0 .. budget``, and its least cost.

    Attributes
    ----------
    table : Table
        The table that was solved.
    value : masked array of int64 or float64 [budget + 1]
        The greatest value within each budget, masked below the floor.
    cost : masked array of int64 [budget + 1]
        The least cost of this value, masked below the floor.
    floor : int or None
        The smallest budget with a selection; None if no budget suffices.
    useful : int or None
        The smallest budget that allows the greatest value of all, which may be beyond the last
        budget here; None if no budget suffices.
    tolerance : float
        The greatest error of a value: 0 for integers and decimal numbers (see
        `mckp.solvers.scaling`).
    """

    table: Table
    value: Whole | Real
    cost: Whole
    floor: int | None
    useful: int | None
    tolerance: float

    @property
    def budget(self) -> int:
        """The last budget of the frontier."""
        return self.cost.size - 1

    @property
    def breakpoints(self) -> Ints:
        """The budgets at which the value changes: the floor, and each that allows more value."""
        return np.unique(self.cost.compressed())

    def steps(self) -> list[tuple[int, int | float]]:
        """Return each breakpoint with the value that begins there."""
        breaks = self.breakpoints
        return list(zip(breaks.tolist(), self.value.data[breaks].tolist(), strict=True))

    def range(self, budget: int) -> tuple[int, int | None]:
        """Return the first and last budget for which the same selection is best as for `budget`.

        The last is None if no budget allows more value. If the next step is beyond the last budget
        of the frontier, a wider frontier is computed to find it. Raises `ValueError` if no
        selection fits the budget, or if it is greater than the last budget of the frontier.
        """
        if check_budget(budget) > self.budget:
            raise ValueError(f"the frontier ends at a budget of {self.budget}; make a wider one")
        if self.floor is None or self.useful is None or budget < self.floor:
            raise ValueError(f"no selection fits a budget of {budget}; the floor is {self.floor}")
        first = int(self.cost.data[budget])
        if first == self.useful:
            return first, None
        later = self.breakpoints
        later = later[later > budget]
        if later.size:
            return first, int(later[0]) - 1
        return frontier(self.table, min(self.useful, 2 * self.budget + 1)).range(budget)

    def __repr__(self) -> str:
        return (
            f"Frontier(budget={self.budget}, floor={self.floor}, useful={self.useful}, "
            f"steps={self.breakpoints.size})"
        )


def frontier(table: Table, budget: int | None = None) -> Frontier:
    """Return the best value, and its least cost, for every budget from 0 to the last.

    By default, the last budget is the smallest one that allows the greatest value. Raises
    `ValueError` if that would take more than `MAX_CELLS` updates or `MAX_BUDGETS`, or if the budget
    is negative or not a whole number.

    Examples
    --------
    >>> curve = frontier(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]))
    >>> curve.steps()
    [(0, 0), (25, 8), (40, 9), (85, 13), (100, 14)]
    >>> curve.range(50)  # from which budget to which one the same selection is best
    (40, 84)

    Notes
    -----
    The frontier is the row of the first class in the dynamic program over all budgets (H.
    Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems", Springer 2004, section 11.5,
    extended to nested classes as in `mckp.solvers.dp`); no choices are kept. The least cost of
    a value is the first budget that reaches it. Time O(options x budget), memory O(budget x
    levels).

    Values that are not short decimal numbers are rounded to whole units: each entry is then
    within `Frontier.tolerance` of the true one, and values closer than that may count as a
    step or not.
    """
    unlimited = Problem.of(table, SUM_LIMIT)
    floor = unlimited.floor
    useful = None if floor is None else most_valuable(unlimited).cost
    last_budget = check_budget((useful or 0) if budget is None else budget)
    _check_size(last_budget + 1, MAX_BUDGETS, "budgets", last_budget)
    problem = Problem.of(table, min(last_budget, useful or 0))
    scaled = problem.scaled
    best_units, cost = (
        np.zeros(last_budget + 1, dtype=np.int64),
        np.zeros(last_budget + 1, dtype=np.int64),
    )
    first_budget = last_budget + 1 if floor is None else min(floor, last_budget + 1)
    if first_budget <= last_budget:
        costs, values = _undominated_totals(problem)
        within_budget = (
            np.searchsorted(costs, np.arange(first_budget, last_budget + 1), side="right") - 1
        )
        best_units[first_budget:], cost[first_budget:] = values[within_budget], costs[within_budget]
    value = (
        best_units
        if table.value.dtype.kind == "i" and scaled.exact
        else best_units / scaled.per_one
    )
    mask = np.arange(last_budget + 1) < first_budget
    tolerance = 0.0 if scaled.exact else table.classes / 2 / scaled.per_one
    return Frontier(
        table, _mask_budgets(value, mask), _mask_budgets(cost, mask), floor, useful, tolerance
    )


def _undominated_totals(problem: Problem) -> tuple[Ints, Ints]:
    """Return the costs and values of all undominated selections within the budget.

    Raises `ValueError` if that would take more than `MAX_CELLS` updates.
    """
    paths = expand_paths(problem, problem.tree.relax(0, 0), 0)
    work = paths.option.size * (problem.slack + 1)
    _check_size(work, MAX_CELLS, "updates", problem.budget)
    program = FrontierProgram(paths, problem.budget, 0, 0, 0, problem.limits, work + 1)
    program.run(keep=False)
    return program.undominated_totals()


def _mask_budgets(array: NDArray[Any], mask: NDArray[np.bool_]) -> Any:
    """Return a read-only masked array; `mask` flags the budgets without a selection."""
    array.setflags(write=False)
    return np.ma.MaskedArray(array, mask=mask)


def _check_size(size: int, limit: int, unit: str, top: int) -> None:
    """Raise `ValueError` if `size` exceeds `limit`.

    The message says that a frontier up to the budget `top` needs so many of a `unit`.
    """
    if size > limit:
        raise ValueError(
            f"a frontier up to a budget of {top:,} needs {size:,} {unit}, more than {limit:,}; "
            "give a smaller budget, or solve for the budgets of interest"
        )
