"""Exact for nested classes: a Lagrangian bound, fixing by losses, and lists for what is open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import bands
from mckp.solvers.base import Solution, Status
from mckp.solvers.climb import MOST_WORK, Climb
from mckp.solvers.greedy import fits
from mckp.solvers.kernels import sweep
from mckp.solvers.kernels.dual import break_price_of_paths, spare_costs
from mckp.solvers.kernels.segments import (
    follow,
    path_losses,
    row_losses,
    segment_paths,
    segments,
)
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.scaling import shift_of
from mckp.solvers.search import NO_POINTS, Base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.solvers.graph import Graph
    from mckp.table import Table

FEW: Final = 100
"""Options that may leave the base on the first look."""
GROWTH: Final = 8
"""How many times as many on each further look."""
WALKS: Final = 2
"""Greedy selections to begin with, each at a third of the price before."""
STEPS: Final = 100_000
"""Steps that listing paths may take, and four for each option."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve nested classes exactly, by searching only where good selections can differ.

    A selection is a path through the classes (`mckp.solvers.graph`). At the least price for
    cost at which the best path fits the budget, that path is the base, and its reduced value
    gives a bound. Every option loses something against the best path through its class, and
    losses add up along a path, so options that lose more than what separates the best known
    selection from the bound are out. The classes that all remaining paths go through cut
    what is left into independent segments: a table without nesting, whose options are the
    undominated paths through each segment. It is searched as `mckp.solvers.core` does, first
    within a small loss, then further, until nothing is left that could be better.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds, looked at every few million operations; the choice then depends on the machine.
    work_limit
        States made in lists, and cells filled by `bands`, to which goes what is not proved after
        3e8 states (up to some ten seconds), or where a segment has too many paths to list.
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible with a bound at a limit. Equal values go to the lower
        cost; of equal optima it is the one with the earliest options if they can be told apart
        in 10,000 operations (``statistics["earliest"]``), and the first found otherwise.

    Notes
    -----
    Time O(options) for each of about a dozen prices, most of them on a small rest of the table,
    and O(options + states) for the search, which is pseudopolynomial at worst. Memory O(options
    + states).

    The bound is that of Lagrangian relaxation; M. L. Fisher, "The Lagrangian relaxation method
    for solving integer programming problems", Management Science 27 (1981). Fixing by losses
    and lists are as in D. Pisinger, "A minimal algorithm for the multiple-choice knapsack
    problem", European Journal of Operational Research 83 (1995). Taking them to and-or trees by
    cutting paths into segments is this library's own; no source is known to the author.

    Examples
    --------
    >>> from mckp.table import Table
    >>> row = [(0, 0), (5, 3)]
    >>> solution = solve(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), budget=8)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([2, 0, 1], 4, 7)
    """
    limits = Limits(time_limit, work_limit, MOST_WORK)
    problem = Problem.of(table, budget, limits, folded=False)
    if not problem.is_feasible:
        return problem.infeasible()
    ground = _Nested.of(problem)
    climb = Climb(ground, limits, *ground.greedy())
    climb.offer(*_given(problem, ground, start))
    climb.solve()
    path, bound = ground.path(climb.changes), ground.worth + climb.bound
    status = Status.OPTIMAL if climb.proved else Status.FEASIBLE
    per_cost = ground.base.price / 2.0**ground.base.shift / problem.scaled.per_one
    solution = problem.solution(path, status, bound, per_cost, climb.statistics)
    return bands.go_on(table, budget, solution, limits)


def _given(problem: Problem, ground: _Nested, start: Solution | None) -> tuple[int, list[int]]:
    """Return a start's value above the base, and its changes; nothing if it does not fit."""
    if start is None or not fits(problem, start.choice):
        return 0, []
    reached = np.flatnonzero(start.choice >= 0)
    given = problem.table.start[reached] + start.choice[reached]
    value = int(problem.scaled.units[given].sum()) - ground.worth
    return value, given[given != ground.pick[reached]].tolist()


