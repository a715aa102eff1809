"""What the simple rules share: classes one after the other, as much of each as still fits."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.greedy import as_solution
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.solvers.base import Solution
    from mckp.table import Table

    Below = dict[int, list[int]]


@dataclass(frozen=True)
class Reach:
    """What each option costs and is worth with all below it.

    Attributes
    ----------
    least : sequence of float
        Tokens with every class below at its cheapest, setup costs included; infinite where a
        class below has no option.
    most, worth
        Tokens and worth with every class below at its best.
    cheapest, best : sequence of int
        The option of each class that costs least, and the one that is worth most.
    """

    least: Sequence[float]
    most: Sequence[float]
    worth: Sequence[float]
    cheapest: Sequence[int]
    best: Sequence[int]

    @classmethod
    def of(cls, table: Table) -> Reach:
        """Add up from the leaves, O(options)."""
        least: list[float] = (table.cost + table.setup).tolist()
        most, worth = least.copy(), [float(value) for value in table.value.tolist()]
        cheapest, best = [0] * table.classes, [0] * table.classes
        for at in reversed(range(table.classes)):  # what is below a class comes after it
            own, parent = options_of(table, at), int(table.parent_option[at])
            if own:
                cheapest[at] = min(own, key=lambda option: (least[option], -worth[option]))
                best[at] = max(own, key=lambda option: (worth[option], -most[option]))
            if parent >= 0:
                least[parent] += least[cheapest[at]] if own else inf
                most[parent] += most[best[at]] if own else inf
                worth[parent] += worth[best[at]] if own else -inf
        return cls(least, most, worth, cheapest, best)


def options_of(table: Table, at: int) -> range:
    """Return the options of a class."""
    return range(int(table.start[at]), int(table.start[at + 1]))


def filled(
    table: Table, budget: int, rank: Callable[[Reach, int], float], start: Solution | None
) -> Solution:
    """Take one class after the other by rank, the lowest first, each as well as still fits.

    Every class begins at its cheapest option. A class gets the best option that fits with all
    below it, or, where that may keep more, the best one that opens further classes, which then
    take their turns.

    Returns
    -------
    Solution
        Within the budget, or infeasible; optimal only where the relaxation proves it.
    """
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    reach = Reach.of(table)
    below: Below = {}
    for at, parent in enumerate(table.parent_option.tolist()):
        below.setdefault(parent, []).append(at)
    chosen = [-1] * table.classes
    _take(reach.cheapest, below, chosen, -1)
    left = budget - sum(reach.least[chosen[at]] for at in below.get(-1, []))
    queue = [(rank(reach, at), at) for at in below.get(-1, [])]
    heapq.heapify(queue)
    while queue and left >= 0:  # setup costs that nothing owes are counted, so it may be below
        _, at = heapq.heappop(queue)
        room = left + reach.least[reach.cheapest[at]]
        ranked = sorted(options_of(table, at), key=lambda o: (-reach.worth[o], reach.most[o]))
        fits = (o for o in ranked if reach.most[o] <= room)
        opens = (o for o in ranked if o in below and reach.least[o] <= room)
        take = max([*islice(fits, 1), *islice(opens, 1)], key=reach.worth.__getitem__)
        _drop(below, chosen, at)
        chosen[at] = take
        if reach.most[take] <= room:
            left = room - reach.most[take]
            _take(reach.best, below, chosen, take)
        else:
            left = room - reach.least[take]
            _take(reach.cheapest, below, chosen, take)
            for child in below.get(take, []):
                heapq.heappush(queue, (rank(reach, child), child))
    numbers = np.array(chosen, dtype=np.int64)
    choice = np.where(numbers < 0, -1, numbers - table.start[:-1])
    return as_solution(problem, problem.better_choice(choice, start))


def _take(which: Sequence[int], below: Below, chosen: list[int], option: int) -> None:
    """Choose for every class below an option."""
    left = list(below.get(option, []))
    while left:
        at = left.pop()
        chosen[at] = which[at]
        left += below.get(chosen[at], [])


def _drop(below: Below, chosen: list[int], at: int) -> None:
    """Take back what is chosen for a class and for all below it."""
    left = [at]
    while left:
        at = left.pop()
        left += below.get(chosen[at], [])
        chosen[at] = -1
