"""Exact and fast without nesting: a relaxation, fixing by losses, and lists for the core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.base import Solution, Status, check_budget
from mckp.solvers.climb import NO_POINTS, Climb
from mckp.solvers.kernels import breaks
from mckp.solvers.kernels.lattice import admissible, lattice
from mckp.solvers.kernels.losses import Priced, deviations, losses
from mckp.solvers.limits import Limits
from mckp.solvers.scaling import scale
from mckp.solvers.search import Base, Core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from mckp.solvers.kernels.jit import Ints
    from mckp.solvers.scaling import Scaled
    from mckp.table import Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve a table without nesting exactly, by searching only what the relaxation leaves open.

    The linear relaxation gives a price for cost, a selection that fits (the base) and a bound.
    A class can differ from the base in a better selection only if that loses less than what
    separates the best known from the bound, and so can each of its options. What is left,
    the core, is searched with lists of undominated states, nearest to the price first,
    until the bound is reached or no state can reach more. If the costs and values of what
    can change have a common structure (as when every value is a cost and a constant),
    the lattice that they span lowers the bound. Then the same is done for the cost.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds, looked at every few million operations; the choice then depends on the machine.
    work_limit
        States made in lists; None: 2e9, some ten seconds.
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Equal values go to the lower cost; of
        equal optima it is the one with the earliest options if they can be told apart in
        50,000 operations (``statistics["earliest"]``), and the first found otherwise. Without a
        time limit the choice depends on nothing but the input.

    Raises
    ------
    ValueError
        If the table is nested; `mckp.solvers.tree` solves those.

    Notes
    -----
    Expected time O(options): one pass for the prices of the break, parts of passes after it,
    and lists of tens to thousands of states. At worst O(options x range of costs). Memory
    O(classes + states).

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal
    of Operational Research 83 (1995), and the sources named in `kernels.breaks`. The sampled
    prices, the whole-numbered multipliers and the bound by lattices are this library's own.

    Examples
    --------
    >>> from mckp.table import Table
    >>> solution = solve(Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]]), budget=80)
    >>> solution.choice.tolist(), solution.value, str(solution.status)
    ([1, 0], 9, 'optimal')
    """
    if not table.is_flat:
        raise ValueError("core solves tables without nesting; take 'tree' or 'auto' for this one")
    limits = Limits(time_limit, work_limit)
    instance = _Instance.of(table, check_budget(budget), limits)
    if instance.floor is None or instance.floor > budget:
        return instance.infeasible()
    return instance.solve(start)


