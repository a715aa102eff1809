"""The search that follows the relaxation of a table without nesting.

The *base* is the relaxation's selection within the budget. The *core* is the set of classes in
which a better selection may differ from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.base import NEVER, Limits
from mckp.solvers.kernels import lists
from mckp.solvers.kernels.losses import (
    NO_LATTICE,
    UNLIMITED,
    PricedTable,
    admissible_bounds,
    alternate_directions,
    deviation_lattice,
    deviations,
    gradients,
    losses,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints

SAMPLE: Final = 64
"""Classes in a sample of the core that is searched by itself."""


class Base(NamedTuple):
    """The best selection within the budget at one price, and what it proves.

    Attributes
    ----------
    price, shift : int
        A unit of cost is worth ``price / 2 ** shift`` units of value.
    free : int
        The budget that the base leaves.
    given : int
        The greatest cost that the base could give back.
    lack : int, default 0
        The reduced value by which the base falls short of the best at this price, due to rounding.
    """

    price: int
    shift: int
    free: int
    given: int
    lack: int = 0

    def bounty(self, need: int, free: int) -> int:
        """Return the reduced value that a selection may lose if it gains `need` for `free` cost."""
        return self.lack + self.price * free - (need << self.shift)

    def upper_bound(self, costs: Ints | int, values: Ints | int, free: int) -> int:
        """Return an upper bound on the value above the base to which some states can lead.

        `costs` and `values` are those of the states, above the base; `free` is the cost above the
        base that a selection may have in the end.
        """
        best = int(np.max((values << self.shift) - self.price * costs))
        return (best + self.lack + self.price * free) >> self.shift

    def least_cost(self, value: int) -> int:
        """Return a lower bound on the cost above the base of any selection of this value."""
        if not self.price:
            return -self.given
        return max(-self.given, -((self.lack - (value << self.shift)) // self.price))


@dataclass(slots=True)
class Core:
    """The classes that can differ from the base while losing no more than the bounty.

    `alone`, `lack`, `near`, `gain` and `change` are results of
    `mckp.solvers.kernels.losses.losses`, the first three of them [classes]; `basis` is the lattice
    of the deviations, None until it is computed.
    """

    priced: PricedTable
    bounty: int
    classes: Ints
    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    gain: int
    change: int
    basis: tuple[int, int, int] | None = None

    @classmethod
    def of(cls, priced: PricedTable, margin: Ints, free: int, bounty: int) -> Core:
        """Return the core: the classes that can leave the base and lose no more than the bounty."""
        classes = np.flatnonzero(margin <= max(bounty, 0))
        return cls(priced, bounty, classes, *losses(classes, priced, free, bounty))

    def sample(self) -> Core:
        """Return a core of about `SAMPLE` classes, spread evenly by distance from the price."""
        order = np.argsort(np.abs(self.near), kind="stable")
        sample = order[:: max(1, order.size // SAMPLE)][:SAMPLE]
        parts = self.classes[sample], self.alone[sample], self.lack[sample], self.near[sample]
        return Core(self.priced, self.bounty, *parts, 0, -1, self.basis)


class Incumbent:
    """The best selection that is known, and the search for a better one around a base.

    Parameters
    ----------
    priced : PricedTable
        The table with the base.
    margin : array of int64 [classes]
        The least loss of each class that leaves the base, or 0 if unknown.
    base : Base
        What the base proves.
    best : array of int64 [classes]
        The options of a selection within the budget.
    value : int
        Its value above the base.
    """

    def __init__(
        self, priced: PricedTable, margin: Ints, base: Base, best: Ints, value: int
    ) -> None:
        self._priced, self._margin, self.base = priced, margin, base
        self.best, self.value = best, value
        self._core = core = Core.of(priced, margin, base.free, base.bounty(value + 1, base.free))
        if core.lack.any():
            self.base = base._replace(lack=int(core.lack.sum()))
        if core.gain > value:
            self._set_best([core.change], core.gain)

    def raise_value(self, limits: Limits) -> tuple[int, bool]:
        """Search for a selection with more value.

        Return an upper bound on the value, and whether the best selection reaches it.
        """
        base = self.base
        most = max(self.value, base.upper_bound(0, 0, base.free))
        if self.value < most and base.bounty(self.value + 1, base.free) >= 0:
            outcome = self._search(lists.VALUE, self.value + 1, base.free, most, limits)
            if outcome.changes is not None:
                self._set_best(outcome.changes, outcome.need - 1)
            if not outcome.proved:
                return min(most, outcome.most), False
        return self.value, True

    def lower_cost(self, limits: Limits) -> bool:
        """Search for the same value at a lower cost; return whether it is proved to be least."""
        cost = self.cost(self.best)
        stop = self.base.least_cost(self.value)
        if cost <= stop or self.base.bounty(self.value, cost - 1) < 0:
            return True
        outcome = self._search(lists.COST, self.value, cost - 1, stop, limits)
        if outcome.changes is not None:
            self._set_best(outcome.changes, self.value)
        return outcome.proved

    def cost(self, options: Ints) -> int:
        """Return how much more a selection costs than the base."""
        return int((self._priced.cost[options] - self._priced.cost[self._priced.pick]).sum())

    def _search(self, mode: int, need: int, free: int, stop: int, limits: Limits) -> Outcome:
        """Call `search` with a core that has all classes that can lose no more than the bounty."""
        bounty = self.base.bounty(need, free)
        if bounty > self._core.bounty:
            self._core = Core.of(self._priced, self._margin, self.base.free, bounty)
        return search(self._core, self.base, mode, need, free, stop, limits)

    def _set_best(self, changes: list[int], value: int) -> None:
        """Make the base with some options changed the best selection, which has this value."""
        self.best, self.value = self._priced.pick.copy(), int(value)
        self.best[np.searchsorted(self._priced.start, changes, "right") - 1] = changes


CHUNK: Final = 4 * SAMPLE
"""Classes that are added first; each further chunk has four times as many."""
SLICE: Final = 4_000_000
"""Most operations between two checks of the limits."""
PATIENCE: Final = 20_000
"""Operations after which a sample of the core is searched by itself for the first time."""
NO_RETURN: Final = -2 * NEVER
"""The value lost for a unit of cost given back if no cost can be given back."""


class Outcome(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    changes : list of int or None
        The options by which the best selection found differs from the base; None if nothing was
        found.
    need, free : int
        The least value and the greatest cost, above the base, of anything better still.
    proved : bool
        Whether it is proved that nothing better exists.
    most : int
        A value above the base that no selection exceeds.
    """

    changes: list[int] | None
    need: int
    free: int
    proved: bool
    most: int


