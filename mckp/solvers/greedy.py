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
        return problem.infeasible_solution()
    choice = problem.choice(problem.relaxation.within.taken)
    limits.work += table.options
    if not limits.is_exhausted:
        choice = spend_rest(problem)
    return as_solution(problem, problem.better_choice(choice, start))


def as_solution(problem: Problem, choice: Ints) -> Solution:
    """Return a choice as a solution, which is optimal if the relaxation's bound proves it."""
    relaxation = problem.relaxation
    value, cost = problem.totals(choice)
    # A selection of this value with a lower cost would exceed the best reduced value.
    least_cost = -((relaxation.root - relaxation.scale * value) // max(1, relaxation.price))
    is_proved = value >= relaxation.bound and cost <= max(least_cost, problem.floor or 0)
    status = Status.OPTIMAL if is_proved else Status.FEASIBLE
    return problem.solution(choice, status, relaxation.bound, problem.shadow_price)


def spend_rest(problem: Problem, relaxation: Relaxation | None = None) -> Ints:
    """Return the choice of the relaxation, improved with the rest of the budget.

    Each round replaces options that open no classes by more valuable ones of the same class, the
    greatest gain per cost first, until none fits. The relaxation is the problem's own by default.
    """
    table, units, owner = problem.table, problem.scaled.units, problem.table.class_of
    choice = problem.choice((relaxation or problem.relaxation).within.taken)
    opens_classes = np.zeros(table.options, dtype=bool)
    opens_classes[table.parent_option[table.parent_option >= 0]] = True
    while True:
        left = problem.budget - cost_of(table, choice)
        current = np.where(choice >= 0, table.start[:-1] + choice, 0)[owner]
        gains, extra_costs = units - units[current], table.cost - table.cost[current]
        is_usable = (
            (choice >= 0)[owner]
            & ~opens_classes
            & ~opens_classes[current]
            & (gains > 0)
            & (extra_costs <= left)
        )
        if table.has_setup:
            pays_setup = np.append(np.zeros(table.options, dtype=bool), True)
            pays_setup[owing_openers(table, choice)] = True
            pays_setup[:-1] |= table.setup == 0
            is_usable &= ~table.owing | pays_setup[table.parent_option[owner]]
        options = np.flatnonzero(is_usable)
        if not options.size:
            return choice
        density = gains[options] / np.maximum(extra_costs[options], 1e-9)
        order = options[np.argsort(-density, kind="stable")]
        changed_classes, ordered_costs = set[int](), extra_costs[order].tolist()
        for class_index, option, cost in zip(
            owner[order].tolist(), order.tolist(), ordered_costs, strict=True
        ):
            if cost <= left and class_index not in changed_classes:
                changed_classes.add(class_index)
                choice[class_index] = option - int(table.start[class_index])
                left -= cost
