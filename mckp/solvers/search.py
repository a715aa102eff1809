"""The search for something better than a base, among the classes that can differ from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from mckp.solvers.kernels import lists
from mckp.solvers.kernels.lattice import UNLIMITED
from mckp.solvers.kernels.losses import alternating, gradients

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints
    from mckp.solvers.limits import Limits

CHUNK: Final = 256
"""Classes that are taken up first; four times as many follow each time."""
SLICE: Final = 4_000_000
"""Operations between two looks at the clock."""
PATIENCE: Final = 20_000
"""Operations after which a few classes of all kinds are tried by themselves, for the first time."""
SAMPLE: Final = 64
"""How many classes that are."""
NO_RETURN: Final = 2**62
"""Value lost for a unit of cost given back where nothing can be given back."""


@dataclass(frozen=True, slots=True)
class Base:
    """A selection within the budget that is best at one price, and what that proves.

    Parameters
    ----------
    price, shift
        Value that a unit of cost counts, times ``2 ** shift``.
    free
        Budget that the base leaves.
    given
        Cost that it could give back at most.
    lack
        Reduced value by which it is below the best at this price: 0 but for rounding.
    """

    price: int
    shift: int
    free: int
    given: int
    lack: int = 0

    def bounty(self, need: int, free: int) -> int:
        """Return the reduced value that may be lost by what is worth `need` and costs `free`."""
        return self.lack + self.price * free - (need << self.shift)

    def most(self, free: int) -> int:
        """Return a value above the base that nothing of this cost above the base exceeds."""
        return (self.lack + self.price * free) >> self.shift

    def least_cost(self, value: int) -> int:
        """Return a cost above the base that nothing of this value above the base undercuts."""
        if not self.price:
            return -self.given
        return max(-self.given, -((self.lack - (value << self.shift)) // self.price))

    def reduced(self, value: int, cost: int) -> int:
        """Return the reduced value of a selection, above that of the base."""
        return (value << self.shift) - self.price * cost


NO_POINTS: Final = (UNLIMITED // 2, UNLIMITED)
"""Nothing is known of the cost and the reduced value of what is looked for."""


class Core(Protocol):
    """Classes that can differ from the base: what each loses by it, and in which ways.

    Arrays are those of `mckp.solvers.kernels.losses.losses`.
    """

    @property
    def alone(self) -> Ints:
        """The least loss of each class."""
        ...

    @property
    def lack(self) -> Ints:
        """What the base lacks in each."""
        ...

    @property
    def near(self) -> NDArray[np.float64]:
        """How near its gradients come to the price."""
        ...

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        """Return the deviations of some of the classes within a bounty."""
        ...

    def options(self, found: list[int]) -> list[int]:
        """Return the options that the rows found stand for."""
        ...

    def by_index(self) -> Core:
        """Return the same with the rows of each class in the order of their options."""
        ...

    def points(self, base: Base, need: int, high: int, free: int) -> tuple[int, int, int]:
        """Narrow down value and cost of what is looked for, as `lattice.admissible` does."""
        ...


@dataclass(slots=True)
class Aim:
    """What is looked for: `need` value or more at `free` cost or less, above the base.

    In the mode VALUE `need` rises with every find, in the mode COST `free` falls, and beyond
    `stop` nothing can be found. In the mode EARLIEST they are value and cost of the optimum.
    No selection looked for costs less than `lowest` or has less reduced value than `reduced`.
    """

    mode: int
    need: int
    free: int
    stop: int = 0
    lowest: int = NO_POINTS[0]
    reduced: int = NO_POINTS[1]

    def narrow(self, core: Core, base: Base) -> None:
        """Take into account which values and costs the classes can make up."""
        high = self.stop if self.mode == lists.VALUE else self.need
        most, self.lowest, self.reduced = core.points(base, self.need, high, self.free)
        if self.mode == lists.VALUE:
            self.stop = min(self.stop, most)
        else:
            self.stop = max(self.stop, self.lowest) if most >= self.need else self.free + 1

    @property
    def reached(self) -> bool:
        """Whether nothing better than what was found is possible."""
        if self.mode == lists.VALUE:
            return self.need > self.stop
        return self.mode == lists.COST and self.free < self.stop


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a search ended.

    Parameters
    ----------
    changes
        The rows, one a class, by which the best found leaves the base; None: nothing was found.
    proved
        Whether nothing better is there.
    most
        Value above the base that nothing exceeds.
    """

    changes: list[int] | None
    proved: bool
    most: int


