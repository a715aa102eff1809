"""The default: whichever exact solver is quickest for the table at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.solvers import plain
from mckp.solvers.base import Status, check_budget

if TYPE_CHECKING:
    from mckp.solvers.base import Solution, Solver
    from mckp.table import Table

TINY: Final = 64
"""Options up to which no compiled code is needed."""
TINY_WORK: Final = 20_000


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly: tiny tables by `plain`, others by `core`, nested ones by `tree`.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        As for the solver that is used.
    start
        As for the solver that is used.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Which solver is used depends on the table
        alone, and without a time limit so does the choice.

    Notes
    -----
    Time and memory: see the solvers. `statistics` is that of the solver used.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.cost, str(solution.status)
    (9, 40, 'optimal')
    """
    budget = check_budget(budget)
    limited = time_limit is not None or work_limit is not None
    if table.options <= TINY and not limited:
        solution = plain.solve(table, budget, work_limit=TINY_WORK)
        if solution.status is not Status.FEASIBLE:
            return solution
    # Compiled code is loaded only where it is needed.
    from mckp.solvers import core, tree

    solver: Solver = core.solve if table.is_flat else tree.solve
    return solver(table, budget, time_limit=time_limit, work_limit=work_limit, start=start)
