"""The exact dynamic program over the budget, and how much room it needs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.filling import Filling, Plan
from mckp.solvers.kernels import rows as rows_kernel
from mckp.solvers.kernels import sweep
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.solvers.graph import Graph
    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table

MAX_BYTES: Final = 512 * 2**20
"""Memory beyond which nothing is filled."""
MAX_CELLS: Final = 4 * 10**9
"""Updates beyond which nothing is filled, unless the caller sets another limit."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows to fill for a graph: for each class, the budgets left on reaching it.

    Parameters
    ----------
    graph
        The graph to be solved.
    low, high
        The window of each class (and of the end); outside of it nothing is of interest.
    """

    graph: Graph
    low: Ints
    high: Ints

    @classmethod
    def of(cls, graph: Graph) -> Rows:
        """Take all budgets that a path can have left."""
        least = sweep.prefix(*graph.arrays, 0, 1)
        most = sweep.prefix(*graph.arrays, 0, -1)
        return cls(graph, np.maximum(graph.budget - most, 0), graph.budget + least)

    @cached_property
    def widths(self) -> Ints:
        """How many budgets each row holds."""
        widths: Ints = np.maximum(self.high - self.low + 1, 0)
        return widths

    @property
    def cells(self) -> int:
        """How many updates filling them takes."""
        return int(np.diff(self.graph.start) @ self.widths[:-1])

    @property
    def bytes(self) -> int:
        """How much memory solving takes at most, by the plan that is used."""
        return self.plan.bytes

    @property
    def too_large(self) -> bool:
        """Whether they pass the limits of this module."""
        return self.cells > MAX_CELLS or self.bytes > MAX_BYTES

    @cached_property
    def slots(self) -> tuple[Ints, int, Ints]:
        """The slot of each row, how many there are, and the first class that reads each."""
        return rows_kernel.plan_rows(self.graph.start, self.graph.succ)

    @cached_property
    def pick_type(self) -> np.dtype[np.unsignedinteger]:
        """The smallest type that holds the place of an option in its class."""
        most = int(np.diff(self.graph.start).max(initial=0))
        return np.dtype(np.uint8 if most <= 256 else np.uint16 if most <= 65536 else np.uint32)

    @property
    def work_bytes(self) -> int:
        """How much memory the rows take that are alive at one time."""
        return 8 * self.slots[1] * int(self.widths.max())

    @cached_property
    def plan(self) -> Plan:
        """Which rows are stored on the way."""
        return Plan.of(self)

    def solve(self, limits: Limits | None = None) -> Ints | None:
        """Return the best path whose budgets left stay in the windows, None if there is none.

        Of all paths within the budget it is the one of greatest value, then of least cost,
        then of the earliest options. Time O(cells), memory `bytes`.

        Raises
        ------
        TimeoutError
            If a limit is passed on the way; updates are counted as work.
        """
        if not self.low[0] <= self.graph.budget <= self.high[0]:
            return None
        gain = self.graph.value * self.graph.scale - self.graph.cost
        return Filling(self, gain, limits or Limits()).path(self.plan.marks)

    def totals(self, limits: Limits | None = None) -> Ints:
        """Return the greatest value for each budget of the first class's window.

        Time O(cells), memory `work_bytes`. Raises as `solve` does.
        """
        filling = Filling(self, self.graph.value, limits or Limits())
        filling.fill(0, self.graph.classes)
        return filling.rows[self.slots[0][0], : self.widths[0]]


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