class Run:
    """A list of states on its way through the classes of a core."""

    def __init__(self, core: Core, base: Base, aim: Aim) -> None:
        self.core, self.base, self.aim = core, base, aim
        self.known = np.zeros(lists.PLACES, dtype=np.int64)
        self.known[lists.MODE] = aim.mode
        self.known[lists.FOUND], self.known[lists.SIZE] = -1, 1
        self.states = np.array([[0], [0], [-1]], dtype=np.int64)
        self.nodes = np.empty((2, 64), dtype=np.int32)

    def bounty(self) -> int:
        """Return what may be lost by what is looked for."""
        plain = self.base.bounty(self.aim.need, self.aim.free)
        return min(plain, self.base.lack - self.aim.reduced)

    def take(self, order: Ints, rest: Ints) -> None:
        """Get ready to extend the list by some classes; others are still to come."""
        self.rows, self.begin = self.core.rows(order, self.bounty())
        self.order = np.arange(order.size)
        lack, up, down = int(self.core.lack[rest].sum()), 0, NO_RETURN
        if rest.size:
            near = float(np.abs(self.core.near[rest]).min())
            away = int(min(near, 2.0**60) * (1 - 2.0**-40))
            up, down = max(0, self.base.price - away + 1), -1 if lack else self.base.price + away
        self.bounds = gradients(self.rows, self.begin, self.order, self.base.shift, up, down, lack)
        self.known[lists.NEXT] = 0

    def go(self, work: int) -> int:
        """Extend until done, or until about so many operations; return how many it took."""
        before = self.work
        self.known[lists.QUOTA] = before + work
        self.known[lists.NEED], self.known[lists.LEFT] = self.aim.need, self.aim.free
        self.known[lists.LOWEST], self.known[lists.REDUCED] = self.aim.lowest, self.aim.reduced
        self.known[lists.STOP] = self.aim.stop
        self.states, self.nodes = lists.extend(
            self.known, self.states, self.nodes, self.rows, self.begin, self.order, self.bounds,
            self.base.lack, self.base.price, self.base.shift, self.base.given,
        )  # fmt: skip
        self.aim.need, self.aim.free = int(self.known[lists.NEED]), int(self.known[lists.LEFT])
        return self.work - before

    @property
    def work(self) -> int:
        """Operations so far."""
        return int(self.known[lists.WORK])

    @property
    def done(self) -> bool:
        """Whether all that was taken up is worked off, or need not be."""
        return self.proved or int(self.known[lists.NEXT]) == self.order.size

    @property
    def proved(self) -> bool:
        """Whether nothing better can come."""
        return self.aim.reached or not self.known[lists.SIZE]

    @property
    def stuck(self) -> bool:
        """Whether the list has become too long to go on."""
        return not self.done and self.known[lists.WORK] <= self.known[lists.QUOTA]

    @property
    def held(self) -> Ints:
        """The states as they are."""
        return self.states[:, : self.known[lists.SIZE]]

    def found(self, before: list[int] | None = None) -> list[int] | None:
        """Return the last selection found, by where it leaves the base; else the one before."""
        node = int(self.known[lists.FOUND])
        self.known[lists.FOUND] = -1
        return before if node < 0 else self.trace(node)

    def trace(self, node: int) -> list[int]:
        """Return the options on the way to a node."""
        options: list[int] = []
        while node >= 0:
            options.append(int(self.nodes[1, node]))
            node = int(self.nodes[0, node])
        return options

    def most(self) -> int:
        """Return a value above the base that nothing exceeds, found or still to be found."""
        states, base = self.held, self.base
        reduced = (states[1] << base.shift) - base.price * states[0]
        best = int(reduced.max()) + base.lack + base.price * self.aim.free
        return max(self.aim.need - 1, min(self.aim.stop, best >> base.shift))


