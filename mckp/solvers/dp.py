"""The exact dynamic program over the budget, and how much room it needs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.rows import MAX_BYTES, MAX_CELLS, Rows

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
    """Solve exactly, by dynamic programming over every budget.

    A class's row holds, for each budget left on reaching it, the best total of that class and
    all that follows; it is made from the rows of the classes that may come next. Each class is
    visited once, whatever the nesting. Ties go to the lower cost, then to the earlier
    option of the earliest class.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds; looked at every 1e8 updates.
    work_limit
        Updates of one pass over the rows, known before it begins; `MAX_CELLS` if None.
    start
        Not used: a dynamic program fills its rows whatever is known of the answer.

    Returns
    -------
    Solution
        Optimal, or infeasible. Beyond a limit, or where more than `MAX_BYTES` of memory would
        be needed, what ``greedy`` finds: feasible with a bound, optimal if that proves it.
        `Solution.statistics` counts ``cells`` (updates made) and ``bytes`` (the most
        memory that the rows and choices need).

    Notes
    -----
    Time O(options x budget). Memory: two rows of 8 bytes a budget for each level of nesting,
    about, and one byte a class and budget for the choices (two beyond 256 options a class) up
    to 16 MB. Beyond that, rows are stored every `L` classes and choices made again one
    block at a time on the way forward, for the budgets that can be left there: 8 bytes a
    budget for each of the ``classes / L`` stored rows (times the open levels), and ``L`` times
    the budgets within reach for the choices. `L` is chosen for the least memory, never more
    than O(budget x sqrt(classes) x levels); making choices again takes from nothing, where
    costs are small beside the budget, to the time of the first pass.

    The depth-first (left-right) scheme is that of G. Cho and D. X. Shaw, "A depth-first dynamic
    programming algorithm for the tree knapsack problem", INFORMS Journal on Computing 9
    (1997), carried from trees to classes of options; without nesting it is the one of
    H. Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems", Springer 2004, chapter 11.
    Storing every `L`-th row is the checkpointing of J. A. Grice, R. Hughey, D. Speck, "Reduced
    space sequence alignment", Computer Applications in the Biosciences 13 (1997), section 2.

    Examples
    --------
    >>> from mckp.table import Table
    >>> row = [(0, 0), (5, 3)]
    >>> solution = solve(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), budget=8)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([2, 0, 1], 4, 7)
    """
    limits = Limits(time_limit)
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    cut = problem.core()
    rows = Rows.of(cut.graph)
    path = None
    if rows.bytes <= MAX_BYTES and rows.cells <= (MAX_CELLS if work_limit is None else work_limit):
        with suppress(TimeoutError):
            path = rows.solve(limits)
    if path is None:
        solution = greedy.solve(table, budget)
    else:
        bound = cut.value_there(cut.graph.totals(path)[0])
        solution = problem.solution(cut.lift(path), Status.OPTIMAL, bound)
    statistics = {"cells": limits.work, "bytes": rows.bytes}
    return replace(solution, seconds=limits.seconds, statistics=statistics)