@dataclass(frozen=True, slots=True)
class _Instance:
    """A table and a budget, with the least cost of each class and what may be spent beyond."""

    table: Table
    limits: Limits
    scaled: Scaled
    least: Ints
    floor: int | None
    slack: int

    @classmethod
    def of(cls, table: Table, budget: int, limits: Limits) -> _Instance:
        least, floor, unit, empty = breaks.survey(table.start, table.cost)
        slack = min(max(budget - floor, 0), 2**60)
        slack = slack - slack % unit if unit else 0
        scaled = scale(table, budget)
        return cls(table, limits, scaled, least, floor if empty < 0 else None, slack)

    def solve(self, start: Solution | None) -> Solution:
        table, values = self.table, self.scaled.units
        shift = shift_of(self.table.largest_value * self.scaled.per_one)
        fits, price, spent, pick, margin, tail, gain = breaks.break_price(
            table.start, table.cost, values, self.least, self.slack, shift
        )
        worth = int(values[pick].sum())
        if fits:
            return self.solution(pick, Status.OPTIMAL, worth, 0.0, {})
        base = Base(price, shift, self.slack - spent, spent)
        reach = min(self.slack, breaks.ROOM // max(price, 1))
        priced = Priced(table.start, table.cost, values, self.least, pick, reach, shift, price)
        ground = _Flat(priced, margin, base)
        climb = Climb(ground, self.limits)
        climb.value, climb.changes = ground.settle(*_first(ground, tail, int(gain), start))
        climb.solve()
        status = Status.OPTIMAL if climb.proved else Status.FEASIBLE
        per_unit = price / 2.0**shift / self.scaled.per_one
        pick = ground.selection(climb.changes)
        return self.solution(pick, status, worth + climb.bound, per_unit, climb.statistics)

    def solution(
        self, pick: Ints, status: Status, bound: int, price: float, statistics: Mapping[str, int]
    ) -> Solution:
        value, cost = self.scaled.value(pick), int(self.table.cost[pick].sum())
        most = max(value, self.scaled.bound(bound, self.table.classes))
        choice = pick - self.table.start[:-1]
        seconds = self.limits.seconds
        return Solution(choice, value, cost, status, most, self.floor, seconds, price, statistics)

    def infeasible(self) -> Solution:
        nothing = np.full(self.table.classes, -1, dtype=np.int64)
        return Solution(nothing, 0, 0, Status.INFEASIBLE, 0, self.floor, self.limits.seconds)


def shift_of(largest: float) -> int:
    """Return how many binary places a price can have, so that no bound passes 64 bits."""
    return max(0, min(40, 60 - (2 * int(largest) + 1).bit_length()))


def _first(
    ground: _Flat, tail: Ints, gain: int, start: Solution | None
) -> tuple[int, list[int]]:
    """Return the better of two selections to begin with: the greedy one, and the one given."""
    pick = ground.priced.pick
    if start is not None and start.choice.shape == pick.shape and (start.choice >= 0).all():
        given = ground.priced.start[:-1] + start.choice
        if (given < ground.priced.start[1:]).all():
            changes = given[given != pick].tolist()
            value = int(ground.priced.value[given].sum() - ground.priced.value[pick].sum())
            if value > gain and ground.cost(changes) <= ground.base.free:
                return value, changes
    return gain, tail[tail != pick].tolist() if gain else []


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The classes whose margin is within a bounty, as a core."""

    priced: Priced
    classes: Ints
    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    gain: int
    change: int

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        return deviations(self.classes[places], self.priced, bounty)

    def options(self, found: list[int]) -> list[int]:
        return found


@dataclass(slots=True)
class _Flat:
    """The ground of a table without nesting."""

    priced: Priced
    margin: Ints
    base: Base

    def settle(self, value: int, changes: list[int]) -> tuple[int, list[int]]:
        """Find out what the base lacks, and the best change of a single class."""
        core = self.core(self.base.bounty(value + 1, self.base.free))
        if core.lack.any():
            self.base = replace(self.base, lack=int(core.lack.sum()))
        if core.gain > value:
            return int(core.gain), [int(core.change)]
        return value, changes

    def reaches(self, bounty: int) -> Iterator[int]:
        yield bounty

    def core(self, bounty: int) -> _Candidates:
        classes = np.flatnonzero(self.margin <= max(bounty, 0))
        found = losses(classes, self.priced, self.base.free, bounty)
        return _Candidates(self.priced, classes, *found)

    def points(self, core: Core, need: int, high: int, free: int) -> tuple[int, int, int]:
        base = self.base
        classes = core.classes if isinstance(core, _Candidates) else np.empty(0, dtype=np.int64)
        basis = lattice(classes, self.priced, base.bounty(need, free))
        if basis[0] * basis[2] == 1 or not base.price:
            return high, *NO_POINTS
        return admissible(basis, base.lack, base.price, base.shift, need, high, free)

    def cost(self, changes: list[int]) -> int:
        cost, pick = self.priced.cost, self.priced.pick
        return int((cost[changes] - cost[pick[self._owners(changes)]]).sum()) if changes else 0

    def selection(self, changes: list[int]) -> Ints:
        pick = self.priced.pick.copy()
        if changes:
            pick[self._owners(changes)] = changes
        return pick

    def _owners(self, options: list[int]) -> Ints:
        return np.searchsorted(self.priced.start, options, "right") - 1
