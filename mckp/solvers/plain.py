"""Exact in a few lines of Python: right by inspection, and quick for a handful of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.base import Solution, Status, check_budget
from mckp.solvers.limits import Limits
from mckp.solvers.report import Report
from mckp.solvers.scaling import scale

if TYPE_CHECKING:
    from mckp.table import Table

LIMIT: Final = 2_000_000
"""States made at most, unless the caller sets another limit: some two seconds."""


class State(NamedTuple):
    """A way from a class to the end: its totals, its first option, and the rest of the way."""

    cost: int
    value: int
    option: int
    rest: State | None


END: Final = State(0, 0, -1, None)


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve by lists of undominated states, from the last class to the first.

    No compiled code takes part, and no more of NumPy than it takes to read the table: this
    is what the other solvers are tested against, and the way tiny tables are solved
    without waiting for a compiler.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Seconds, and states made (2,000,000 without a limit), after which the cheapest
        selection is given, with the value that all best options together would have as bound.
    start
        Of no use here: the lists hold everything that could be better.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Equal values go to the lower cost, equal
        costs to the earlier option of the earliest class.

    Notes
    -----
    Time and memory O(options x states), where there are at most as many states as budgets, and
    exponentially many in the number of classes. Lists of undominated states are from
    G. L. Nemhauser and Z. Ullmann, "Discrete dynamic programming and capital allocation",
    Management Science 15 (1969).

    Examples
    --------
    >>> from mckp.table import Table
    >>> row = [(0, 0), (5, 3)]
    >>> solution = solve(Table.nested([[(0, 0), (9, 6), (2, 1, [row, row])]]), budget=8)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([2, 0, 1], 4, 7)
    """
    limits = Limits(time_limit, LIMIT if work_limit is None else work_limit)
    budget = check_budget(budget)
    scaled = scale(table)
    tree = _Tree(table, scaled.units.tolist())
    report = Report(table, scaled, tree.least[0], limits)
    if report.floor is None or report.floor > budget:
        return report.infeasible()
    best = tree.best(budget, limits)
    if best is None:
        return report.chosen(tree.choice(tree.cheapest()), Status.FEASIBLE, tree.most)
    return report.chosen(tree.choice(best), Status.OPTIMAL, best.value)


class _Tree:
    """The table in lists: what each option costs, is worth, and leads to."""

    def __init__(self, table: Table, values: list[int]) -> None:
        self.start, self.cost, self.value = table.start.tolist(), table.cost.tolist(), values
        self.next = _next_classes(table)
        self.classes = table.classes
        self.least = self._least_costs()

    def options(self, u: int) -> range:
        """Return the options of a class."""
        return range(self.start[u], self.start[u + 1])

    def _least_costs(self) -> list[int | None]:
        least: list[int | None] = [None] * self.classes + [0]
        for u in reversed(range(self.classes)):
            ways = [
                self.cost[o] + w for o in self.options(u) if (w := least[self.next[o]]) is not None
            ]
            least[u] = min(ways, default=None)
        return least

    @property
    def most(self) -> int:
        """Value that no selection exceeds."""
        return sum(
            max(0, *(self.value[o] for o in self.options(u)), 0) for u in range(self.classes)
        )

    def cheapest(self) -> State:
        """Return a selection of least cost."""
        states = [END] * (self.classes + 1)
        for u in reversed(range(self.classes)):
            ways = [
                State(self.cost[o] + rest.cost, self.value[o] + rest.value, o, rest)
                for o in self.options(u)
                if self.least[self.next[o]] is not None
                for rest in [states[self.next[o]]]
            ]
            states[u] = min(ways, key=lambda state: (state.cost, -state.value), default=END)
        return states[0]

    def best(self, budget: int, limits: Limits) -> State | None:
        """Return the best selection, or None at a limit."""
        lists = [list[State]() for _ in range(self.classes)] + [[END]]
        for u in reversed(range(self.classes)):
            ways: list[State] = []
            for o in self.options(u):
                cost, value = self.cost[o], self.value[o]
                for rest in lists[self.next[o]]:
                    if cost + rest.cost > budget:
                        break
                    ways.append(State(cost + rest.cost, value + rest.value, o, rest))
            limits.spend(len(ways))
            if limits.exhausted:
                return None
            lists[u] = _undominated(ways)
        return lists[0][-1]

    def choice(self, state: State | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the place of each option on the way, -1 for classes that are not reached."""
        choice, u = np.full(self.classes, -1, dtype=np.int64), 0
        while u < self.classes and state is not None:
            choice[u] = state.option - self.start[u]
            u, state = self.next[state.option], state.rest
        return choice


def _undominated(states: list[State]) -> list[State]:
    """Keep the states that are worth more than all cheaper ones; the first of equal ones."""
    kept: list[State] = []
    for state in sorted(states, key=lambda state: (state.cost, -state.value)):
        if not kept or state.value > kept[-1].value:
            kept.append(state)
    return kept


def _next_classes(table: Table) -> list[int]:
    """Return the class that is reached after each option; their number stands for the end."""
    owner: list[int] = table.class_of.tolist()
    parents: list[int] = table.parent_option.tolist()
    first_child: dict[int, int] = {}
    after = [table.classes] * table.classes
    for u in reversed(range(table.classes)):
        after[u] = first_child.get(parents[u], -1)
        first_child[parents[u]] = u
    for u in range(table.classes):
        if after[u] < 0:
            after[u] = after[owner[parents[u]]] if parents[u] >= 0 else table.classes
    return [first_child.get(o, after[owner[o]]) for o in range(table.options)]
