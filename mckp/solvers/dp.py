"""Exact with NumPy alone: a relaxation, fixing by reduced costs, and lists of states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.lagrange import option_losses
from mckp.solvers.paths import Within, expand
from mckp.solvers.problem import Problem
from mckp.solvers.states import Program, shift

if TYPE_CHECKING:
    from mckp.solvers.states import Found, Offer
    from mckp.table import Table

MOST_STATES: Final = 2 * 10**7
"""States made at most unless the caller sets another limit: up to about two seconds."""
_FEW: Final = 48
"""Options beside those of the base that the first look allows."""
_MANY: Final = 2000
"""Options from which on a greedy selection is worth its time before the first look."""
_GROWTH: Final = 4
"""How many times as many each further look allows."""


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

    Parameters
    ----------
    time_limit
        Seconds, looked at after each list; the choice then depends on the machine.
    work_limit
        States made in lists; `MOST_STATES` if None.
    start
        If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible with a bound at a limit. Of equal values it is the one
        of the lower cost, of equal costs the one with the earliest options; where an option may
        be taken with and without its setup cost, the latter counts as the earlier.
        `Solution.statistics` counts the ``operations`` (states made), the ``ways`` left of all
        options in the last look, and the ``looks``.

    Notes
    -----
    Time O(options) for each of some ten to twenty prices, and O(states) for the program, which is
    pseudopolynomial at worst. Memory O(options + states).

    The bound is that of M. L. Fisher, "The Lagrangian relaxation method for solving integer
    programming problems", Management Science 27 (1981); fixing by reduced costs is as in D.
    Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal of
    Operational Research 83 (1995). Sources of the program stand with `states.Program`.

    Examples
    --------
    >>> from mckp.table import Table
    >>> row = [(0, 0), (5, 3)]
    >>> solution = solve(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), budget=8)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([2, 0, 1], 4, 7)
    """
    limits = Limits(time_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible()
    most = MOST_STATES if work_limit is None else work_limit
    return Search(problem, shift, most).solution(start)


@dataclass(slots=True)
class Search:
    """The search of one problem within a growing loss.

    Parameters
    ----------
    problem
        The problem, which has a solution.
    offer
        How the dynamic program keeps sums.
    most
        States that may be made in all.
    """

    problem: Problem
    offer: Offer
    most: int

    def solution(self, start: Solution | None) -> Solution:
        """Search, and report the best selection."""
        problem, relaxation = self.problem, self.problem.relaxation
        tree, within = problem.tree, relaxation.within
        choice = tree.choice(within.taken)
        if relaxation.beyond is None:
            facts = {"operations": 0, "ways": 0, "looks": 0}
            return problem.solution(choice, Status.OPTIMAL, within.value, 0.0, facts)
        if problem.table.options >= _MANY:
            choice = greedy.filled(problem)
        choice = problem.better(choice, start)
        value, cost = problem.totals(choice)
        bound, states, looks, ways = relaxation.bound, 0, 0, 0
        losses = np.sort(option_losses(tree, relaxation.relaxed))
        number = int(np.searchsorted(losses, 0, side="right")) + _FEW
        proved = False
        while not proved:
            # Nothing that is at least as good as the best known loses more than `enough`.
            enough = relaxation.loss(value, problem.budget)
            loss = min(enough, int(losses[number])) if number < losses.size else enough
            found, ways, made, is_done = self._look(loss, self.most - states)
            states, looks = states + made, looks + 1
            if found is not None and (found.value, -found.cost) >= (value, -cost):
                choice = tree.choice(np.array(found.taken, dtype=np.int64))
                value, cost = found.value, found.cost
            if not is_done:
                break
            # What was not looked at loses more than `loss`, which limits its value.
            unseen = (relaxation.root + relaxation.price * problem.budget - loss - 1) // (
                relaxation.scale
            )
            bound = max(value, min(bound, unseen))
            proved = bound == value and found is not None and found.value == value
            number = max(_GROWTH * number, int(np.searchsorted(losses, loss, side="right")))
        facts = {"operations": states, "ways": ways, "looks": looks}
        status = Status.OPTIMAL if proved else Status.FEASIBLE
        return problem.solution(choice, status, bound, problem.shadow_price, facts)

    def _look(self, loss: int, most: int) -> tuple[Found | None, int, int, bool]:
        """Return the best selection within a loss, counts, and whether all were looked at."""
        problem, relaxation = self.problem, self.problem.relaxation
        assert problem.floor is not None
        slack = problem.budget - problem.floor
        within = Within(relaxation.relaxed, loss, problem.least, slack, problem.floor)
        paths = expand(problem.tree, within)
        at = relaxation.scale, relaxation.price, loss
        program = Program(paths, problem.budget, *at, problem.limits, most, self.offer)
        is_done = program.run()
        found = program.best() if is_done else None
        return found, paths.option.size, program.made, is_done
