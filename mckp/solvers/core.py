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
    admissible,
    alternating,
    deviations,
    gradients,
    lattice,
    losses,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints

SAMPLE: Final = 64
"""How many classes of all kinds are tried separately."""


class Base(NamedTuple):
    """The best selection within the budget at one price, and what it proves.

    A unit of cost is worth `price` units of value, divided by ``2 ** shift``. `free` is the budget
    left by the base, `given` the greatest cost that it could give back, and `lack` the reduced
    value that rounding makes it fall short of the best at this price.
    """

    price: int
    shift: int
    free: int
    given: int
    lack: int = 0

    def bounty(self, need: int, free: int) -> int:
        """Return the reduced value that a selection may lose, to gain `need` for `free` cost."""
        return self.lack + self.price * free - (need << self.shift)

    def most(self, costs: Ints | int, values: Ints | int, free: int) -> int:
        """Return an upper bound of the value above the base that given states can lead to.

        `costs` and `values` are those of the states above the base; `free` is the cost above the
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
    `mckp.solvers.kernels.losses.losses`; `basis` is the lattice of the deviations, computed on
    demand.
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
        """Return a few classes, spread from the nearest to the farthest from the price."""
        near = np.argsort(np.abs(self.near), kind="stable")
        few = near[:: max(1, near.size // SAMPLE)][:SAMPLE]
        parts = self.classes[few], self.alone[few], self.lack[few], self.near[few]
        return Core(self.priced, self.bounty, *parts, 0, -1, self.basis)


class Ground:
    """A base, and the best selection that is known among those that differ from it.

    `margin` is the least loss of each class that leaves the base, or 0 if unknown. `best` has the
    options of a selection within the budget, and `value` its value above the base.
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
            self._take([core.change], core.gain)

    def raise_value(self, limits: Limits) -> tuple[int, bool]:
        """Look for a greater value; return an upper bound, and whether the value reaches it."""
        base = self.base
        most = max(self.value, base.most(0, 0, base.free))
        if self.value < most and base.bounty(self.value + 1, base.free) >= 0:
            outcome = self._search(lists.VALUE, self.value + 1, base.free, most, limits)
            if outcome.changes is not None:
                self._take(outcome.changes, outcome.need - 1)
            if not outcome.proved:
                return min(most, outcome.most), False
        return self.value, True

    def lower_cost(self, limits: Limits) -> bool:
        """Look for the same value at lower cost; return whether the cost is proved to be least."""
        cost = self.cost(self.best)
        stop = self.base.least_cost(self.value)
        if cost <= stop or self.base.bounty(self.value, cost - 1) < 0:
            return True
        outcome = self._search(lists.COST, self.value, cost - 1, stop, limits)
        if outcome.changes is not None:
            self._take(outcome.changes, self.value)
        return outcome.proved

    def cost(self, options: Ints) -> int:
        """Return by how much a selection costs more than the base."""
        return int((self._priced.cost[options] - self._priced.cost[self._priced.pick]).sum())

    def _search(self, mode: int, need: int, free: int, stop: int, limits: Limits) -> Outcome:
        """Search, after the core was enlarged to all classes that may lose the bounty.

        The arguments are those of `search`.
        """
        bounty = self.base.bounty(need, free)
        if bounty > self._core.bounty:
            self._core = Core.of(self._priced, self._margin, self.base.free, bounty)
        return search(self._core, self.base, mode, need, free, stop, limits)

    def _take(self, changes: list[int], value: int) -> None:
        """Make the base with some changed options the best selection."""
        self.best, self.value = self._priced.pick.copy(), int(value)
        self.best[np.searchsorted(self._priced.start, changes, "right") - 1] = changes


CHUNK: Final = 4 * SAMPLE
"""Classes that are taken up first: four times a sample; four times as many follow each time."""
SLICE: Final = 4_000_000
"""Operations between two looks at the clock."""
PATIENCE: Final = 20_000
"""Operations after which a few classes of all kinds are tried by themselves, for the first time."""
NO_RETURN: Final = -2 * NEVER
"""Value lost for a unit of cost given back where nothing can be given back."""


class Outcome(NamedTuple):
    """The result of a search.

    `changes` are the options by which the best selection found differs from the base, or None if
    nothing was found. `need` and `free` are the value and the cost, above the base, of anything
    better still; no selection exceeds the value `most`.
    """

    changes: list[int] | None
    need: int
    free: int
    proved: bool
    most: int


