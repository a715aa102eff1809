"""A bound and a good selection in a few passes, for tables of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.evaluation import cost_of, owing_openers
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.solvers.lagrange import Relaxation
    from mckp.table import Ints, Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take the best options at one price of cost for the whole table, then use what is left.

    The bound is that of Lagrangian relaxation; without nesting, it is that of the linear
    relaxation. Then single options that open no classes are changed, the greatest value per cost
    first, like the greedy algorithm of H. Kellerer, U. Pferschy, D. Pisinger, "Knapsack Problems",
    Springer 2004, chapter 11. The result is optimal if the bound proves that neither more value nor
    the same value at lower cost is possible.

    Limits are checked once, after the bound, which is always computed and counts one operation per
    option. Takes O(options) time per price, usually for a dozen prices, and O(classes + options)
    memory.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.value, solution.bound, str(solution.status)
    (9, 12, 'feasible')
    """
    limits = Limits(time_limit, work_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible()
    choice = problem.choice(problem.relaxation.within.taken)
    limits.work += table.options
    if not limits.exhausted:
        choice = filled(problem)
    return proved(problem, problem.better(choice, start))


def proved(problem: Problem, choice: Ints) -> Solution:
    """Return a choice as a solution; it is optimal if the relaxation's bound proves it."""
    relaxation = problem.relaxation
    value, cost = problem.totals(choice)
    # No selection of this value loses less than nothing against the best of the relaxation.
    least = -((relaxation.root - relaxation.scale * value) // max(1, relaxation.price))
    is_proved = value >= relaxation.bound and cost <= max(least, problem.floor or 0)
    status = Status.OPTIMAL if is_proved else Status.FEASIBLE
    return problem.solution(choice, status, relaxation.bound, problem.shadow_price)


def filled(problem: Problem, relaxation: Relaxation | None = None) -> Ints:
    """Return the relaxation's selection after using the rest of the budget.

    Each round changes some options that open no classes to more valuable ones of the same class,
    the greatest value per cost first, until none fits.
    """
    table, units, owner = problem.table, problem.scaled.units, problem.table.class_of
    choice = problem.choice((relaxation or problem.relaxation).within.taken)
    opens = np.zeros(table.options, dtype=bool)
    opens[table.parent_option[table.parent_option >= 0]] = True
    while True:
        left = problem.budget - cost_of(table, choice)
        mine = np.where(choice >= 0, table.start[:-1] + choice, 0)[owner]
        rise, run = units - units[mine], table.cost - table.cost[mine]
        usable = (choice >= 0)[owner] & ~opens & ~opens[mine] & (rise > 0) & (run <= left)
        if table.has_setup:
            pays = np.append(np.zeros(table.options, dtype=bool), True)
            pays[owing_openers(table, choice)] = True
            pays[:-1] |= table.setup == 0
            usable &= ~table.owing | pays[table.parent_option[owner]]
        options = np.flatnonzero(usable)
        if not options.size:
            return choice
        density = rise[options] / np.maximum(run[options], 1e-9)
        order = options[np.argsort(-density, kind="stable")]
        changed, costs = set[int](), run[order].tolist()
        for place, option, cost in zip(owner[order].tolist(), order.tolist(), costs, strict=True):
            if cost <= left and place not in changed:
                changed.add(place)
                choice[place] = option - int(table.start[place])
                left -= cost
