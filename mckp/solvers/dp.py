"""Exact for tables of any shape: a relaxation, fixing by reduced costs, lists of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status, check_budget
from mckp.solvers.problem import Problem
from mckp.solvers.scaling import most_cost, scale
from mckp.solvers.search import Search
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.table import Table

MOST_WORK: Final = 10_000_000
"""Default work limit: about a second without compilation."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly within a work limit; beyond it, return the best selection so far with a bound.

    The relaxation gives a price of cost. Options that lose too much at this price are left out, and
    lists of undominated states are added up for the rest. A work limit counts operations, each
    about as long as sorting one sum of two states, and is `MOST_WORK` by default.
    """
    budget = min(check_budget(budget), SUM_LIMIT)
    limits = Limits(time_limit, MOST_WORK if work_limit is None else work_limit)
    most = most_cost(table, budget)
    scaled = scale(table, most)
    if not scaled.exact:
        scaled = scale(table, 64 * (most + 1))  # coarser, which leaves room for steep prices
    problem = Problem(table, budget, scaled, limits, most)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    search = Search(problem, limits)
    relaxation = search.relaxation
    statistics = {"operations": 0, "ways": 0, "looks": 0, "core": 0}
    if relaxation.beyond is None:
        choice, value = problem.choice(relaxation.within.taken), relaxation.within.value
        return problem.solution(choice, Status.OPTIMAL, value, 0.0, statistics)
    choice = problem.better_choice(greedy.spend_rest(problem, relaxation), start)
    value, cost = problem.totals(choice)
    search.best = search.scale * value - cost
    search.run()
    if search.decided is not None:
        choice = problem.choice(search.taken_options())
        value, cost = problem.totals(choice)
        assert search.scale * value - cost == search.best, "the choice is not what was found"
    statistics = {
        "operations": limits.work,
        "ways": search.ways_left,
        "looks": search.looks,
        "core": search.core,
    }
    price = relaxation.slope / scaled.per_one
    if search.bound <= search.best:
        return problem.solution(choice, Status.OPTIMAL, value, price, statistics)
    bound = max(value, (search.bound + budget) // search.scale)
    return problem.solution(choice, Status.FEASIBLE, bound, price, statistics)
