"""Exact for large tables: as `flat` and `dp`, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.solvers.base import Limits, check_budget
from mckp.solvers.core import Kernels
from mckp.solvers.dp import Search
from mckp.solvers.flat import Flat
from mckp.solvers.kernels import breaks, lists
from mckp.solvers.problem import Problem
from mckp.solvers.scaling import scale

if TYPE_CHECKING:
    from mckp.solvers.base import Solution
    from mckp.table import Table

MOST_WORK: Final = 3 * 10**8
"""States made at most in a table without nesting, unless the caller sets a limit: some 10 s."""
MOST_STATES: Final = 2 * 10**9
"""States made at most in a nested table, unless the caller sets a limit: some 10 s."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly, with compiled code (Numba).

    Tables without nesting as `mckp.solvers.flat` does it, with compiled kernels.
    Nested tables as `mckp.solvers.dp` does it, with compiled lists.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds, looked at every few million operations; the choice then depends on the machine.
    work_limit
        States made in lists; `MOST_WORK` or `MOST_STATES` if None.
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Equal values go to the lower cost; of equal
        optima it is the first found, in an order that depends on nothing but the input.

    Notes
    -----
    Expected time O(options): one pass for the prices of the break, parts of passes after it,
    and lists of tens to thousands of states. At worst O(options x range of costs). Memory
    O(classes + states). The first call in a process loads the compiled code (half a second), the
    first of an installation compiles it (some 20 seconds).

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.choice.tolist(), solution.value, str(solution.status)
    ([1, 0], 9, 'optimal')
    """
    budget = check_budget(budget)
    if table.is_flat:
        limits = Limits(time_limit, MOST_WORK if work_limit is None else work_limit)
        kernels = Kernels(
            breaks.survey, breaks.break_price, breaks.losses, breaks.outlier, lists.extend
        )
        return Flat(table, scale(table), limits, kernels).solve(budget, start)
    problem = Problem.of(table, budget, Limits(time_limit))
    if not problem.is_feasible:
        return problem.infeasible()
    most = MOST_STATES if work_limit is None else work_limit
    return Search(problem, lists.offer, most).solution(start)
