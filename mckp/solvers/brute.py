"""Try every selection in turn: slow, simple and correct."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.evaluation import choice_of, owing_openers
from mckp.solvers.lagrange import cheapest
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.table import Ints, Table

LIMIT: Final = 200_000
"""Default limit on the number of selections tried."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Try every selection; earlier options of earlier classes come first.

    Among equal values, the cheapest selection wins, then the one with the earlier option in the
    earliest class. Values are added as decimal numbers. A work limit counts selections, and is
    `LIMIT` by default. At a limit, the result is the best selection so far, or the cheapest of all
    if none of those tried fits the budget, or `start` if that is better; it is optimal only if the
    bound of the relaxation proves that.
    """
    problem = Problem.of(table, budget)
    limits = Limits(time_limit, LIMIT if work_limit is None else work_limit)
    best, all_tried = _best_choice(table, problem.budget, limits)
    count = {"selections": limits.work - (not all_tried)}
    if not all_tried and problem.is_feasible:
        choice = problem.choice(cheapest(problem).taken) if best is None else best
        return replace(
            greedy.as_solution(problem, problem.better_choice(choice, start)), statistics=count
        )
    if best is None:
        return replace(problem.infeasible_solution(), statistics=count)
    value = problem.totals(best)[0]
    return problem.solution(best, Status.OPTIMAL, value, statistics=count)


def _best_choice(table: Table, budget: int, limits: Limits) -> tuple[Ints | None, bool]:
    """Return the best choice within the budget, or None, and whether all selections were tried."""
    costs = table.cost.tolist()
    exact = [Fraction(repr(value)) for value in table.value.tolist()]
    unit = math.lcm(*(value.denominator for value in exact))
    values = [int(value * unit) for value in exact]
    best: Ints | None = None
    best_value = best_cost = 0
    for taken in _selections(table):
        limits.work += 1
        if limits.is_exhausted:
            return best, False
        cost = sum(costs[option] for option in taken)
        value = sum(values[option] for option in taken)
        # Of equally good selections, the first one has the earlier options.
        if cost > budget or (best is not None and (value, -cost) <= (best_value, -best_cost)):
            continue
        choice = choice_of(table, np.array(taken, dtype=np.int64))
        cost += int(table.setup[owing_openers(table, choice)].sum())
        if cost <= budget and (best is None or (value, -cost) > (best_value, -best_cost)):
            best, best_value, best_cost = choice, value, cost
    return best, True


def _selections(table: Table) -> Iterator[list[int]]:
    """Yield the options of each selection, in a list that is changed for the next one.

    The last class changes fastest. Classes are in preorder, so the option that opens a class is
    chosen before the class is.
    """
    openers, owners = table.parent_option.tolist(), table.class_of.tolist()
    options_by_class = _possible_options(table)
    if not all(
        options for options, opener in zip(options_by_class, openers, strict=True) if opener < 0
    ):
        return
    taken, is_taken = list[int](), [False] * table.options + [True]
    first, last_option = 0, -1
    while True:
        for owner in range(first, table.classes):
            if is_taken[openers[owner]]:
                option = next(
                    (candidate for candidate in options_by_class[owner] if candidate > last_option),
                    None,
                )
                if option is None:
                    break
                last_option = -1
                taken.append(option)
                is_taken[option] = True
        else:
            yield taken
        if not taken:
            return
        last_option = taken.pop()
        is_taken[last_option] = False
        first = owners[last_option]


def _possible_options(table: Table) -> list[list[int]]:
    """Return, for each class, the options with which a selection is possible.

    An option is left out if it opens a class without such options.
    """
    start, options_by_class = table.start.tolist(), [list[int]() for _ in range(table.classes)]
    impossible_openers = set[int]()
    for owner in reversed(range(table.classes)):
        options = range(start[owner], start[owner + 1])
        options_by_class[owner] = [option for option in options if option not in impossible_openers]
        impossible_openers |= (
            set() if options_by_class[owner] else {int(table.parent_option[owner])}
        )
    return options_by_class
