"""The baseline that many tools use: each part is kept in full or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers import auto, greedy
from mckp.solvers.base import Limits
from mckp.solvers.evaluation import owing_openers, taken_options
from mckp.solvers.lagrange import cheapest, most_valuable
from mckp.solvers.problem import Problem
from mckp.table import Table

if TYPE_CHECKING:
    from mckp.solvers.base import Solution
    from mckp.table import Ints


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve the 0-1 knapsack of whole root classes: the baseline of the benches.

    Each class at the root takes either its best selection (the greatest value, with every class
    below at its own greatest; ties to the lower cost, then to the earlier option) or its cheapest
    (ties to the greater value, then to the earlier option). Nothing in between is tried, which is
    what this baseline is there to show. Which classes are taken in full is chosen by ``auto``,
    exactly within its limits. If `start` fits and is better, the result is its choice. The solution
    is optimal only if the bound of the whole table's relaxation proves it.

    Examples
    --------
    >>> table = Table.flat([[0, 40, 25], [0, 60, 50]], [[0, 9, 8], [0, 6, 5]])
    >>> solve(table, budget=80).value, auto.solve(table, budget=80).value
    (9, 13)
    """
    limits = Limits(time_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    cheapest_choice, full_choice = (
        problem.choice(select(problem).taken) for select in (cheapest, most_valuable)
    )
    roots = np.flatnonzero(table.parent_option < 0)
    (low_cost, low_value), (high_cost, high_value) = (
        _root_totals(problem, roots, choice) for choice in (cheapest_choice, full_choice)
    )
    root_table = Table.flat(
        np.stack((low_cost, high_cost), 1).tolist(), np.stack((low_value, high_value), 1).tolist()
    )
    solution = auto.solve(root_table, budget, time_limit=limits.time_left, work_limit=work_limit)
    is_full = np.repeat(solution.choice == 1, np.diff(np.append(roots, table.classes)))
    choice = problem.better_choice(np.where(is_full, full_choice, cheapest_choice), start)
    return greedy.as_solution(problem, choice)


def _root_totals(problem: Problem, roots: Ints, choice: Ints) -> tuple[Ints, Ints]:
    """Return the cost and the value, in units, of a choice in each root class and all below it."""
    table, reached = problem.table, np.flatnonzero(choice >= 0)
    taken = taken_options(table, choice)
    cost, value = np.zeros((2, table.classes), dtype=np.int64)
    cost[reached], value[reached] = table.cost[taken], problem.scaled.units[taken]
    openers = owing_openers(table, choice)
    np.add.at(cost, table.class_of[openers], table.setup[openers])
    return np.add.reduceat(cost, roots), np.add.reduceat(value, roots)
