"""The search for something better than a base, among the classes that can differ from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.core import SAMPLE
from mckp.solvers.kernels import lists
from mckp.solvers.kernels.losses import alternating, gradients
from mckp.solvers.limits import Limits

if TYPE_CHECKING:
    from mckp.solvers.core import Base, Core
    from mckp.solvers.jit import Ints

CHUNK: Final = 256
"""Classes that are taken up first; four times as many follow each time."""
SLICE: Final = 4_000_000
"""Operations between two looks at the clock."""
PATIENCE: Final = 20_000
"""Operations after which a few classes of all kinds are tried by themselves, for the first time."""
NO_RETURN: Final = 2**62
"""Value lost for a unit of cost given back where nothing can be given back."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a search ended.

    Parameters
    ----------
    changes
        The options by which the best found leaves the base; None: nothing was found.
    need, free
        The value and the cost, above the base, of what would be better still.
    proved
        Whether nothing better is there.
    most
        Value above the base that nothing exceeds.
    """

    changes: list[int] | None
    need: int
    free: int
    proved: bool
    most: int


def search(
    core: Core, base: Base, mode: int, need: int, free: int, stop: int, limits: Limits
) -> Outcome:
    """Look for `need` value or more at `free` cost or less above the base, in a core that grows.

    In the mode VALUE `need` rises with every find, in the mode COST `free` falls, and beyond
    `stop` nothing can be found. The classes nearest to leaving the base come first, and their
    states are bounded by the gradients of all that follow. When the list is empty, or all classes
    have been taken up, nothing better exists. If that takes long, a few classes of all kinds are
    tried by themselves: near the break all costs may be much alike, and fill no gap.

    Time O(states x options) for each class, which is pseudopolynomial at worst; memory
    O(states).

    D. Pisinger, "A minimal algorithm for the multiple-choice knapsack problem", European Journal
    of Operational Research 83 (1995), sections 4 and 5: the core that expands, the order by
    gradients, the lists; here with exact whole prices and bounds for what is not taken up yet.
    """
    known = np.zeros(lists.PLACES, dtype=np.int64)
    known[lists.MODE], known[lists.NEED], known[lists.LEFT] = mode, need, free
    known[lists.FOUND], known[lists.SIZE] = -1, 1
    most, lowest, reduced = core.points(base, need, stop if mode == lists.VALUE else need, free)
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
        rows, begin = core.rows(chunk[alternating(core.near[chunk])], bounty)
        bounds = gradients(rows, begin, base.shift, *beyond(core, base, rest))
        size, known[lists.NEXT] = 4 * size, 0
        while proved and known[lists.NEXT] < chunk.size and not done(known):
            before = int(known[lists.WORK])
            known[lists.QUOTA] = before + min(patience, SLICE)
            states, nodes = lists.extend(known, states, nodes, rows, begin, bounds, base)
            changes = traced(known, nodes, changes)
            limits.spend(int(known[lists.WORK]) - before)
            if known[lists.NEXT] < chunk.size and not done(known):
                # No step is made where the list has become too long.
                proved = not limits.exhausted and known[lists.WORK] > before
            if proved and known[lists.WORK] >= patience and core.classes.size > SAMPLE:
                part = Limits(work_limit=patience)
                need, free = int(known[lists.NEED]), int(known[lists.LEFT])
                found = search(core.sample(), base, mode, need, free, int(known[lists.STOP]), part)
                limits.spend(part.work)
                known[lists.NEED], known[lists.LEFT] = found.need, found.free
                changes, patience = found.changes or changes, 16 * patience
    need, free = int(known[lists.NEED]), int(known[lists.LEFT])
    most = need - 1
    if not proved:
        held = states[:, : known[lists.SIZE]]
        most = max(most, min(int(known[lists.STOP]), base.most_of(held[0], held[1], free)))
    return Outcome(changes, need, free, proved, most)


def done(known: Ints) -> bool:
    """Whether nothing better can come."""
    return bool(not known[lists.SIZE] or lists.reached(known))


def traced(known: Ints, nodes: lists.Small, before: list[int] | None) -> list[int] | None:
    """Return the last selection found, by where it leaves the base; else the one before."""
    node = int(known[lists.FOUND])
    if node < 0:
        return before
    known[lists.FOUND], options = -1, list[int]()
    while node >= 0:
        options.append(int(nodes[1, node]))
        node = int(nodes[0, node])
    return options


def beyond(core: Core, base: Base, rest: Ints) -> tuple[int, int, int]:
    """Bound what the classes that are not taken up yet can gain, as `gradients` does."""
    lack, up, down = int(core.lack[rest].sum()), 0, NO_RETURN
    if rest.size:
        near = float(np.abs(core.near[rest]).min())
        away = int(min(near, 2.0**60) * (1 - 2.0**-40))
        up, down = max(0, base.price - away + 1), -1 if lack else base.price + away
    return up, down, lack


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
