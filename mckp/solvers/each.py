"""The best selection for each of many budgets, from one run."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.auto import TINY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.solvers.graph import Graph
    from mckp.table import Table

MAX_CELLS: Final = 1 << 24
"""Updates that take as long as solving for a few budgets one by one."""


class EachBudget:
    """The best selections within all budgets up to one, of which each is looked up.

    Parameters
    ----------
    table
        What to choose from.
    most
        The greatest budget.

    Notes
    -----
    The rows of `mckp.solvers.dp`, filled once for the whole range. Time O(options x budget),
    memory one byte a class and budget (two beyond 256 options a class); O(classes) a look. Ties
    go to the lower cost, then to the earlier option of the earliest class.

    Examples
    --------
    >>> from mckp.table import Table
    >>> found = EachBudget(Table.flat([[2, 5, 4], [0, 3]], [[0, 9, 8], [0, 5]]), 9)
    >>> found.at(6).tolist(), found.at(8).tolist(), found.at(0).tolist()
    ([1, 0], [1, 1], [0, 0])
    """

    def __init__(self, table: Table, most: int) -> None:
        self._table, self._most = table, most

    @staticmethod
    def pays(table: Table, most: int) -> bool:
        """Whether that is faster than solving for a few budgets one by one.

        For tiny tables alone no compiled code is loaded.
        """
        loaded = table.options > TINY or "numba" in sys.modules
        return loaded and table.options * (most + 1) <= MAX_CELLS

    def at(self, budget: int) -> Ints:
        """Return the place of an option for each class, -1 if not reached.

        If nothing fits it is what fits the least budget that anything does.
        """
        from mckp.solvers.kernels import rows, sweep

        graph, low, place, picks, floor = self._filled
        left = max(floor, min(budget, self._most))
        path = np.full(graph.classes, -1, dtype=np.int64)
        edges = (graph.start, graph.cost, graph.succ)
        rows.read_path(0, graph.classes, left, *edges, low, place, picks, path)
        return sweep.choices(graph.start, graph.succ, path)

    @cached_property
    def _filled(self) -> tuple[Graph, Ints, Ints, NDArray[np.unsignedinteger], int]:
        """The graph, where the choices of its classes are, and the least budget."""
        from mckp.jit import NEVER
        from mckp.solvers.graph import Graph
        from mckp.solvers.limits import Limits
        from mckp.solvers.rows import Filling, Rows
        from mckp.solvers.scaling import scale

        graph = Graph.of(self._table, scale(self._table, self._most), self._most)
        size = self._most + 1
        low = np.zeros(graph.classes + 1, dtype=np.int64)
        rows = Rows(graph, low, low + self._most)
        filling = Filling(rows, graph.value * graph.scale - graph.cost, Limits())
        filling.place[:] = np.arange(graph.classes + 1) * size
        picks = np.empty(graph.classes * size, dtype=rows.pick_type)
        filling.fill(0, graph.classes, picks)
        fits = filling.rows[filling.slot[0]] > NEVER // 2
        return graph, low, filling.place, picks, int(fits.argmax())