def search(core: Core, base: Base, aim: Aim, limits: Limits) -> Outcome:
    """Look for what `aim` says in a core that grows; `aim` moves with what is found.

    The classes nearest to leaving the base come first, and their states are bounded by the
    gradients of all that follow. When the list is empty, or all classes have been taken up,
    nothing better exists. If that takes long, a few classes of all kinds are tried by
    themselves: near the break all costs may be much alike, and fill no gap.

    Time O(states x options) for each class, which is pseudopolynomial at worst; memory
    O(states).

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal
    of Operational Research 83 (1995), sections 4 and 5: the core that expands, the order by
    gradients, the lists; here with exact whole prices and bounds for what is not taken up yet.
    """
    aim.narrow(core, base)
    run, rest, size = Run(core, base, aim), np.arange(core.alone.size), CHUNK
    changes: list[int] | None = None
    patience = PATIENCE
    while not run.proved:
        rest = rest[core.alone[rest] <= run.bounty()]
        if not rest.size:
            break
        chunk, rest = nearest(rest, core, size)
        run.take(chunk[alternating(core.near[chunk])], rest)
        while not run.done:
            limits.spend(run.go(min(patience, SLICE)))
            changes = run.found(changes)
            if run.proved:
                break
            if limits.exhausted:
                return Outcome(changes, False, run.most())
            if run.work >= patience or run.stuck:
                changes = sample(core, base, aim, limits, patience, changes)
                aim.narrow(core, base)
                patience *= 16
            if run.stuck and not run.proved:
                return Outcome(changes, False, run.most())
        size *= 4
    return Outcome(changes, True, aim.need - 1)


def sample(
    core: Core, base: Base, aim: Aim, limits: Limits, work: int, changes: list[int] | None
) -> list[int] | None:
    """Look among two sets of classes, as different from each other as possible.

    Each set has its list of states, and all pairs of states are looked at in one pass over
    both lists: E. Horowitz and S. Sahni, "Computing partitions with applications to the
    knapsack problem", Journal of the ACM 21 (1974).
    """
    first, second = Run(core, base, aim), Run(core, base, aim)
    places = np.flatnonzero(core.alone <= first.bounty())
    places = places[np.argsort(np.abs(core.near[places]), kind="stable")]
    few = places[:: max(1, places.size // SAMPLE)][:SAMPLE]
    for run, part in ((first, few[::2]), (second, few[1::2])):
        run.take(part[alternating(core.near[part])], np.setdiff1d(places, part, assume_unique=True))
        limits.spend(run.go(work))
        changes = run.found(changes)
        if run.proved:
            return changes
    limits.spend(first.held.shape[1] + second.held.shape[1])
    one, other, aim.need, aim.free = lists.best_pair(
        first.held, second.held, aim.mode, aim.need, aim.free
    )
    if one >= 0:
        ways = (first, one), (second, other)
        changes = [row for run, at in ways for row in run.trace(int(run.held[2, at]))]
    return changes


def earliest(core: Core, base: Base, aim: Aim, work: int) -> list[int] | None:
    """Return the one with the earliest options of all that are worth and cost what `aim` says.

    Classes are taken up from the last to the first and equal states go to the earlier option,
    so of equal selections the one survives that is earlier in its first class that differs.
    None: it would take more than `work` operations.
    """
    run = Run(core, base, aim)
    places = np.flatnonzero(core.alone <= run.bounty())[::-1]
    run.take(places, places[:0])
    run.go(work)
    if not run.done:
        return None
    cost, value, node = run.held
    at = np.flatnonzero((value == aim.need) & (cost == aim.free))
    return run.trace(int(node[at[0]]))


def nearest(places: Ints, core: Core, size: int) -> tuple[Ints, Ints]:
    """Split off the classes nearest to the price; of equally near ones, some of everywhere."""
    if places.size <= size:
        return places, places[:0]
    away = np.abs(core.near[places])
    limit = np.partition(away, size)[size]
    chosen = away < limit
    equal = np.flatnonzero(away == limit)
    missing = size - int(chosen.sum())
    chosen[equal[:: max(1, equal.size // max(missing, 1))][:missing]] = True
    return places[chosen], places[~chosen]
