"""Exact for tables without nesting: a relaxation, fixing by losses, and lists for the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.solvers.base import Limits, Solution, Status, check_budget
from mckp.solvers.core import Base, Ground, Kernels, search
from mckp.solvers.evaluation import is_selection
from mckp.solvers.kernels import arrays
from mckp.solvers.problem import nothing_fits, reported
from mckp.solvers.scaling import Scaled, scale, shift_of

if TYPE_CHECKING:
    from mckp.table import Table

MOST_WORK: Final = 10**7
"""States made at most unless the caller sets another limit: some two seconds."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve a table without nesting exactly, with NumPy alone.

    The linear relaxation gives a price for cost, a selection that fits (the
    base) and a bound. A class can differ from the base in a better selection only if that loses
    less than what separates the best known from the bound, and so can each of its options. What
    is left, the core, is searched with lists of undominated states, nearest to the price first,
    until the bound is reached or no state can reach more. If the costs and values of what can
    change have a common structure (as when every value is a cost and a constant), the lattice
    that they span lowers the bound. Then the same is done for the cost.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds, looked at every few million operations; the choice then depends on the machine.
    work_limit
        States made in lists; `MOST_WORK` if None.
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Equal values go to the lower cost; of equal
        optima it is the first found, in an order that depends on nothing but the input.

    Raises
    ------
    ValueError
        If a class of the table is opened by an option.

    Notes
    -----
    Expected time O(options) for each of some ten prices, and lists of tens to thousands of
    states. At worst O(options x range of costs). Memory O(options + states).

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal
    of Operational Research 83 (1995), and the sources named in `kernels.breaks`. The sampled
    prices, the whole-numbered multipliers and the bound by lattices are this library's own.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.choice.tolist(), solution.value, str(solution.status)
    ([1, 0], 9, 'optimal')
    """
    budget = check_budget(budget)
    if not table.is_flat:
        raise ValueError("this solver takes only tables without nesting")
    limits = Limits(time_limit, MOST_WORK if work_limit is None else work_limit)
    kernels = Kernels(
        arrays.survey, arrays.break_price, arrays.losses, arrays.outlier, arrays.extend
    )
    return Flat(table, scale(table), limits, kernels).solve(budget, start)


@dataclass(slots=True)
class Flat:
    """A table without nesting, its values in whole units, when to stop, and what computes."""

    table: Table
    scaled: Scaled
    limits: Limits
    kernels: Kernels
    bound: int = 0
    proved: bool = False

    def solve(self, budget: int, start: Solution | None) -> Solution:
        """Search, and report the best selection."""
        table, scaled, limits = self.table, self.scaled, self.limits
        kernels = self.kernels
        least, floor, unit, empty = kernels.survey(table.start, table.cost)
        if empty >= 0 or floor > budget:
            return nothing_fits(table, int(floor) if empty < 0 else None, limits)
        slack = min(budget - floor, 2**60)
        slack = slack - slack % int(unit) if unit else 0
        shift = shift_of(table.largest_value * scaled.per_one)
        at = arrays.Flat(table.start, table.cost, scaled.units, least, slack, shift)
        fits, price, spent, pick, margin, tail, gain = kernels.break_price(at)
        worth, statistics = int(scaled.units[pick].sum()), dict[str, int]()
        if fits:
            proof = Status.OPTIMAL, worth, int(floor), 0.0, statistics
            return reported(table, scaled, limits, pick - table.start[:-1], *proof)
        reach = min(slack, arrays.ROOM // max(price, 1))
        priced = arrays.Priced(
            table.start, table.cost, scaled.units, least, pick, reach, shift, price
        )
        ground = Ground(
            kernels, priced, margin, Base(price, shift, slack - spent, spent), tail, gain
        )
        if start is not None and is_selection(table, start.choice):
            given = table.start[:-1] + start.choice
            more = int(scaled.units[given].sum()) - worth
            if more > ground.value and ground.cost(given) <= ground.base.free:
                ground.best, ground.value = given, more
        self._raise_value(ground, statistics)
        if self.proved:
            self._lower_cost(ground)
        status = Status.OPTIMAL if self.proved else Status.FEASIBLE
        statistics["operations"] = limits.work
        per_cost = price / 2.0**shift / scaled.per_one
        proof = status, worth + self.bound, int(floor), per_cost, statistics
        return reported(table, scaled, limits, ground.best - table.start[:-1], *proof)

    def _raise_value(self, ground: Ground, statistics: dict[str, int]) -> None:
        """Look for more value."""
        base = ground.base
        self.bound = max(ground.value, base.most(base.free))
        bounty = base.bounty(ground.value + 1, base.free)
        if ground.value < self.bound and bounty >= 0:
            core = ground.core(bounty)
            statistics["core"] = core.alone.size
            aim = arrays.VALUE, ground.value + 1, base.free, self.bound
            outcome = search(core, base, *aim, self.limits)
            if outcome.changes is not None:
                ground.take(outcome.changes, outcome.need - 1)
            if not outcome.proved:
                self.bound = min(self.bound, outcome.most)
                return
        self.bound, self.proved = ground.value, True

    def _lower_cost(self, ground: Ground) -> None:
        """Look for the same value at less cost."""
        base, cost = ground.base, ground.cost(ground.best)
        stop = base.least_cost(ground.value)
        bounty = base.bounty(ground.value, cost - 1)
        if cost <= stop or bounty < 0:
            return
        aim = arrays.COST, ground.value, cost - 1, stop
        outcome = search(ground.core(bounty), base, *aim, self.limits)
        if outcome.changes is not None:
            ground.take(outcome.changes, ground.value)
        self.proved = outcome.proved
