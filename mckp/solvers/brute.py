"""Every selection there is, one after the other: slow, obvious, and right."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.base import Solution, Status
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.table import Table

LIMIT: Final = 200_000
"""The greatest number of selections that are tried."""


@dataclass(frozen=True)
class Selection:
    """Options taken, by class, and what they add up to."""

    value: Fraction
    cost: int
    taken: tuple[tuple[int, int], ...]


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Try every selection.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.

    Returns
    -------
    Solution
        Optimal, or infeasible. Of equal values the cheapest, then the one with the
        earlier option in the earliest class. Values are added as decimal numbers.

    Raises
    ------
    ValueError
        If there are more selections than `LIMIT`.

    Notes
    -----
    Time and memory O(selections x classes): exponential. Enumeration by definition, no source.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80).value
    9
    """
    problem = Problem.of(table, budget)
    tree = _Tree(table)
    if (count := tree.count(tree.below[-1])) > LIMIT:
        raise ValueError(f"{count} selections are more than brute force tries ({LIMIT})")
    feasible = [s for s in tree.selections(tree.below[-1]) if s.cost <= budget]
    if not feasible:
        return problem.infeasible()
    best = min(feasible, key=lambda s: (-s.value, s.cost, s.taken))
    choice = np.full(table.classes, -1, dtype=np.int64)
    for owner, place in best.taken:
        choice[owner] = place
    taken = table.start[:-1][choice >= 0] + choice[choice >= 0]
    return problem.chosen(choice, Status.OPTIMAL, int(problem.scaled.units[taken].sum()))


class _Tree:
    """The table as one reads it: for each option, the classes it opens."""

    def __init__(self, table: Table) -> None:
        self.start, self.cost = table.start.tolist(), table.cost.tolist()
        self.value = [Fraction(repr(value)) for value in table.value.tolist()]
        self.below: defaultdict[int, list[int]] = defaultdict(list)
        for child, owner in enumerate(table.parent_option.tolist()):
            self.below[owner].append(child)

    def options(self, owner: int) -> range:
        return range(self.start[owner], self.start[owner + 1])

    def count(self, classes: Iterable[int]) -> int:
        return math.prod(
            sum(self.count(self.below[option]) for option in self.options(owner))
            for owner in classes
        )

    def selections(self, classes: list[int]) -> Iterator[Selection]:
        for parts in product(*(list(self.of_class(owner)) for owner in classes)):
            yield Selection(
                sum((part.value for part in parts), Fraction(0)),
                sum(part.cost for part in parts),
                tuple(pair for part in parts for pair in part.taken),
            )

    def of_class(self, owner: int) -> Iterator[Selection]:
        for place, option in enumerate(self.options(owner)):
            for rest in self.selections(self.below[option]):
                yield Selection(
                    self.value[option] + rest.value,
                    self.cost[option] + rest.cost,
                    ((owner, place), *rest.taken),
                )
