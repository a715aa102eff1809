"""From a table to its graph and back: what the solvers of nested classes do before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.solvers.base import check_budget
from mckp.solvers.graph import Cut, Graph
from mckp.solvers.kernels import sweep
from mckp.solvers.limits import Limits
from mckp.solvers.report import Report
from mckp.solvers.scaling import ROOM, scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.jit import Ints
    from mckp.solvers.base import Solution, Status
    from mckp.table import Table


@dataclass(frozen=True, eq=False)
class Problem(Report):
    """A table and a budget, ready to be solved.

    Parameters
    ----------
    graph
        The graph of the table, with the budget.
    """

    graph: Graph

    @classmethod
    def of(
        cls, table: Table, budget: int, limits: Limits | None = None, *, folded: bool = True
    ) -> Problem:
        """Check the budget and make the problem. O(classes + options).

        `folded`: units of value are such that value and cost fit one number.
        """
        limits = limits or Limits()
        budget = check_budget(budget)
        scaled = scale(table, budget if folded else None)
        graph = Graph.of(table, scaled, min(budget, 2**60))
        return cls(table, scaled, graph.least_cost, limits, graph)

    @property
    def is_feasible(self) -> bool:
        """Whether any selection fits."""
        return self.floor is not None and self.floor <= self.graph.budget

    def core(self) -> Cut:
        """Drop the options that fit no budget this small; see that the numbers fit 64 bits.

        Raises
        ------
        ValueError
            If value and cost do not fit 64 bits as one number, value first.
        """
        cut = Cut.of(self.graph, self.graph.fitting).tight()
        if cut.graph.most_value * cut.graph.scale >= ROOM:
            raise ValueError(
                f"values that differ by {cut.graph.most_value} units in total do not fit 64 bits "
                f"at a budget of {cut.graph.budget}; divide them by a constant"
            )
        return cut

    def solution(
        self,
        path: Ints,
        status: Status,
        bound: int,
        price: float | None = None,
        statistics: Mapping[str, int] | None = None,
    ) -> Solution:
        """Report a path through the graph, with a bound in units."""
        choice = sweep.choices(self.graph.start, self.graph.succ, path)
        return self.chosen(choice, status, bound, price, statistics)
