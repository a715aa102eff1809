"""From a base to the proved optimum: more value, then less cost, then the earliest options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from mckp.solvers.kernels import lists
from mckp.solvers.search import Aim, earliest, search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.solvers.limits import Limits
    from mckp.solvers.search import Base, Core, Outcome

MOST_WORK: Final = 3 * 10**8
"""States made at most, unless the caller sets another limit: up to some ten seconds."""
TIES: Final = 10_000
"""Operations that telling equal optima apart may take."""
TIES_EACH: Final = 20
"""Operations for each class below which that is not even tried."""


class Ground(Protocol):
    """What a climb stands on: a base, and the classes that may differ from it."""

    @property
    def base(self) -> Base:
        """The base and its price."""
        ...

    def reaches(self, bounty: int) -> Iterator[int]:
        """Yield the bounties to be tried on the way to this one, which is the last."""
        ...

    def core(self, bounty: int) -> Core | None:
        """Return the classes that may differ within a bounty; None if they are too many."""
        ...

    def cost(self, changes: list[int]) -> int:
        """Return the cost above the base of a selection."""
        ...


@dataclass(slots=True)
class Climb:
    """The best selection found so far, by where it leaves the base, and what is proved.

    Parameters
    ----------
    ground
        The base and what may differ from it.
    limits
        When to stop.
    value, changes
        The first selection: value above the base, and the options that it changes.
    ties
        Operations that telling equal optima apart may take.
    found
        Whether there is a selection of that value, or it is just below what was expected.
    """

    ground: Ground
    limits: Limits
    value: int = 0
    changes: list[int] = field(default_factory=list[int])
    ties: int = TIES
    bound: int = 0
    proved: bool = False
    found: bool = True
    statistics: dict[str, int] = field(default_factory=dict[str, int])

    def solve(self) -> None:
        """Climb as far as the limits allow."""
        self.raise_value()
        if self.proved and self.found:
            self.lower_cost()
        if self.proved and self.found:
            self.take_earliest()
        self.statistics["operations"] = self.limits.work

    def offer(self, value: int, changes: list[int]) -> None:
        """Take a selection if it fits the budget and has more value."""
        if value > self.value and self.ground.cost(changes) <= self.ground.base.free:
            self.value, self.changes = value, changes

    def expect(self, value: int) -> None:
        """Leave out all that is worth less above the base; `found` says if anything is not."""
        if value > self.value:
            self.value, self.found = value - 1, False

    def raise_value(self) -> None:
        """Look for more value, further and further from the base."""
        base = self.ground.base
        self.bound = max(self.value, base.most(base.free))
        for reach in self.ground.reaches(base.bounty(self.value + 1, base.free)):
            bounty = base.bounty(self.value + 1, base.free)
            if self.value >= self.bound or bounty < 0:
                break
            core = self.ground.core(min(reach, bounty))
            if core is None:
                return
            self.statistics["core"] = core.alone.size
            aim = Aim(lists.VALUE, self.value + 1, base.free, self.bound)
            outcome = self.use(core, search(core, base, aim, self.limits))
            self.value = aim.need - 1
            if not outcome.proved:
                # What lies beyond the reach is not in the outcome's bound.
                self.bound = min(self.bound, outcome.most) if bounty <= reach else self.bound
                return
        self.bound, self.proved = self.value, True

    def lower_cost(self) -> None:
        """Look for the same value at less cost."""
        base, cost = self.ground.base, self.ground.cost(self.changes)
        stop = base.least_cost(self.value)
        for reach in self.ground.reaches(base.bounty(self.value, cost - 1)):
            bounty = base.bounty(self.value, cost - 1)
            if cost <= stop or bounty < 0:
                return
            core = self.ground.core(min(reach, bounty))
            if core is None:
                self.proved = False
                return
            aim = Aim(lists.COST, self.value, cost - 1, stop)
            outcome = self.use(core, search(core, base, aim, self.limits))
            cost, self.proved = aim.free + 1, outcome.proved
            if not self.proved or base.bounty(self.value, cost - 1) <= reach:
                return

    def take_earliest(self) -> None:
        """Among equals, take the one with the earliest options, if that is quick."""
        base, cost = self.ground.base, self.ground.cost(self.changes)
        bounty, found = base.bounty(self.value, cost), None
        core = self.ground.core(bounty)
        if core is not None and (core.alone <= bounty).sum() <= self.ties // TIES_EACH:
            reduced = base.reduced(self.value, cost)
            aim = Aim(lists.EARLIEST, self.value, cost, 0, cost, reduced)
            found = earliest(core.by_index(), base, aim, self.ties)
            if found is not None:
                self.changes = core.options(found)
        self.statistics["earliest"] = int(found is not None)

    def use(self, core: Core, outcome: Outcome) -> Outcome:
        """Keep what was found."""
        if outcome.changes is not None:
            self.changes, self.found = core.options(outcome.changes), True
        return outcome
