"""Exact for large tables, compiled: a relaxation, fixing by losses, and lists for the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.solvers import dp
from mckp.solvers.base import Limits, Solution, Status, check_budget
from mckp.solvers.core import Base, Incumbent
from mckp.solvers.kernels import breaks
from mckp.solvers.kernels.losses import PricedTable
from mckp.solvers.problem import Problem
from mckp.solvers.scaling import price_shift, scale
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.table import Table

MOST_WORK: Final = 3 * 10**8
"""Default work limit, in states: some 10 s."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly, with compiled code (Numba).

    Without nesting, the linear relaxation gives a price for cost, a selection that fits (the base)
    and a bound. In a better selection, a class can differ from the base only if that loses less
    than the gap between the best known selection and the bound; so can each of its options. What is
    left, the core, is searched with lists of undominated states, nearest to the price first, until
    the bound is reached or no state can reach more. If the costs and values of what can change have
    a common structure (as when every value is a cost and a constant), the lattice that they span
    lowers the bound. Then the same is done for the cost.

    Nested tables are left to `mckp.solvers.dp`.

    Equal values go to the lower cost; of equal optima it is the first found, in an order that
    depends on nothing but the input. A work limit counts states made in lists, and is `MOST_WORK`
    if None.

    Expected time O(options): one pass for the prices of the break, parts of passes after it,
    and lists of tens to thousands of states. At worst O(options x range of costs). Memory
    O(classes + states). The first call in a process loads the compiled code (half a second), the
    first of an installation compiles it (some 20 seconds).

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal
    of Operational Research 83 (1995), and the sources named in `kernels.breaks`. The sampled
    prices, the integer multipliers and the bound by lattices are this library's own.
    """
    budget = check_budget(budget)
    if not table.is_flat:
        return dp.solve(table, budget, time_limit=time_limit, work_limit=work_limit, start=start)
    limits = Limits(time_limit, MOST_WORK if work_limit is None else work_limit)
    problem = Problem(table, min(budget, SUM_LIMIT), scale(table), limits, 0)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    units, per_one, least = problem.scaled.units, problem.scaled.per_one, problem.least_costs
    slack, shift = problem.slack, price_shift(table.largest_value * per_one)
    flat = breaks.FlatTable(table.start, table.cost, units, least, slack, shift)
    all_fit, price, extra_cost, base_options, margin, other_options, gain = breaks.break_price(flat)
    base_value, first_options = int(units[base_options].sum()), table.start[:-1]
    if all_fit:
        return problem.solution(base_options - first_options, Status.OPTIMAL, base_value, 0.0)
    reach = min(slack, breaks.ROOM // max(price, 1))
    priced = PricedTable(table.start, table.cost, units, least, base_options, reach, shift, price)
    incumbent = Incumbent(
        priced, margin, Base(price, shift, slack - extra_cost, extra_cost), other_options, gain
    )
    if start is not None and problem.fits(start.choice):
        start_options = first_options + start.choice
        start_gain = int(units[start_options].sum()) - base_value
        if start_gain > incumbent.value:
            incumbent.best, incumbent.value = start_options, start_gain
    bound, is_proved = incumbent.raise_value(limits)
    is_proved = is_proved and incumbent.lower_cost(limits)
    status, statistics = (
        Status.OPTIMAL if is_proved else Status.FEASIBLE,
        {"operations": limits.work},
    )
    shadow_price = price / 2.0**shift / per_one
    return problem.solution(
        incumbent.best - first_options, status, base_value + bound, shadow_price, statistics
    )
