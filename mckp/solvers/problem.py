"""A table and a budget prepared for a solver, and the solution for the caller."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.base import Limits, Solution, Status, check_budget
from mckp.solvers.evaluation import choice_of, cost_of, is_selection, taken_options
from mckp.solvers.lagrange import relax
from mckp.solvers.scaling import Scaled, most_cost, scale
from mckp.solvers.tree import Tree
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.solvers.lagrange import Relaxation
    from mckp.solvers.tree import Relaxed
    from mckp.table import Ints, Table


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and a budget, prepared for a solver.

    Attributes
    ----------
    table : Table
        The table.
    budget : int
        The budget.
    scaled : Scaled
        The values of the table in whole units.
    limits : Limits
        The limits of the solver, whose clock gives the seconds of solutions.
    most_cost : int
        A cost that no selection exceeds if each of its options is within the budget.
    """

    table: Table
    budget: int
    scaled: Scaled
    limits: Limits
    most_cost: int

    @classmethod
    def of(cls, table: Table, budget: int, limits: Limits | None = None) -> Problem:
        """Prepare a table and a budget. Takes O(classes + options).

        The budget is checked, and capped at `SUM_LIMIT`, which no cost exceeds. Raises `ValueError`
        if it is negative or not a whole number.
        """
        limits = limits or Limits()
        budget = min(check_budget(budget), SUM_LIMIT)
        most = most_cost(table, budget)
        return cls(table, budget, scale(table, most), limits, most)

    @cached_property
    def tree(self) -> Tree:
        """The table by levels, without options that cost more than the budget."""
        return Tree(self.table, self.scaled.units, self.budget)

    @cached_property
    def cost_relaxation(self) -> Relaxed:
        """The least costs of options and classes, each with all below it, as negative totals."""
        return self.tree.relax(0, 1)

    @cached_property
    def least_costs(self) -> Ints:
        """The least cost in each class; every class must have options."""
        return np.minimum.reduceat(self.table.cost, self.table.start[:-1])

    @cached_property
    def floor(self) -> int | None:
        """The least cost of any selection, or None if there is none.

        If every selection exceeds the budget, the options that were left out are considered as
        well.
        """
        table = self.table
        if table.is_flat:
            has_empty = (table.start[1:] == table.start[:-1]).any()
            return None if has_empty else int(self.least_costs.sum())
        if self.tree.is_possible:
            return -self.tree.root_total(self.cost_relaxation)
        whole_tree = Tree(table, self.scaled.units, SUM_LIMIT)
        return -whole_tree.root_total(whole_tree.relax(0, 1)) if whole_tree.is_possible else None

    @property
    def slack(self) -> int:
        """The budget minus the floor."""
        assert self.floor is not None
        return self.budget - self.floor

    @property
    def is_feasible(self) -> bool:
        """Whether any selection fits."""
        return self.floor is not None and self.floor <= self.budget

    @cached_property
    def relaxation(self) -> Relaxation:
        """The relaxation at the break; the problem must have a solution."""
        return relax(self, self.budget)

    @property
    def shadow_price(self) -> float:
        """The value of one more unit of cost at the break."""
        return self.relaxation.slope / self.scaled.per_one

    def choice(self, taken: Ints) -> Ints:
        """Return the choice of some options, given by their indexes in the tree."""
        return choice_of(self.table, self.tree.option_ids[taken])

    def totals(self, choice: Ints) -> tuple[int, int]:
        """Return the value, in units, and the cost of a choice."""
        taken = taken_options(self.table, choice)
        return int(self.scaled.units[taken].sum()), cost_of(self.table, choice)

    def fits(self, choice: Ints) -> bool:
        """Whether a choice is a valid selection within the budget."""
        return is_selection(self.table, choice) and cost_of(self.table, choice) <= self.budget

    def better_choice(self, choice: Ints, start: Solution | None) -> Ints:
        """Return the choice of `start` if it fits and is better than `choice`, else `choice`.

        More value is better, and of equal values the lower cost.
        """
        if start is None or not self.fits(start.choice):
            return choice
        (value, cost), (other_value, other_cost) = self.totals(choice), self.totals(start.choice)
        return start.choice.copy() if (other_value, -other_cost) > (value, -cost) else choice

    def infeasible_solution(self) -> Solution:
        """Return the solution for a budget that no selection fits."""
        nothing = np.full(self.table.classes, -1, dtype=np.int64)
        return Solution(nothing, 0, 0, Status.INFEASIBLE, 0, self.floor, self.limits.seconds)

    def solution(
        self,
        choice: Ints,
        status: Status,
        bound: int,
        price: float | None = None,
        statistics: Mapping[str, int] | None = None,
    ) -> Solution:
        """Return a choice as a solution, with its totals.

        `bound` is an upper bound on the value of any selection, in units, and `price` the shadow
        price. A status of optimal becomes feasible if rounded values do not prove it.
        """
        table, scaled = self.table, self.scaled
        value = scaled.total_value(taken_options(table, choice))
        upper_bound = max(value, scaled.upper_bound(bound, table.classes))
        if status is Status.OPTIMAL and scaled.is_coarse and upper_bound > value:
            status = Status.FEASIBLE
        rest = self.floor, self.limits.seconds, price, statistics or dict[str, int]()
        return Solution(choice, value, cost_of(table, choice), status, upper_bound, *rest)
