"""Exact by reduction and rows: prove most options and budgets away, fill what is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.limits import Limits
from mckp.solvers.problem import Problem
from mckp.solvers.reduce import Band, band
from mckp.solvers.relax import Dual, rank, relax

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.jit import Ints
    from mckp.solvers.graph import Cut, Graph
    from mckp.table import Table

_EASY: Final = 10_000_000
"""Updates that cost so little that a wider attempt is worth more than a narrower one."""
_GROWTH: Final = 4


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly, after proving which options and budgets cannot matter.

    A price for cost gives a bound on the value; only what lies on a path close to that bound
    is kept, and the dynamic program runs on it. If the best path is as close as assumed, it
    is proved optimal at once; if not, the bound sinks and a wider part is kept. When the
    value is proved, the same is done for the least cost of that value.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Seconds, and updates of the dynamic program, after which the best found is given.
    start
        Its value is where the search begins, if it fits the budget.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible with a bound at a limit or where the part to be kept
        passes those of `mckp.solvers.dp`. Of equal optima it is the one with the earliest
        options, unless there are too many equals to tell them apart within the limits
        (``statistics["earliest"]``).

    Notes
    -----
    Time O(options) a sweep and some dozens of sweeps, plus the dynamic program on what is
    left; at most O(options x budget) a round. Memory as for `mckp.solvers.dp`. Sources of the
    parts stand with `relax`, `reduce.band` and `dp.solve`.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.cost, str(solution.status)
    (9, 40, 'optimal')
    """
    limits = Limits(time_limit, work_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible()
    try:
        cut = problem.core()
    except ValueError:  # value and cost do not fit one number
        return replace(
            greedy.solve(table, budget, start=start), statistics={"cells": 0, "earliest": 0}
        )
    dual = relax(cut.graph)
    price = greedy.Relaxed(problem, (cut, dual)).shadow_price
    if dual.over is None:
        path, bound = cut.lift(dual.under.path), cut.value_there(dual.bound)
        return problem.solution(path, Status.OPTIMAL, bound, price, {"cells": 0, "earliest": 1})
    found = Search(cut.graph, limits).raise_value(dual, _first(problem, cut, dual, start))
    status = Status.OPTIMAL if found.proved else Status.FEASIBLE
    bound = cut.value_there(found.bound)
    facts = {"cells": limits.work, "earliest": int(found.earliest)}
    return problem.solution(cut.lift(found.path), status, bound, price, facts)


def go_on(table: Table, budget: int, found: Solution, limits: Limits) -> Solution:
    """Prove what another solver has found, or find better, with what is left of its limits."""
    if found.status is not Status.FEASIBLE or limits.exhausted_for_all:
        return found
    further = solve(
        table, budget, time_limit=limits.time_left, work_limit=limits.work_left, start=found
    )
    facts = {**found.statistics, **further.statistics}
    return replace(
        further,
        bound=min(found.bound, further.bound),
        seconds=limits.seconds,
        statistics=facts,
    )


def _first(problem: Problem, cut: Cut, dual: Dual, start: Solution | None) -> Ints:
    """Return the better of the relaxation's own path and the one given."""
    path = dual.incumbent()
    if start is None or not greedy.fits(problem, start.choice):
        return path
    options = problem.table.start[:-1] + start.choice
    given = np.where(start.choice >= 0, options, -1)[cut.classes]
    place = np.full(problem.table.options, -1, dtype=np.int64)
    place[cut.options] = np.arange(cut.options.size)
    inner = np.where(given >= 0, place[given], -1)
    return max(path, inner, key=lambda path: rank(cut.graph, path))


@dataclass(frozen=True, eq=False)
class Found:
    """The best path so far, and what is proved about it.

    Parameters
    ----------
    path
        The path.
    bound
        Value that no path exceeds.
    proved
        Whether nothing better exists.
    earliest
        Whether of all equals this is the one with the earliest options, if it is proved.
    """

    path: Ints
    bound: int
    proved: bool
    earliest: bool = True


@dataclass(frozen=True)
class Search:
    """A graph to search in, and when to stop."""

    graph: Graph
    limits: Limits

    def raise_value(self, dual: Dual, path: Ints) -> Found:
        """Look for more value than that of `path`, from the bound downwards."""
        graph = self.graph
        value, bound = graph.totals(path)[0], dual.bound

        def attempt(reach: int) -> Band | None:
            return band(graph, dual.tightest.price, max(value + 1, bound - reach + 1))

        reach = 1
        while bound > value:
            reach, part = widen(attempt, reach, bound - value)
            found, better = self.fill(part)
            if not found:
                return Found(path, bound, proved=False)
            if better is not None:
                path = max(path, better, key=lambda path: rank(graph, path))
            target = max(value + 1, bound - reach + 1)
            value, bound = graph.totals(path)[0], max(value, target - 1)
            if value >= target:
                return Found(path, value, proved=True)
            bound, reach = max(bound, value), reach * _GROWTH
        return self.lower_cost(path)

    def lower_cost(self, path: Ints) -> Found:
        """Look for the least cost, and the first options, at a value that is proved."""
        value, most = self.graph.totals(path)
        dual = relax(self.graph.within(most))
        least = dual.least_cost(value)

        def attempt(reach: int) -> Band | None:
            budget = min(most, least + reach - 1)
            price = max(1, dual.tightest.price * (budget + 1) // dual.graph.scale)
            return band(self.graph.within(budget), price, value)

        reach = 1
        while True:
            reach, part = widen(attempt, reach, most - least + 1)
            filled, better = self.fill(part)
            if not filled:
                return Found(path, value, proved=least == most, earliest=False)
            if better is not None and self.graph.totals(better)[0] >= value:
                return Found(better, value, proved=True)
            least, reach = least + reach, reach * _GROWTH

    def fill(self, part: Band | None) -> tuple[bool, Ints | None]:
        """Return whether a band could be filled within the limits, and its best path."""
        if part is None:
            return True, None
        if part.rows.too_large or self.limits.exhausted:
            return False, None
        try:
            return True, part.solve(self.limits)
        except TimeoutError:
            return False, None


def widen(attempt: Callable[[int], Band | None], reach: int, most: int) -> tuple[int, Band | None]:
    """Reach further while that is easy; return the reach and what it takes in."""
    reach = min(reach, most)
    part = attempt(reach)
    while reach < most:
        wider = min(most, reach * _GROWTH)
        next_part = attempt(wider)
        if next_part is not None and (next_part.rows.cells > _EASY or next_part.rows.too_large):
            break
        reach, part = wider, next_part
    return reach, part
