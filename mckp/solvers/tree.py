"""Exact for nested classes: a Lagrangian bound, fixing by losses, and lists for what is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers import bands
from mckp.solvers.base import Solution, Status
from mckp.solvers.branches import EACH, FREE, TIMES, Branching
from mckp.solvers.climb import MOST_WORK, Climb
from mckp.solvers.greedy import fits
from mckp.solvers.limits import Limits
from mckp.solvers.nested import Nested
from mckp.solvers.problem import Problem

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
    """Solve nested classes exactly, by searching only where good selections can differ.

    A selection is a path through the classes (`mckp.solvers.graph`). At the least price for
    cost at which the best path fits the budget, that path is the base, and its reduced value
    gives a bound. Every option loses something against the best path through its class, and
    losses add up along a path, so options that lose more than what separates the best known
    selection from the bound are out. The classes that all remaining paths go through cut
    what is left into independent segments: a table without nesting, whose options are the
    undominated paths through each segment. It is searched as `mckp.solvers.core` does, first
    within a small loss, then further, until nothing is left that could be better. Where a segment
    has too many paths to list, each way on from its first class is solved by itself
    (`mckp.solvers.branches`).

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds, looked at every few million operations; the choice then depends on the machine.
    work_limit
        States made in lists, and cells filled by `bands`, to which goes what is not proved after
        3e8 states (up to some ten seconds), or where branches are too many.
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible with a bound at a limit. Equal values go to the lower
        cost; of equal optima it is the one with the earliest options if they can be told apart
        in 10,000 operations, or 1,000,000 in a branch (``statistics["earliest"]``), and the first
        found otherwise.

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
    ground = Nested.of(problem.graph, table.largest_value * problem.scaled.per_one)
    climb = Climb(ground, limits, *ground.greedy())
    climb.offer(*_given(problem, ground, start))
    climb.solve()
    branching = Branching(limits, TIMES * table.options + FREE * EACH)
    outcome = branching.settle(ground, climb, ground.worth)
    assert outcome.best is not None
    status = Status.OPTIMAL if outcome.proved else Status.FEASIBLE
    per_cost = ground.base.price / 2.0**ground.base.shift / problem.scaled.per_one
    facts = climb.statistics
    if branching.count:
        earliest = {"earliest": int(outcome.best.earliest)} if outcome.proved else {}
        facts |= {"branches": branching.count, "operations": limits.work} | earliest
    solution = problem.solution(outcome.best.path, status, outcome.bound, per_cost, facts)
    return bands.go_on(table, budget, solution, limits)


def _given(problem: Problem, ground: Nested, start: Solution | None) -> tuple[int, list[int]]:
    """Return a start's value above the base, and its changes; nothing if it does not fit."""
    if start is None or not fits(problem, start.choice):
        return 0, []
    reached = np.flatnonzero(start.choice >= 0)
    given = problem.table.start[reached] + start.choice[reached]
    value = int(problem.scaled.units[given].sum()) - ground.worth
    return value, given[given != ground.pick[reached]].tolist()
