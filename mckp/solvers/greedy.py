"""A bound and a good selection in a few sweeps, for any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.solvers.base import Solution, Status
from mckp.solvers.problem import Problem
from mckp.solvers.relax import relax

if TYPE_CHECKING:
    from mckp.table import Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take what is worth its cost at one price for the whole table, then fill what is left.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.

    Returns
    -------
    Solution
        Infeasible, or within the budget with a bound; optimal if the bound proves that
        neither more value nor the same value at less cost is possible.

    Notes
    -----
    Time O(options) a sweep, a dozen sweeps as a rule; memory O(classes + options).

    Without nesting, the bound is that of the linear relaxation (see `relax`) and the fill is the
    greedy of H. Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems", Springer 2004,
    chapter 11.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.bound, str(solution.status)
    (9, 12, 'feasible')
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    cut = problem.core()
    dual = relax(cut.graph)
    path = dual.incumbent()
    value, cost = cut.graph.totals(path)
    proved = dual.over is None or (value >= dual.bound and cost <= dual.least_cost(value))
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    return problem.solution(cut.lift(path), status, cut.value_there(dual.bound))
