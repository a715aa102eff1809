"""What the relaxation of a table without nesting leaves open: a base, and what can differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.kernels.lattice import NO_LATTICE, UNLIMITED, admissible, lattice
from mckp.solvers.kernels.losses import Priced, deviations, losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.jit import Ints

SAMPLE: Final = 64
"""How many classes of all kinds are tried by themselves."""
_FEW: Final = 8
"""Classes that are enough to see that costs and values have no common structure, as a rule."""


class Base(NamedTuple):
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

    def most_of(self, costs: Ints, values: Ints, free: int) -> int:
        """Return a value that nothing exceeds that begins as one of some states."""
        best = int(((values << self.shift) - self.price * costs).max())
        return (best + self.lack + self.price * free) >> self.shift


@dataclass(slots=True)
class Core:
    """The classes that can differ from the base within a loss.

    Parameters
    ----------
    priced
        The table and its base.
    bounty
        The loss.
    classes, alone, lack, near, gain, change
        The classes, and what `mckp.solvers.kernels.losses.losses` says of them.
    basis
        The lattice of their deviations, once it was asked for.
    """

    priced: Priced
    bounty: int
    classes: Ints
    alone: Ints
    lack: Ints
    near: NDArray[np.float64]
    gain: int
    change: int
    basis: tuple[int, int, int] | None = None

    @classmethod
    def of(cls, priced: Priced, margin: Ints, free: int, bounty: int) -> Core:
        """Find the classes whose margin, the least loss of leaving the base, is within a loss."""
        classes = np.flatnonzero(margin <= max(bounty, 0))
        return cls(priced, bounty, classes, *losses(classes, priced, free, bounty))

    def rows(self, places: Ints, bounty: int) -> tuple[Ints, Ints]:
        """Return the deviations of some of the classes within a loss."""
        return deviations(self.classes[places], self.priced, bounty)

    def sample(self) -> Core:
        """Return a few of the classes, from the nearest to the price to the farthest."""
        near = np.argsort(np.abs(self.near), kind="stable")
        few = near[:: max(1, near.size // SAMPLE)][:SAMPLE]
        parts = self.classes[few], self.alone[few], self.lack[few], self.near[few]
        return Core(self.priced, self.bounty, *parts, 0, -1, self.basis)

    def points(self, base: Base, need: int, high: int, free: int) -> tuple[int, int, int]:
        """Narrow down value and cost of what is looked for, as `lattice.admissible` does."""
        if self.basis is None:
            few, _ = self.rows(np.arange(min(_FEW, self.classes.size)), self.bounty)
            self.basis = lattice(self.classes, self.priced, self.bounty, few)
        if self.basis == NO_LATTICE or not base.price:
            return high, UNLIMITED // 2, UNLIMITED
        return admissible(self.basis, base.lack, base.price, base.shift, need, high, free)


class Ground:
    """A base and all that can differ from it.

    Parameters
    ----------
    priced
        The table and its base.
    margin
        The least loss of each class that leaves the base, or 0 where it is not known.
    base
        What the base proves.
    best, value
        The options of a selection within the budget, and its value above the base.
    """

    def __init__(self, priced: Priced, margin: Ints, base: Base, best: Ints, value: int) -> None:
        self._priced, self._margin, self.base = priced, margin, base
        self.best, self.value = best, value
        core = self.core(base.bounty(value + 1, base.free))
        if core.lack.any():
            self.base = base._replace(lack=int(core.lack.sum()))
        if core.gain > value:
            self.take([core.change], core.gain)

    def core(self, bounty: int) -> Core:
        """Return the classes within a loss, or within a greater one that was asked for before."""
        last: Core | None = getattr(self, "_last", None)
        if last is None or bounty > last.bounty:
            self._last = last = Core.of(self._priced, self._margin, self.base.free, bounty)
        return last

    def take(self, changes: list[int], value: int) -> None:
        """Make the base with some options changed the best selection."""
        self.best, self.value = self._priced.pick.copy(), int(value)
        self.best[np.searchsorted(self._priced.start, changes, "right") - 1] = changes

    def cost(self, options: Ints) -> int:
        """Return the cost above the base of a selection."""
        return int((self._priced.cost[options] - self._priced.cost[self._priced.pick]).sum())
