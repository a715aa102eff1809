"""Exact for small tables: the best value for each number of units of cost, class after class.

It is the dynamic program over a tree in preorder of G. Cho and D. X. Shaw, "A depth-first
dynamic programming algorithm for the tree knapsack problem", INFORMS Journal on Computing 9 (1997).
It takes O(options x budget) time and prepares nothing. That is less than a relaxation takes if both
are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.solvers.base import NEVER, Solution, Status
from mckp.solvers.evaluation import cost_of
from mckp.solvers.scaling import most_cost, scale

if TYPE_CHECKING:
    from mckp.table import Ints, Table

MOST_WORK: Final = 500_000
"""Most numbers that are computed: options times units of the budget, twice as many for each level
whose options may owe a setup cost."""


def solve_small(table: Table, budget: int) -> Solution | None:
    """Return the best solution of a small table, without a `floor`; None if it is not solved here.

    The result is None if nothing fits, if the table is not small, if its values are not exact in
    units, or if an option that opens classes is owing.

    Of equally good selections within the budget, it is one of the cheapest. Among these, classes
    that come first take the options that are worth most.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve_small(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), 80)
    >>> solution.choice.tolist(), solution.value, solution.cost
    ([1, 0], 9, 40)
    """
    most = most_cost(table, budget)
    limit = min(budget, most)
    if table.options * (limit + 1) > MOST_WORK:
        return None
    scaled = scale(table, most)
    if not (scaled.exact or (scaled.units / scaled.per_one == table.value).all()):
        return None
    program = _BudgetProgram(table, scaled.units, limit)
    if program.work > MOST_WORK or program.has_owing_opener:
        return None
    choice = program.best_choice()
    if choice is None:
        return None
    taken = table.start[:-1][choice >= 0] + choice[choice >= 0]
    value = scaled.total_value(taken)
    return Solution(choice, value, cost_of(table, choice), Status.OPTIMAL, value, None)


class _BudgetProgram:
    """The dynamic program of a table.

    Values are arrays of three axes. The last is the cost: the best value at no more than that. The
    first says whether the option that opened the class pays its setup cost, the second whether
    those above it do.
    """

    def __init__(self, table: Table, units: Ints, limit: int) -> None:
        self._start: list[int] = table.start.tolist()
        self._cost: list[int] = table.cost.tolist()
        self._setup: list[int] = table.setup.tolist()
        self._owing: list[bool] = table.owing.tolist()
        self._value: list[int] = units.tolist()
        self._limit = limit
        self._below: dict[int, list[int]] = {}
        """The classes that each option opens; those of -1 are always reached."""
        parents: list[int] = table.parent_option.tolist()
        for number, parent in enumerate(parents):
            self._below.setdefault(parent, []).append(number)
        self._pays = {opener for opener in self._below if self._may_pay(opener)}
        #: The values before and after each class, and those of options that open classes.
        self._before: dict[int, Ints] = {}
        self._after: dict[int, Ints] = {}
        self._opened: dict[int, Ints] = {}
        self.has_owing_opener = any(self._owing[opener] for opener in self._below if opener >= 0)
        self.work = self._count_work(parents)

    def _may_pay(self, opener: int) -> bool:
        """Whether an option may have to pay a setup cost."""
        if opener < 0 or not self._setup[opener]:
            return False
        return any(any(self._owing[self._span(number)]) for number in self._below[opener])

    def _span(self, number: int) -> slice:
        """Return the range of the options of a class."""
        return slice(self._start[number], self._start[number + 1])

    def _count_work(self, parents: list[int]) -> int:
        """Return how many numbers are computed."""
        rows: dict[int, int] = {-1: 1}
        work = 0
        for number, parent in enumerate(parents):  # in preorder
            span = self._span(number)
            above = rows[parent]
            work += above * (span.stop - span.start) * (self._limit + 1)
            for option in range(span.start, span.stop):
                if option in self._below:
                    rows[option] = above * (2 if option in self._pays else 1)
        return work

    def best_choice(self) -> Ints | None:
        """Return the best choice, or None if nothing fits."""
        values = np.zeros((1, 1, self._limit + 1), dtype=np.int64)
        roots = self._below.get(-1, [])
        for number in roots:
            values = self._add(number, values)
        best = values[0, 0]
        if best[-1] < NEVER // 2:
            return None
        cost = int(best.searchsorted(best[-1]))
        choice = np.full(len(self._start) - 1, -1, dtype=np.int64)
        for number in reversed(roots):
            cost = self._take(number, (0, 0), cost, choice)
        return choice

    def _add(self, number: int, before: Ints) -> Ints:
        """Return the best values with a class added."""
        after = np.full(before.shape, NEVER, dtype=np.int64)
        may_owe, owed_after = before[-1], after[-1]
        for option in range(self._start[number], self._start[number + 1]):
            cost = self._cost[option]
            if cost > self._limit:
                continue
            if option in self._below:
                np.maximum(after, self._open(option, before), out=after)
                continue
            old, new = (may_owe, owed_after) if self._owing[option] else (before, after)
            better = old[..., : old.shape[-1] - cost] + self._value[option]
            np.maximum(new[..., cost:], better, out=new[..., cost:])
        self._before[number], self._after[number] = before, after
        return after

    def _open(self, option: int, before: Ints) -> Ints:
        """Return the best values with an option that opens classes."""
        size = before.shape[-1]
        rows = before.reshape(-1, size)
        pays = option in self._pays
        values: Any = np.full((1 + pays, *rows.shape), NEVER, dtype=np.int64)
        for state in range(1 + pays):
            cost = self._cost[option] + state * self._setup[option]
            if cost <= self._limit:
                values[state, :, cost:] = rows[:, : size - cost] + self._value[option]
        for number in self._below[option]:
            values = self._add(number, values)
        self._opened[option] = values
        best: Ints = values.max(axis=0) if pays else values[0]
        return best.reshape(before.shape)

    def _take(self, number: int, row: tuple[int, int], cost: int, choice: Ints) -> int:
        """Store the option taken in a class, and those below it, in `choice`.

        Return the most that the classes before it cost.

        `cost` is the most that the class and all before it cost, `row` the first two axes.
        """
        before, target = self._before[number], int(self._after[number][(*row, cost)])
        is_free = row[0] == before.shape[0] - 1
        first, last = self._start[number], self._start[number + 1]
        fitting = [
            option
            for option in range(first, last)
            if option not in self._below
            and (left := cost - self._cost[option]) >= 0
            and (is_free or not self._owing[option])
            and int(before[(*row, left)]) + self._value[option] == target
        ]
        if fitting:  # what is worth least leaves most to the classes before
            option = min(fitting, key=self._value.__getitem__)
            choice[number] = option - first
            return cost - self._cost[option]
        place = row[0] * before.shape[1] + row[1]
        openers = filter(self._opened.__contains__, range(first, last))
        option, state = next(
            (option, state)
            for option in openers
            for state, values in enumerate(self._opened[option])
            if int(values[place, cost]) == target
        )
        choice[number] = option - first
        for inner in reversed(self._below[option]):
            cost = self._take(inner, (state, place), cost, choice)
        return cost - self._cost[option] - state * self._setup[option]
