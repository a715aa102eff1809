"""Every selection there is, one after the other: slow, obvious, and right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.table import Table

LIMIT: Final = 200_000
"""How many selections are tried unless the caller sets another limit."""

Chain: TypeAlias = "tuple[int, Chain] | None"
"""A list as pairs of its first number and the rest, so that thousands share their ends."""


@dataclass(frozen=True)
class Selection:
    """Options taken, the last first; what they add up to; the classes still to come; who owes."""

    value: Fraction
    cost: int
    taken: Chain
    pending: Chain
    owed: frozenset[int] = frozenset()


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Try every selection, the earlier options of the earlier classes first.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds after which to stop trying.
    work_limit
        How many selections to try; None: `LIMIT`.
    start
        Taken if not all selections were tried and it is better than what was found.

    Returns
    -------
    Solution
        Optimal, or infeasible, if all were tried: of equal values the cheapest, then the one
        with the earlier option in the earliest class. Values are added as decimal numbers.
        At a limit it is the best found, or the cheapest selection if none tried fits the
        budget, with the bound of the relaxation: optimal only if that proves it.

    Notes
    -----
    Time O(selections x classes), exponential; memory O(options). Enumeration by definition, no
    source.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]])
    >>> solve(table, budget=80).value, solve(table, budget=80, work_limit=1).value
    (9, 0)
    """
    problem = Problem.of(table, budget)
    limits = Limits(time_limit, LIMIT if work_limit is None else work_limit)
    best, all_tried = _best(_Tree(table), problem.budget, limits)
    count = {"selections": limits.work - (not all_tried)}
    if not all_tried and problem.is_feasible:
        cheapest = problem.tree.choice(problem.prices.cheapest().taken)
        choice = cheapest if best is None else _choice(table, best)
        return replace(greedy.proved(problem, problem.better(choice, start)), statistics=count)
    if best is None:
        return replace(problem.infeasible(), statistics=count)
    choice = _choice(table, best)
    value = problem.totals(choice)[0]
    return problem.solution(choice, Status.OPTIMAL, value, statistics=count)


def _best(tree: _Tree, budget: int, limits: Limits) -> tuple[Selection | None, bool]:
    best: Selection | None = None
    for selection in tree.selections():
        limits.spend(1)
        if limits.exhausted:
            return best, False
        # What is as good as an earlier one has the later options.
        if selection.cost <= budget and (
            best is None or (selection.value, -selection.cost) > (best.value, -best.cost)
        ):
            best = selection
    return best, True


def _choice(table: Table, selection: Selection) -> NDArray[np.int64]:
    choice, taken = np.full(table.classes, -1, dtype=np.int64), selection.taken
    while taken is not None:
        option, taken = taken
        owner = np.searchsorted(table.start, option, side="right") - 1
        choice[owner] = option - table.start[owner]
    return choice


class _Tree:
    """The table as one reads it: for each option, the classes it opens."""

    def __init__(self, table: Table) -> None:
        self.start, self.cost = table.start.tolist(), table.cost.tolist()
        self.value = [Fraction(repr(value)) for value in table.value.tolist()]
        openers = table.parent_option[table.class_of]
        self.opener: list[int] = np.where(table.owing, openers, -1).tolist()
        self.setup: list[int] = table.setup.tolist()
        self.below: defaultdict[int, list[int]] = defaultdict(list)
        for child, owner in enumerate(table.parent_option.tolist()):
            self.below[owner].append(child)
        self.possible = self._possible(table)

    def _possible(self, table: Table) -> list[list[int]]:
        """Leave out the options that open a class in which nothing can be taken."""
        possible: list[list[int]] = [[] for _ in range(table.classes)]
        for owner in reversed(range(table.classes)):
            options = range(self.start[owner], self.start[owner + 1])
            possible[owner] = [
                option for option in options if all(possible[c] for c in self.below[option])
            ]
        return possible

    def selections(self) -> Iterator[Selection]:
        """Go through all selections, in the order of their options from the first class on."""
        stack = [Selection(Fraction(0), 0, None, self._before(self.below[-1], None))]
        if not all(self.possible[owner] for owner in self.below[-1]):
            return
        while stack:
            selection = stack.pop()
            if selection.pending is None:
                yield selection
                continue
            owner, rest = selection.pending
            stack.extend(self._with(selection, o, rest) for o in reversed(self.possible[owner]))

    def _with(self, selection: Selection, option: int, rest: Chain) -> Selection:
        cost, owed, opener = selection.cost + self.cost[option], selection.owed, self.opener[option]
        if opener >= 0 and opener not in owed:
            cost, owed = cost + self.setup[opener], owed | {opener}
        return Selection(
            selection.value + self.value[option],
            cost,
            (option, selection.taken),
            self._before(self.below[option], rest),
            owed,
        )

    def _before(self, classes: list[int], rest: Chain) -> Chain:
        for owner in reversed(classes):
            rest = (owner, rest)
        return rest
