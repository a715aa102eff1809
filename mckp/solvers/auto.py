"""The default: `dp` or `flat`, and `large` for what is too large for them."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from mckp.solvers import dp, flat
from mckp.solvers.base import Limits, Status, check_budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.solvers.base import Solution, Solver
    from mckp.table import Table

LARGE: Final = 200_000
"""Options of a table without nesting from which loading compiled code (.6 s) is worth it."""
MANY: Final = 2_000
"""Options of a table without nesting from which `flat` is quicker than `dp`."""
FEW_STATES: Final = 10**5
"""States that `dp` may make of a table without nesting before `flat` is tried: some 5 ms."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly, with NumPy; very large tables, and what it cannot prove, by `large`.

    Nested tables are solved by `dp`, tables without nesting by `flat`. Small ones of these are
    given to `dp` first, which takes the earliest of equally good options.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        For all solvers together.
    start
        As for the solver that is used.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Which solver is used depends on the table,
        the budget and the limits alone, and without a time limit so does the choice.

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
    limits = Limits(time_limit, work_limit)
    found = start
    for solver, most in _steps(table):
        left = limits.work_left
        work = most if left is None or (most is not None and most < left) else left
        before = found
        found = solver(table, budget, time_limit=limits.time_left, work_limit=work, start=before)
        limits.spend(found.statistics.get("operations", 0))
        if before is not None and before is not start and found.status is Status.FEASIBLE:
            found = replace(found, bound=min(found.bound, before.bound))
        if found.status is not Status.FEASIBLE or limits.exhausted:
            break
    assert found is not None
    return replace(found, seconds=limits.seconds)


def _steps(table: Table) -> Iterator[tuple[Solver, int | None]]:
    """Yield the solvers that are tried, one after the other, and the most that each may do."""
    if not table.is_flat:
        yield dp.solve, dp.MOST_STATES
    elif table.options < LARGE:
        if table.options < MANY:
            yield dp.solve, FEW_STATES
        yield flat.solve, flat.MOST_WORK
    # Compiled code is loaded only where it is needed.
    yield cast("Solver", importlib.import_module("mckp.solvers.large").solve), None
