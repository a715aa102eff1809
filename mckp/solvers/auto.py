"""The default solver: `dp`, then `large` for flat tables where `dp` leaves a gap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.solvers import dp
from mckp.solvers.base import Limits, Status, check_budget
from mckp.solvers.jit import advise

if TYPE_CHECKING:
    from mckp.solvers.base import Solution
    from mckp.table import Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly with `dp`, and with `large` if `dp` leaves a gap in a flat table.

    `dp` needs NumPy alone, and solves a flat table of millions of options before Numba has loaded
    what `large` would need. To solve many large tables in one process, call `large` by name
    (``benches/solver_grid.py`` times both). The limits cover both solvers together. Which solver is
    used depends only on the table, the budget and the limits, and so does the choice unless there
    is a time limit.
    `Solution.statistics` is that of the solver used.
    """
    budget = check_budget(budget)
    limits = Limits(time_limit, work_limit)
    most = work_limit
    if most is not None and table.is_flat:
        most = min(most, dp.MOST_WORK)
    solution = dp.solve(table, budget, time_limit=time_limit, work_limit=most, start=start)
    limits.work += solution.statistics.get("operations", 0)
    if solution.status is not Status.FEASIBLE or not table.is_flat or limits.is_exhausted:
        return solution
    advise()
    from mckp.solvers import large  # loads compiled code

    seconds, work = limits.time_left, limits.work_left
    outcome = large.solve(table, budget, time_limit=seconds, work_limit=work, start=solution)
    if outcome.status is not Status.FEASIBLE:
        return replace(outcome, seconds=limits.seconds)
    return replace(outcome, bound=min(outcome.bound, solution.bound), seconds=limits.seconds)
