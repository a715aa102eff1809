"""Exact with NumPy alone: a relaxation, fixing by reduced costs, and lists of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.paths import expand
from mckp.solvers.problem import Problem
from mckp.solvers.states import Program

if TYPE_CHECKING:
    from mckp.table import Table

MOST_FLAT: Final = 2 * 10**7
"""States made at most in a table without nesting unless the caller sets another limit: about a
second, after which `mckp.solvers.large` is faster."""
MOST_NESTED: Final = 2 * 10**9
"""States made at most in a nested table unless the caller sets another limit: up to a minute. The
half of 30,000 plain fields of one object takes 1.7 billion."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve exactly, by searching only where good selections can differ from the relaxation's.

    The Lagrangian relaxation gives a price for cost and a bound. Every option loses reduced
    value against the best selection at that price, and so does every selection: the better it is,
    the less. All selections that lose no more than some amount are searched by a dynamic program
    over their costs. The best of them is optimal if a better one would lose less than that;
    if not, the amount is raised.

    Of equal values it is the one of the lower cost, of equal costs the one with the earliest
    options; where an option may be taken with and without its setup cost, the latter counts as the
    earlier. A work limit counts states made in lists, and is `MOST_FLAT` or `MOST_NESTED` if
    None.
    `Solution.statistics` counts the ``operations`` (states made), the ``ways`` left of all options
    in the last look, and the ``looks``.

    Time O(options) for each of some ten to twenty prices, and O(states) for the program, which is
    pseudopolynomial at worst. Memory O(options + states).

    The bound is that of M. L. Fisher, "The Lagrangian relaxation method for solving integer
    programming problems", Management Science 27 (1981); fixing by reduced costs is as in D.
    Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal of
    Operational Research 83 (1995). Sources of the program stand with `states.Program`.
    """
    limits = Limits(time_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible()
    usual = MOST_FLAT if table.is_flat else MOST_NESTED
    most = usual if work_limit is None else work_limit
    relaxation = problem.relaxation
    choice = problem.choice(relaxation.within.taken)
    if relaxation.beyond is None:
        facts = {"operations": 0, "ways": 0, "looks": 0}
        return problem.solution(choice, Status.OPTIMAL, relaxation.within.value, 0.0, facts)
    choice = problem.better(greedy.filled(problem), start)
    value, cost = problem.totals(choice)
    bound, states, looks, proved = relaxation.bound, 0, 0, False
    # A better selection mostly loses little: an eighth of what it may lose is looked at first.
    loss: int = relaxation.loss(value, problem.budget) // 8
    # Setup costs can make very many ways of few options: then an eighth of that, and so on.
    while (paths := expand(problem, relaxation.relaxed, loss)).option.size > table.options and loss:
        loss //= 8
    while True:
        scale, price = relaxation.scale, relaxation.price
        rest = problem.limits, most - states
        program = Program(paths, problem.budget, scale, price, loss, *rest)
        is_done = program.run()
        found = program.best() if is_done else None
        states, looks = states + program.made, looks + 1
        if found is not None and (found.value, -found.cost) >= (value, -cost):
            choice, value, cost = problem.choice(found.taken), found.value, found.cost
        if is_done:
            # What was not looked at loses more than `loss`, which limits its value.
            unseen = relaxation.root + relaxation.price * problem.budget - loss - 1
            bound = max(value, min(bound, unseen // relaxation.scale))
            proved = bound == value and found is not None and found.value == value
        if proved or not is_done:
            break
        # Nothing that is at least as good as the best known loses more than the second.
        loss = min(4 * loss + 4, relaxation.loss(value, problem.budget))
        paths = expand(problem, relaxation.relaxed, loss)
    facts = {"operations": states, "ways": paths.option.size, "looks": looks}
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    return problem.solution(choice, status, bound, problem.shadow_price, facts)