def search(
    core: Core, base: Base, mode: int, need: int, free: int, stop: int, limits: Limits
) -> Outcome:
    """Look for at least `need` value at no more than `free` cost above the base, in a growing core.

    In the mode VALUE, each find raises `need`; in the mode COST, each find lowers `free`. Nothing
    can be found beyond `stop`. The classes nearest to leaving the base come first, and their states
    are bounded by the gradients of all that follow. Once the list is empty or all classes have been
    added, nothing better exists. If that takes long, a few classes of every kind are tried by
    themselves, because near the break all costs may be so similar that they fill no gap.

    Takes O(states x options) time for each class, which is pseudopolynomial in the worst case, and
    O(states) memory.

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal of
    Operational Research 83 (1995), sections 4 and 5: the expanding core, the order by gradients,
    and the lists; here with exact integer prices, and bounds for the classes that are not added
    yet.
    """
    known = np.zeros(lists.PLACES, dtype=np.int64)
    known[lists.MODE], known[lists.NEED], known[lists.LEFT] = mode, need, free
    known[lists.FOUND], known[lists.SIZE] = -1, 1
    high = stop if mode == lists.VALUE else need
    most, lowest, reduced = high, UNLIMITED // 2, UNLIMITED
    if core.basis is None:
        core.basis = lattice(core.classes, core.priced, core.bounty)
    if core.basis != NO_LATTICE and base.price:
        window = base.lack, base.price, base.shift, need, high, free
        most, lowest, reduced = admissible(core.basis, *window)
    known[lists.LOWEST], known[lists.REDUCED] = lowest, reduced
    if mode == lists.VALUE:
        known[lists.STOP] = min(stop, most)
    else:
        known[lists.STOP] = max(stop, lowest) if most >= need else free + 1
    states, nodes = np.array([[0], [0], [-1]], dtype=np.int64), np.empty((2, 64), dtype=np.int32)
    rest, size, patience, proved = np.arange(core.alone.size), CHUNK, PATIENCE, True
    changes: list[int] | None = None
    while rest.size and proved and not done(known):
        bounty = base.bounty(int(known[lists.NEED]), int(known[lists.LEFT]))
        bounty = min(bounty, base.lack - reduced)
        chunk, rest = nearest(rest[core.alone[rest] <= bounty], core, size)
        turns = chunk[alternating(core.near[chunk])]
        rows, begin = deviations(core.classes[turns], core.priced, bounty)
        bounds = gradients(rows, begin, base.shift, *beyond(core, base, rest))
        size, known[lists.NEXT] = 4 * size, 0
        while proved and known[lists.NEXT] < chunk.size and not done(known):
            before = int(known[lists.WORK])
            known[lists.QUOTA] = before + min(patience, SLICE)
            states, nodes = lists.extend(known, states, nodes, rows, begin, bounds, base)
            changes = traced(known, nodes, changes)
            limits.work += int(known[lists.WORK]) - before
            if known[lists.NEXT] < chunk.size and not done(known):
                # No step is made where the list has become too long.
                proved = not limits.is_exhausted and known[lists.WORK] > before
            if proved and known[lists.WORK] >= patience and core.classes.size > SAMPLE:
                part = Limits(work_limit=patience)
                need, free = int(known[lists.NEED]), int(known[lists.LEFT])
                outcome = search(
                    core.sample(), base, mode, need, free, int(known[lists.STOP]), part
                )
                limits.work += part.work
                known[lists.NEED], known[lists.LEFT] = outcome.need, outcome.free
                changes, patience = outcome.changes or changes, 16 * patience
    need, free = int(known[lists.NEED]), int(known[lists.LEFT])
    most = need - 1
    if not proved:
        held = states[:, : known[lists.SIZE]]
        most = max(most, min(int(known[lists.STOP]), base.most(held[0], held[1], free)))
    return Outcome(changes, need, free, proved, most)


def done(known: Ints) -> bool:
    """Whether nothing better can be found."""
    return bool(not known[lists.SIZE] or lists.reached(known))


def traced(known: Ints, nodes: lists.Small, before: list[int] | None) -> list[int] | None:
    """Return the options that the last find changed, or `before` if there was no find."""
    node = int(known[lists.FOUND])
    if node < 0:
        return before
    known[lists.FOUND], options = -1, list[int]()
    while node >= 0:
        options.append(int(nodes[1, node]))
        node = int(nodes[0, node])
    return options


def beyond(core: Core, base: Base, rest: Ints) -> tuple[int, int, int]:
    """Return bounds, as in `gradients`, on what the classes that are not added yet can gain."""
    lack, up, down = int(core.lack[rest].sum()), 0, NO_RETURN
    if rest.size:
        near = float(np.abs(core.near[rest]).min())
        away = int(min(near, 2.0**60) * (1 - 2.0**-40))
        up, down = max(0, base.price - away + 1), -1 if lack else base.price + away
    return up, down, lack


def nearest(places: Ints, core: Core, size: int) -> tuple[Ints, Ints]:
    """Split off the classes nearest to the price; ties are spread evenly over all classes."""
    if places.size <= size:
        return places, places[:0]
    away = np.abs(core.near[places])
    limit = np.partition(away, size)[size]
    chosen = away < limit
    equal = np.flatnonzero(away == limit)
    missing = size - int(chosen.sum())
    chosen[equal[:: max(1, equal.size // max(missing, 1))][:missing]] = True
    return places[chosen], places[~chosen]
