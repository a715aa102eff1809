"""The binary knapsack on a menu: each class whole or skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baselines.fill import Reach, options_of
from mckp.solvers import auto
from mckp.solvers.greedy import as_solution
from mckp.solvers.problem import Problem
from mckp.table import Table

if TYPE_CHECKING:
    from mckp.solvers.base import Solution


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take each class whole, open it, or skip it; which of these is chosen exactly.

    Of the options of a class three are left: the cheapest; the best, with all below at its best;
    and, of those that open further classes, the one with the best below it, so that a document
    is not all or nothing as it is to `mckp.solvers.binary`. Nothing in between is tried.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        As for ``auto``, which chooses.
    start
        Taken if it fits the budget and is better.

    Notes
    -----
    Time and memory as for ``auto``, and O(options) for leaving options out.

    Examples
    --------
    >>> table = Table.flat([[0, 40, 25], [0, 60, 50]], [[0, 9, 8], [0, 6, 5]])
    >>> solve(table, budget=80).choice.tolist()
    [1, 0]
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    # An option that costs more than there is is never taken, and all others keep their numbers.
    cost = np.where(_left(table), table.cost, budget + 1)
    rest = Table(table.start, cost, table.value, table.parent_option, table.setup, table.owing)
    inner = auto.solve(rest, budget, time_limit=time_limit, work_limit=work_limit)
    if inner.status == "infeasible":
        return problem.infeasible_solution()
    return as_solution(problem, problem.better_choice(inner.choice, start))


def _left(table: Table) -> list[bool]:
    """Return which options are left."""
    reach, opening = Reach.of(table), set[int](table.parent_option.tolist())
    left = [False] * table.options
    for at in range(table.classes):
        ranked = sorted(options_of(table, at), key=lambda o: (-reach.worth[o], reach.most[o]))
        opens = [option for option in ranked if option in opening]
        for option in (*ranked[:1], *opens[:1], *[reach.cheapest[at]][: len(ranked)]):
            left[option] = True
    return left
