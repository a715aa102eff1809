"""Exact and fast without nesting: a relaxation, fixing by losses, and lists for the core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers import bands, tree
from mckp.solvers.base import Solution, Status, check_budget
from mckp.solvers.climb import MOST_WORK, Climb
from mckp.solvers.kernels import breaks
from mckp.solvers.kernels.lattice import NO_LATTICE, admissible, lattice, spanned
from mckp.solvers.kernels.losses import Priced, deviations, losses
from mckp.solvers.limits import Limits
from mckp.solvers.report import Report
from mckp.solvers.scaling import scale, shift_of
from mckp.solvers.search import NO_POINTS, Base, Core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.table import Table

FEW: Final = 8
"""Classes that are enough to see that costs and values have no common structure, as a rule."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve a table without nesting exactly, by searching only what the relaxation leaves open.

    Nested tables are left to `mckp.solvers.tree`, which does the same with paths.

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
        States made in lists, and cells filled by `bands`, to which goes what is not proved after
        3e8 states (up to some ten seconds).
    start
        A solution of this or a similar table. If it fits, nothing worse is looked at.

    Returns
    -------
    Solution
        Optimal, infeasible, or feasible at a limit. Equal values go to the lower cost; of
        equal optima it is the one with the earliest options if they can be told apart in
        10,000 operations (``statistics["earliest"]``), and the first found otherwise. Without a
        time limit the choice depends on nothing but the input.

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
        return tree.solve(table, budget, time_limit=time_limit, work_limit=work_limit, start=start)
    limits = Limits(time_limit, work_limit, MOST_WORK)
    budget = check_budget(budget)
    least, floor, unit, empty = breaks.survey(table.start, table.cost)
    scaled = scale(table)
    report = Report(table, scaled, int(floor) if empty < 0 else None, limits)
    if report.floor is None or report.floor > budget:
        return report.infeasible()
    slack = min(budget - report.floor, 2**60)
    slack = slack - slack % int(unit) if unit else 0
    shift = shift_of(table.largest_value * scaled.per_one)
    found = breaks.break_price(table.start, table.cost, scaled.units, least, slack, shift)
    fits, price, spent, pick, margin, tail, gain = found
    worth = int(scaled.units[pick].sum())
    if fits:
        choice = pick - table.start[:-1]
        return report.taken(pick, choice, Status.OPTIMAL, worth, 0.0)
    reach = min(slack, breaks.ROOM // max(price, 1))
    priced = Priced(table.start, table.cost, scaled.units, least, pick, reach, shift, price)
    ground = _Flat(priced, margin, Base(price, shift, slack - spent, spent))
    changes: list[int] = tail[tail != pick].tolist() if gain else []
    climb = Climb(ground, limits, *ground.settle(int(gain), changes))
    climb.offer(*_given(report, pick, start))
    climb.solve()
    pick = ground.selection(climb.changes)
    status = Status.OPTIMAL if climb.proved else Status.FEASIBLE
    per_cost = price / 2.0**shift / scaled.per_one
    choice, bound = pick - table.start[:-1], worth + climb.bound
    solution = report.taken(pick, choice, status, bound, per_cost, climb.statistics)
    return bands.go_on(table, budget, solution, limits)


def _given(report: Report, pick: Ints, start: Solution | None) -> tuple[int, list[int]]:
    """Return a start's value above the base, and its changes; nothing if it does not fit."""
    table, units = report.table, report.scaled.units
    if start is None or not report.is_choice(start.choice) or (start.choice < 0).any():
        return 0, []
    given = table.start[:-1] + start.choice
    return int(units[given].sum() - units[pick].sum()), given[given != pick].tolist()


@dataclass(slots=True)
class _Candidates:
    """The classes whose margin is within a bounty, as a core."""

    priced: Priced
    bounty: int
    classes: Ints
    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    gain: int
    change: int
    basis: tuple[int, int, int] | None = None

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        return deviations(self.classes[places], self.priced, bounty)

    def options(self, found: list[int]) -> list[int]:
        return found

    def by_index(self) -> Core:
        return self

    def points(self, base: Base, need: int, high: int, free: int) -> tuple[int, int, int]:
        if self.basis is None:
            few, _ = self.rows(np.arange(min(FEW, self.classes.size)), self.bounty)
            self.basis = lattice(self.classes, self.priced, self.bounty, spanned(few))
        if self.basis == NO_LATTICE or not base.price:
            return high, *NO_POINTS
        return admissible(self.basis, base.lack, base.price, base.shift, need, high, free)


@dataclass(slots=True)
class _Flat:
    """The ground of a table without nesting."""

    priced: Priced
    margin: Ints
    base: Base
    last: _Candidates | None = None

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
        """Return the classes within a bounty, or within a greater one that was asked for before."""
        if self.last is None or bounty > self.last.bounty:
            classes = np.flatnonzero(self.margin <= max(bounty, 0))
            found = losses(classes, self.priced, self.base.free, bounty)
            self.last = _Candidates(self.priced, bounty, classes, *found)
        return self.last

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