def search(
    core: Core, base: Base, mode: int, need: int, free: int, stop: int, limits: Limits
) -> Outcome:
    """Search for a selection with at least `need` value at most `free` cost above the base.

    In the mode VALUE, each find raises `need`; in the mode COST, each find lowers `free`. `stop` is
    the greatest possible value in the first mode, and the least possible cost in the second, above
    the base. Classes are added to the list one by one, those nearest to leaving the base first, and
    states are bounded by the gradients of the classes that follow. Once the list is empty or all
    classes have been added, nothing better exists. If that takes long, a sample of the core is
    searched by itself, because near the break all costs may be so similar that they fill no gap.

    Takes O(states x options) time for each class, which is pseudopolynomial in the worst case, and
    O(states) memory.

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal of
    Operational Research 83 (1995), sections 4 and 5: the expanding core, the order by gradients,
    and the lists; here with exact integer prices, and bounds for the classes that are not added
    yet.
    """
    progress = np.zeros(lists.PLACES, dtype=np.int64)
    progress[lists.MODE], progress[lists.NEED], progress[lists.LEFT] = mode, need, free
    progress[lists.FOUND], progress[lists.SIZE] = -1, 1
    high = stop if mode == lists.VALUE else need
    most, lowest, reduced = high, UNLIMITED // 2, UNLIMITED
    if core.basis is None:
        core.basis = deviation_lattice(core.classes, core.priced, core.bounty)
    if core.basis != NO_LATTICE and base.price:
        window = base.lack, base.price, base.shift, need, high, free
        most, lowest, reduced = admissible_bounds(core.basis, *window)
    progress[lists.LOWEST], progress[lists.REDUCED] = lowest, reduced
    if mode == lists.VALUE:
        progress[lists.STOP] = min(stop, most)
    else:
        progress[lists.STOP] = max(stop, lowest) if most >= need else free + 1
    states, nodes = np.array([[0], [0], [-1]], dtype=np.int64), np.empty((2, 64), dtype=np.int32)
    rest, size, patience, proved = np.arange(core.alone.size), CHUNK, PATIENCE, True
    changes: list[int] | None = None
    while rest.size and proved and not is_finished(progress):
        bounty = base.bounty(int(progress[lists.NEED]), int(progress[lists.LEFT]))
        bounty = min(bounty, base.lack - reduced)
        chunk, rest = split_nearest(rest[core.alone[rest] <= bounty], core, size)
        turns = chunk[alternate_directions(core.near[chunk])]
        rows, begin = deviations(core.classes[turns], core.priced, bounty)
        bounds = gradients(rows, begin, base.shift, *remaining_bounds(core, base, rest))
        size, progress[lists.NEXT] = 4 * size, 0
        while proved and progress[lists.NEXT] < chunk.size and not is_finished(progress):
            before = int(progress[lists.WORK])
            progress[lists.QUOTA] = before + min(patience, SLICE)
            states, nodes = lists.extend(progress, states, nodes, rows, begin, bounds, base)
            changes = changed_options(progress, nodes, changes)
            limits.work += int(progress[lists.WORK]) - before
            if progress[lists.NEXT] < chunk.size and not is_finished(progress):
                # No step is made where the list has become too long.
                proved = not limits.is_exhausted and progress[lists.WORK] > before
            if proved and progress[lists.WORK] >= patience and core.classes.size > SAMPLE:
                part = Limits(work_limit=patience)
                need, free = int(progress[lists.NEED]), int(progress[lists.LEFT])
                outcome = search(
                    core.sample(), base, mode, need, free, int(progress[lists.STOP]), part
                )
                limits.work += part.work
                progress[lists.NEED], progress[lists.LEFT] = outcome.need, outcome.free
                changes, patience = outcome.changes or changes, 16 * patience
    need, free = int(progress[lists.NEED]), int(progress[lists.LEFT])
    most = need - 1
    if not proved:
        held = states[:, : progress[lists.SIZE]]
        most = max(most, min(int(progress[lists.STOP]), base.upper_bound(held[0], held[1], free)))
    return Outcome(changes, need, free, proved, most)


