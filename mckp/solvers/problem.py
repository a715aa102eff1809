"""From a table to its graph and back: what all exact solvers do before and after."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.base import Solution, Status, check_budget
from mckp.solvers.graph import Cut, Graph
from mckp.solvers.kernels import sweep
from mckp.solvers.kernels.dual import least_costs
from mckp.solvers.kernels.jit import NEVER
from mckp.solvers.scaling import ROOM, Scaled, scale

if TYPE_CHECKING:
    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and a budget, ready to be solved.

    Parameters
    ----------
    table, scaled
        The table, and its values in whole units.
    graph
        Its graph, with the budget.
    least
        The least cost from each class to the end.
    floor
        The least cost of a selection, None if there is none.
    began
        When work began, for `Solution.seconds`.
    """

    table: Table
    scaled: Scaled
    graph: Graph
    least: Ints
    floor: int | None
    began: float

    @classmethod
    def of(cls, table: Table, budget: int) -> Problem:
        """Check the budget and make the problem. O(classes + options)."""
        began = time.perf_counter()
        budget = check_budget(budget)
        scaled = scale(table, budget)
        graph = Graph.of(table, scaled, min(budget, 2**60))
        least = least_costs(graph.start, graph.cost, graph.succ)
        floor = int(least[0]) if least[0] != -NEVER else None
        return cls(table, scaled, graph, least, floor, began)

    @property
    def is_feasible(self) -> bool:
        """Whether any selection fits."""
        return self.floor is not None and self.floor <= self.graph.budget

    def fitting(self) -> Cut:
        """Drop the options that fit no budget this small."""
        return Cut.of(self.graph, sweep.through(*self.graph.arrays, 0, 1, -self.graph.budget))

    def core(self) -> Cut:
        """Drop them, and see that value and cost fit 64 bits as one number, value first."""
        cut = self.fitting().tight()
        if cut.graph.most_value * cut.graph.scale >= ROOM:
            raise ValueError(
                f"values that differ by {cut.graph.most_value} units in total do not fit 64 bits "
                f"at a budget of {cut.graph.budget}; divide them by a constant"
            )
        return cut

    def infeasible(self) -> Solution:
        """Say that nothing fits."""
        nothing = np.full(self.table.classes, -1, dtype=np.int64)
        seconds = time.perf_counter() - self.began
        return Solution(nothing, 0, 0, Status.INFEASIBLE, 0, self.floor, seconds)

    def solution(self, path: Ints, status: Status, bound: int) -> Solution:
        """Report a path through the graph, with a bound in units."""
        choice = sweep.choices(self.graph.start, self.graph.succ, path)
        return self.chosen(choice, status, bound)

    def chosen(self, choice: Ints, status: Status, bound: int) -> Solution:
        """Report a choice of options, with a bound in units."""
        reached = np.flatnonzero(choice >= 0)
        taken = self.table.start[reached] + choice[reached]
        value = self.scaled.value(taken)
        limit = max(value, self.scaled.bound(bound, self.table.classes))
        cost = int(self.table.cost[taken].sum())
        seconds = time.perf_counter() - self.began
        return Solution(choice, value, cost, status, limit, self.floor, seconds)
