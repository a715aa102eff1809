"""The exact dynamic program over the budget, and how much room it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.base import Solution, Status
from mckp.solvers.kernels import rows as rows_kernel
from mckp.solvers.kernels import sweep
from mckp.solvers.kernels.jit import NEVER
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.solvers.graph import Graph
    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table

MAX_BYTES: Final = 512 * 2**20
MAX_CELLS: Final = 4 * 10**9


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

    @property
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
        """How much memory the choices take, the rows alive at one time included."""
        _, slots = rows_kernel.plan_rows(self.graph.start, self.graph.succ)
        choices = int(self.widths[:-1].sum()) * self._pick_type.itemsize
        return choices + 8 * slots * int(self.widths.max())

    @property
    def too_large(self) -> bool:
        """Whether they pass the limits of this module."""
        return self.cells > MAX_CELLS or self.bytes > MAX_BYTES

    @property
    def _pick_type(self) -> np.dtype[np.unsignedinteger]:
        most = int(np.diff(self.graph.start).max(initial=0))
        return np.dtype(np.uint8 if most <= 256 else np.uint16 if most <= 65536 else np.uint32)

    def solve(self) -> Ints | None:
        """Return the best path whose budgets left stay in the windows, None if there is none.

        Of all paths within the budget it is the one of greatest value, then of least cost,
        then of the earliest options. Time O(cells), memory O(bytes).
        """
        graph, widths = self.graph, self.widths
        if graph.budget < 0 or not widths[0]:
            return None
        slot, slots = rows_kernel.plan_rows(graph.start, graph.succ)
        place = np.concatenate(([0], np.cumsum(widths[:-1])))
        rows = np.empty((slots, int(widths.max())), dtype=np.int64)
        picks = np.zeros(int(place[-1]), dtype=self._pick_type)
        gain = graph.value * graph.scale - graph.cost
        window, edges = (self.low, self.high), (graph.start, graph.cost, gain, graph.succ)
        rows_kernel.fill_rows(*edges, *window, rows, slot, place, picks)
        if rows[slot[0], graph.budget - self.low[0]] < NEVER // 2:
            return None
        return rows_kernel.read_path(
            graph.start, graph.cost, graph.succ, self.low, place, picks, graph.budget
        )


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

    Returns
    -------
    Solution
        Optimal, or infeasible.

    Raises
    ------
    ValueError
        If the rows would pass 512 MB or 4e9 updates; ``auto`` solves much larger tables.

    Notes
    -----
    Time O(options x budget); memory one byte a class and budget (two beyond 256 options a
    class), and about two rows of 8 bytes a budget for each level of nesting.

    The depth-first (left-right) scheme is that of G. Cho and D. X. Shaw, "A depth-first dynamic
    programming algorithm for the tree knapsack problem", INFORMS Journal on Computing 9
    (1997), carried from trees to classes of options; without nesting it is the one of
    H. Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems", Springer 2004, chapter 11.

    Examples
    --------
    >>> from mckp.table import Table
    >>> row = [(0, 0), (5, 3)]
    >>> solution = solve(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), budget=8)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([2, 0, 1], 4, 7)
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    cut = problem.core()
    rows = Rows.of(cut.graph)
    if rows.too_large:
        raise ValueError(
            f"the plain dp would need {rows.bytes:,} bytes and {rows.cells:,} updates; "
            "use solver='auto'"
        )
    path = rows.solve()
    assert path is not None
    value, _ = cut.graph.totals(path)
    return problem.solution(cut.lift(path), Status.OPTIMAL, cut.value_there(value))