@dataclass(frozen=True, slots=True)
class _Segments:
    """The segments that paths within a bounty leave open, as a core."""

    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    listed: Ints
    begin: Ints
    labels: Ints

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        counts = self.begin[places + 1] - self.begin[places]
        begin = np.concatenate(([0], np.cumsum(counts)))
        return self.listed[
            np.repeat(self.begin[places] - begin[:-1], counts) + np.arange(begin[-1])
        ], begin

    def options(self, found: list[int]) -> list[int]:
        return [option for label in found for option in self.path(label)]

    def path(self, label: int) -> list[int]:
        options: list[int] = []
        label = label if label >= 0 else -1 - label
        while label >= 0:
            options.append(int(self.labels[label, 0]))
            label = int(self.labels[label, 1])
        return options

    def points(self, base: Base, need: int, high: int, free: int) -> tuple[int, int, int]:
        return high, *NO_POINTS

    def by_index(self) -> _Segments:
        order = list(range(len(self.listed)))
        codes = self.listed[:, 3].tolist()
        for first, end in zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True):
            order[first:end] = sorted(order[first:end], key=lambda row: self.path(codes[row]))
        return replace(self, listed=self.listed[order])


@dataclass(slots=True)
class _Nested:
    """The ground of nested classes: the base as a path, and what other paths lose."""

    graph: Graph
    base: Base
    worth: int
    best: Ints
    spent: Ints
    loss: Ints
    reached: Ints
    pick: Ints
    counts: Ints

    @classmethod
    def of(cls, problem: Problem) -> _Nested:
        """Find the base, and what is lost by leaving it."""
        graph, table = problem.graph, problem.table
        assert problem.floor is not None
        slack = graph.budget - problem.floor
        spare = spare_costs(graph.start, graph.cost, graph.succ, graph.least_costs, slack)
        graph = replace(graph, cost=spare, budget=slack)
        largest = table.largest_value * problem.scaled.per_one
        shift = shift_of(largest)
        high = (2 * int(largest) + 2 << shift) // (slack + 1) + 1
        price, best, spent, _ = break_price_of_paths(*graph.arrays, graph.after, slack, shift, high)
        given = int(spent[0])
        most = price * (slack - given)
        loss, reached, pick, counts = path_losses(
            *graph.arrays, best, spent, slack, shift, price, most
        )
        worth = int(best[0]) + price * given >> shift
        base = Base(price, shift, slack - given, given)
        return cls(graph, base, worth, best, spent, loss, reached, pick, counts)

    def greedy(self) -> tuple[int, list[int]]:
        """Walk through the classes, taking at a lower price what there still is room for."""
        graph, shift, price = self.graph, self.base.shift, self.base.price
        worth = (self.best + price * self.spent) >> shift
        best: tuple[int, list[int]] = (0, [])
        for _ in range(WALKS):
            path = sweep.top_up(*graph.arrays, 1 << shift, price, graph.budget, self.spent, worth)
            gain = int(graph.totals(path)[0]) - self.worth
            if gain > best[0]:
                best = gain, path[(path >= 0) & (path != self.pick)].tolist()
            price //= 3
        return best

    def reaches(self, bounty: int) -> Iterator[int]:
        leaving = self.counts - self.counts[0]
        number = FEW
        for place in range(leaving.size):
            if leaving[place] >= number and 1 << place < bounty:
                yield 1 << place
                number = GROWTH * int(leaving[place])
        yield bounty

    def core(self, bounty: int) -> _Segments | None:
        arrays = self.graph.arrays
        spans = segments(arrays[0], arrays[3], self.loss, self.reached, bounty)
        steps = STEPS + 4 * self.loss.size
        listed, rows, begin, labels = segment_paths(
            spans, *arrays, self.pick, self.loss, self.reached, bounty, steps
        )
        if not listed:
            return None
        alone, near = row_losses(rows, begin)
        return _Segments(alone, np.zeros_like(alone), near, rows, begin, labels)

    def cost(self, changes: list[int]) -> int:
        return int(self.graph.totals(self.path(changes))[1]) - self.base.given

    def path(self, changes: list[int]) -> Ints:
        pick = self.pick.copy()
        pick[np.searchsorted(self.graph.start, np.array(changes, dtype=np.int64), "right") - 1] = (
            changes
        )
        return follow(self.graph.succ, pick)