def is_finished(progress: Ints) -> bool:
    """Whether nothing better can be found: the list is empty, or the bound is reached."""
    return bool(not progress[lists.SIZE] or lists.is_finished(progress))


def changed_options(
    progress: Ints, nodes: lists.Small, previous: list[int] | None
) -> list[int] | None:
    """Return the options by which a new find differs from the base; `previous` without a new find.

    The find is removed from `progress`, so the next call does not return it again.
    """
    node = int(progress[lists.FOUND])
    if node < 0:
        return previous
    progress[lists.FOUND], options = -1, list[int]()
    while node >= 0:
        options.append(int(nodes[1, node]))
        node = int(nodes[0, node])
    return options


def remaining_bounds(core: Core, base: Base, remaining: Ints) -> tuple[int, int, int]:
    """Return a row of bounds, as in `gradients`, for the classes that are not added yet."""
    lack, most_gained, least_lost = int(core.lack[remaining].sum()), 0, NO_RETURN
    if remaining.size:
        nearest = float(np.abs(core.near[remaining]).min())
        distance = int(min(nearest, 2.0**60) * (1 - 2.0**-40))
        most_gained, least_lost = (
            max(0, base.price - distance + 1),
            -1 if lack else base.price + distance,
        )
    return most_gained, least_lost, lack


def split_nearest(places: Ints, core: Core, count: int) -> tuple[Ints, Ints]:
    """Return the `count` places nearest to the price, and all others.

    `places` are indexes in the classes of the core. Of classes at the same distance, some are taken
    that are spread evenly over all of them.
    """
    if places.size <= count:
        return places, places[:0]
    distances = np.abs(core.near[places])
    farthest = np.partition(distances, count)[count]
    is_chosen = distances < farthest
    ties = np.flatnonzero(distances == farthest)
    missing = count - int(is_chosen.sum())
    is_chosen[ties[:: max(1, ties.size // max(missing, 1))][:missing]] = True
    return places[is_chosen], places[~is_chosen]
