"""A bound and a good selection in a few sweeps, for any size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.base import Solution, Status
from mckp.solvers.kernels import sweep
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.relax import Dual, relax

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.graph import Cut, Graph
    from mckp.table import Table

_SWEEPS: Final = 12
"""What the search for the price counts as, in looks at every option."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """What the relaxation proves of a problem that has a solution.

    Parameters
    ----------
    problem
        The problem.
    inner
        Its core and the relaxation of that; None if the numbers do not fit 64 bits.
    """

    problem: Problem
    inner: tuple[Cut, Dual] | None

    @classmethod
    def of(cls, problem: Problem) -> Relaxed:
        """Relax a problem. A dozen sweeps of O(options) as a rule, memory O(options)."""
        try:
            cut = problem.core()
        except ValueError:
            return cls(problem, None)
        return cls(problem, (cut, relax(cut.graph)))

    @property
    def bound(self) -> int:
        """Units of value that no selection within the budget exceeds."""
        if self.inner is None:
            return self.problem.graph.most_value
        cut, dual = self.inner
        return cut.value_there(dual.bound)

    @property
    def shadow_price(self) -> float | None:
        """Value a unit of cost at the break, without the options that fit no budget this small."""
        if self.inner is None:
            return None
        cut, dual = self.inner
        if dual.over is None:
            return 0.0
        value = (dual.over.unpriced() - dual.under.unpriced()) // dual.graph.scale
        cost = (dual.over.cost - dual.under.cost) * cut.cost_unit
        return value * cut.value_unit / cost / self.problem.scaled.per_one

    def first(self) -> Ints:
        """Return the path within the budget that the relaxation ends with."""
        return self.inner[0].lift(self.inner[1].under.path) if self.inner else self.filled()

    def filled(self) -> Ints:
        """Return the best of a few paths that take what there is still room for."""
        if self.inner is None:
            return _walk(self.problem)
        cut, dual = self.inner
        return cut.lift(dual.incumbent())

    def proves(self, value: int, cost: int) -> bool:
        """Whether nothing has more than this value in units, nor the same at less cost."""
        least = self.problem.floor or 0
        if self.inner is not None:
            cut, dual = self.inner
            here = dual.least_cost(cut.value_here(value))
            least = max(least, cut.cost_off + cut.cost_unit * here)
        return value >= self.bound and cost <= least

    def chosen(self, choice: Ints, start: Solution | None = None) -> Solution:
        """Report a choice, or the start if that is better; optimal if the bound proves it."""
        choice = better(self.problem, choice, start)
        proved = self.proves(*totals(self.problem, choice))
        status = Status.OPTIMAL if proved else Status.FEASIBLE
        solution = self.problem.chosen(choice, status, self.bound)
        return replace(solution, shadow_price=self.shadow_price)

    def solution(self, path: Ints, start: Solution | None = None) -> Solution:
        """Do the same for a path through the graph."""
        graph = self.problem.graph
        return self.chosen(sweep.choices(graph.start, graph.succ, path), start)


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take what is worth its cost at one price for the whole table, then fill what is left.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Looked at once, between the bound, which is always made, and the fill. Work is
        counted in options looked at, a dozen times each for the bound.
    start
        Taken if it fits the budget and is better than what is found here.

    Returns
    -------
    Solution
        Infeasible, or within the budget with a bound; optimal if the bound proves that
        neither more value nor the same at less cost is possible. Where value times budget
        does not fit 64 bits there is no price: the fill goes by value alone, and the bound
        is what the best selection is worth whatever it costs.

    Notes
    -----
    Time O(options) a sweep, a dozen sweeps as a rule; memory O(classes + options). Without
    nesting, the bound is that of the linear relaxation (see `relax`) and the fill is the greedy
    of H. Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems", Springer 2004, chapter 11.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.bound, str(solution.status)
    (9, 12, 'feasible')
    """
    limits = Limits(time_limit, work_limit)
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    relaxed = Relaxed.of(problem)
    limits.spend(_SWEEPS * table.options)
    return relaxed.solution(relaxed.first() if limits.exhausted else relaxed.filled(), start)


def totals(problem: Problem, choice: Ints) -> tuple[int, int]:
    """Return the value, in units, and the cost of a choice."""
    reached = np.flatnonzero(choice >= 0)
    taken = problem.table.start[reached] + choice[reached]
    return int(problem.scaled.units[taken].sum()), int(problem.table.cost[taken].sum())


def fits(problem: Problem, choice: Ints) -> bool:
    """Whether this is one option for each class that is reached, within the budget."""
    if not problem.is_choice(choice):
        return False
    table, reached = problem.table, choice >= 0
    # The classes at the root have parent option -1, which is the last place of `taken`.
    taken = np.append(np.zeros(table.options, dtype=bool), True)
    taken[table.start[:-1][reached] + choice[reached]] = True
    open_classes = taken[table.parent_option]
    return (
        bool((open_classes == reached).all()) and totals(problem, choice)[1] <= problem.graph.budget
    )


def better(problem: Problem, choice: Ints, start: Solution | None) -> Ints:
    """Return the start's choice if it fits and has more value, or the same at less cost."""
    if start is None or not fits(problem, start.choice):
        return choice
    (value, cost), (other, less) = totals(problem, choice), totals(problem, start.choice)
    return start.choice.copy() if (other, -less) > (value, -cost) else choice


def cheapest(problem: Problem) -> Ints:
    """Return the choice of least cost; of equal cost the one of most value."""
    graph = problem.graph
    return sweep.choices(graph.start, graph.succ, cheapest_paths(graph)[2])


def cheapest_paths(graph: Graph) -> tuple[Ints, Ints, Ints]:
    """Return the cost and value of the cheapest path from each class, and its options."""
    # The roles of cost and value are exchanged, so that equal cost goes to the greater value.
    less, lost, path = sweep.suffix(graph.start, -graph.value, -graph.cost, graph.succ, 1, 0)
    return -less, -lost, path


def _walk(problem: Problem) -> Ints:
    graph = problem.graph
    spent, worth, _ = cheapest_paths(graph)
    return sweep.top_up(*graph.arrays, 1, 0, graph.budget, spent, worth)
