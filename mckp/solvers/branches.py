"""Where there are too many paths to list, each way on from a fork is solved by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.climb import Climb
from mckp.solvers.graph import Cut
from mckp.solvers.kernels.segments import follow, through_fork
from mckp.solvers.nested import Nested

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.jit import Ints
    from mckp.solvers.limits import Limits

TIMES: Final = 1
"""How many times as many options as the table all branches together may have."""
EACH: Final = 4096
"""Options that are gone through in the time that any branch takes, however small it is."""
FREE: Final = 16
"""Branches that any table may have."""
TIES: Final = 1_000_000
"""Operations that telling equal optima of a branch apart may take."""


@dataclass(frozen=True, slots=True)
class Found:
    """A path, and whether it has the earliest options of all that are as good.

    Parameters
    ----------
    path
        For each class its option, -1 off the path.
    value, cost
        Its totals.
    earliest
        Whether no path of the same totals has earlier options.
    """

    path: Ints
    value: int
    cost: int
    earliest: bool

    def beats(self, other: Found | None) -> bool:
        """Whether this is worth more, or costs less, or differs first in an earlier option."""
        if other is None or (self.value, -self.cost) != (other.value, -other.cost):
            return other is None or (self.value, -self.cost) > (other.value, -other.cost)
        differ = np.flatnonzero(self.path != other.path)
        return bool(differ.size and self.path[differ[0]] < other.path[differ[0]])


@dataclass(slots=True)
class Outcome:
    """What is known of the paths worth some value or more.

    Parameters
    ----------
    best
        The best one found, None if there is none so far.
    bound
        Value that none exceeds.
    proved
        Whether nothing beats the best; it need not have the earliest options of its equals.
    """

    best: Found | None
    bound: int
    proved: bool = True

    def add(self, other: Outcome) -> None:
        """Take in what is known of further paths of the same graph."""
        mine, theirs = self.best, other.best
        if theirs is not None and theirs.beats(mine):
            self.best, mine, theirs = theirs, theirs, mine
        if mine is not None and theirs is not None and not theirs.earliest:
            alike = (mine.value, mine.cost) == (theirs.value, theirs.cost)
            self.best = Found(mine.path, mine.value, mine.cost, mine.earliest and not alike)
        self.bound = max(self.bound, other.bound)
        self.proved = self.proved and other.proved


@dataclass(frozen=True, slots=True)
class Branch:
    """What is left of a ground when one way on from its fork is taken.

    Parameters
    ----------
    cut
        The options that good paths may have on that way.
    ground
        The ground that they are.
    """

    cut: Cut
    ground: Nested

    @property
    def bound(self) -> int:
        """Value, on the whole ground, that no path of this branch exceeds."""
        return self.cut.value_there(self.ground.bound)

    def outcome(self, whole: Nested, inner: Outcome) -> Outcome:
        """Turn an outcome of the branch into one of the whole ground."""
        bound = self.cut.value_there(inner.bound)
        if inner.best is None:
            return Outcome(None, bound, inner.proved)
        path = follow(whole.graph.succ, self.cut.lift(inner.best.path))
        return Outcome(found(whole, path, inner.best.earliest), bound, inner.proved)


@dataclass(slots=True)
class Branching:
    """Search by branches, one within another.

    Containers that can be opened in two ways put two copies of all below them beside each
    other. Where both are as good at the base's price, all of both is one segment, of which not
    all paths can be listed. With one way taken, the price is another, and what is below falls
    into segments again.

    At a fork the branch of the highest bound comes first; the others need only be as good as
    what it finds. Only options on paths worth that much are in a branch at all. Time O(options)
    for some dozen sweeps over each branch, and what listing and searching take; at most `TIMES`
    as many options as the table has are gone through.

    Parameters
    ----------
    limits
        When to stop.
    room
        Options that further branches may have, with `EACH` for each branch.
    count
        Branches made.
    """

    limits: Limits
    room: int
    count: int = field(default=0)

    def settle(self, ground: Nested, climb: Climb, need: int) -> Outcome:
        """Branch, if that helps, after a climb that looked for what is worth `need` or more."""
        value = ground.worth + climb.value
        best = None
        if climb.found:
            path = ground.path(climb.changes)
            best = found(ground, path, bool(climb.statistics.get("earliest")))
        own = Outcome(best, ground.worth + climb.bound, climb.proved)
        if climb.proved or ground.fork < 0 or self.limits.exhausted:
            return own
        split = self.split(ground, value if climb.found else need)
        if split.proved:
            return split
        split.bound = min(own.bound, max(split.bound, value if climb.found else need - 1))
        if best is not None and best.beats(split.best):
            split.best = best
        return split

    def split(self, ground: Nested, need: int) -> Outcome:
        """Solve each way on from the fork that can be worth `need` or more."""
        outcome = Outcome(None, need - 1)
        branches: list[Branch] = []
        for cut in ways(ground, need):
            self.limits.spend(cut.graph.cost.size)
            self.room -= cut.graph.cost.size + EACH
            if self.room < 0 or self.limits.exhausted:
                return Outcome(None, ground.bound, proved=False)
            branches.append(Branch(cut, Nested.of(cut.graph, cut.graph.most_value)))
        self.count += len(branches)
        for branch in sorted(branches, key=lambda each: each.bound, reverse=True):
            least = need if outcome.best is None else outcome.best.value
            if branch.bound >= least:
                inner = self.climb(branch.ground, branch.cut.value_here(least))
                outcome.add(branch.outcome(ground, inner))
        return outcome

    def climb(self, ground: Nested, need: int) -> Outcome:
        """Look for the best path that is worth `need` or more."""
        climb = Climb(ground, self.limits, *ground.greedy(), ties=TIES)
        climb.expect(need - ground.worth)
        climb.solve()
        return self.settle(ground, climb, need)


def found(ground: Nested, path: Ints, earliest: bool) -> Found:
    """Return a path with its totals."""
    return Found(path, *ground.graph.totals(path), earliest)


def ways(ground: Nested, need: int) -> Iterator[Cut]:
    """Yield what is left of a ground for each option at its fork that a good path can take."""
    graph, fork = ground.graph, ground.fork
    bounty = ground.base.bounty(need - ground.worth, ground.base.free)
    for option in range(int(graph.start[fork]), int(graph.start[fork + 1])):
        if ground.loss[option] + ground.reached[fork] <= bounty:
            alive = through_fork(graph.start, graph.succ, ground.loss, bounty, fork, option)
            cut = Cut.of(graph, alive)
            if cut.graph.budget >= 0:
                yield cut
