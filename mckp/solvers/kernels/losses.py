"""What leaving the base costs, class by class: the ways that remain, and what is possible.

The *base* takes the best option of every class at one price, up to rounding. An option *loses*
what its reduced value, ``(value << shift) - price * cost``, lacks of the best of its class; all
losses of a selection together say how far below the bound it is. The *bounty* is what may be
lost by a selection that is better than the best known.

Which sums of costs and values deviations can make at all, the lattice they span, says what of that
is possible.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.solvers.kernels.arrays import MOST_ENTRY, UNLIMITED, Moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers.kernels.arrays import Ints, Priced, Reals

    Basis = tuple[int, int, int]
    Outlier = Callable[[int, Ints, Priced, int, Basis], tuple[int, int, int]]

NOWHERE: Final = 2**61
"""A step so long that a lattice has no second point in that direction."""
NO_LATTICE: Final = (1, 0, 1)
"""A basis of all points there are."""
MOST_POINTS: Final = 100_000
"""Points of a lattice that are looked at."""


def deviations(classes: Ints, at: Priced, bounty: int) -> tuple[Ints, Ints]:
    """Return the options that lose at most `bounty`, those of each class together and in order.

    One row each: cost and value above the base, loss, option (-1: the base itself). Second,
    where the rows of each class begin.
    """
    option, owner, begin, more, worth, reduced = Moves.of(classes, at)
    loss = np.maximum.reduceat(reduced, begin)[owner] - reduced if option.size else reduced
    is_base = option == at.pick[classes][owner]
    keep = is_base | ((loss <= bounty) & ((more != 0) | (worth != 0)))
    rows = np.stack((more, worth, loss, np.where(is_base, -1, option)), axis=1)[keep]
    ends = np.cumsum(np.bincount(owner[keep], minlength=classes.size))
    return rows, np.append(0, ends)


def gradients(rows: Ints, begin: Ints, shift: int, up: int, down: int, lack: int) -> Ints:
    """Bound what the classes from each place on can still gain.

    Columns: the most value that a unit of cost can buy, the least that is lost for a unit
    given back (both shifted; none bounds a gain that costs nothing: the second is -1), and
    what the bases lack in all. What follows all these classes is given.
    """
    bounds = np.empty((begin.size, 3), dtype=np.int64)
    bounds[-1] = up, down, lack
    if len(rows):
        more, worth = rows[:, 0], rows[:, 1] << shift
        unit, first = np.where(more == 0, 1, more), begin[:-1]
        ups = np.where(more > 0, -(-worth // unit), up)
        free = np.where((more == 0) & (worth > 0), -1, down)
        downs = np.where(more < 0, worth // unit, free)
        lacks = np.where(rows[:, 3] < 0, rows[:, 2], 0)
        bounds[:-1, 0] = np.maximum.reduceat(ups, first)
        bounds[:-1, 1] = np.minimum.reduceat(downs, first)
        bounds[:-1, 2] = np.add.reduceat(lacks, first)
    back = bounds[::-1]
    np.maximum.accumulate(back[:, 0], out=back[:, 0])
    np.minimum.accumulate(back[:, 1], out=back[:, 1])
    np.cumsum(back[:, 2], out=back[:, 2])
    return bounds


def alternating(near: Reals) -> Ints:
    """Order classes by distance, in turn one that is nearest upwards and one downwards.

    `near` is that of `losses`. Costs near the break can be much alike: changes of one
    direction alone would leave every gap unfilled.
    """
    order = np.argsort(np.abs(near), kind="stable")
    falls = np.signbit(near[order])
    rank = np.where(falls, 2 * np.cumsum(falls) - 1, 2 * np.cumsum(~falls) - 2)
    return order[np.argsort(rank, kind="stable")]


def lattice(
    classes: Ints, at: Priced, bounty: int, few: Ints, outlier: Outlier
) -> tuple[int, int, int]:
    """Return a basis (a, b), (0, c) of the sums of all deviations that lose at most `bounty`.

    It begins with those of a few classes, which are enough to see that every point is such a sum
    unless costs and values have a structure. Numbers too large to look for one count as having
    none.
    """
    basis, place = spanned((0, 0, 0), few[:, :2].tolist()), 0
    while basis != NO_LATTICE:
        place, w, v = outlier(place, classes, at, bounty, basis)
        if place == classes.size:
            break
        large = max(abs(w), abs(v)) > MOST_ENTRY
        basis = NO_LATTICE if large else spanned(basis, [(w, v)])
    a, b, c = basis
    return a or NOWHERE, b, c or NOWHERE


def spanned(basis: tuple[int, int, int], vectors: list[Any]) -> Basis:
    """Extend a basis by vectors; one that becomes too large counts as all points, (1, 0, 1)."""
    a, b, c = basis
    for w, v in vectors:
        while w:
            q = a // w
            a, b, w, v = w, v, a - q * w, b - q * v
        c = math.gcd(c, v)
        if a < 0:
            a, b = -a, -b
        b = b % c if c else b
        if a == c == 1:
            break
    return (a, b, c) if max(a, abs(b), c) <= MOST_ENTRY else NO_LATTICE


def admissible(
    basis: tuple[int, int, int],
    lack: int,
    price: int,
    shift: int,
    need: int,
    high: int,
    free: int,
) -> tuple[int, int, int]:
    """Look at the points of a lattice that a better selection could have.

    They are worth `need` to `high`, cost `free` at most, and do not lie above the relaxation.
    Returns a value that none of them exceeds (``need - 1``: there is none), the least cost, and
    the least reduced value. Where there are too many to look at, `UNLIMITED` stands for these.
    """
    a, b, c = basis
    last = free // a
    # What costs less than this is worth less than what is needed.
    first = -((lack - (need << shift)) // (price * a))
    first = max(first, 0) if a == NOWHERE else first
    if abs(free) > MOST_ENTRY or last - first >= MOST_POINTS:
        return high, UNLIMITED // 2, UNLIMITED
    x = np.arange(first, last + 1)
    w = a * x
    top = np.minimum(high, (lack + price * w) >> shift)
    worth, least = top - (top - b * x) % c, need + (b * x - need) % c
    there = worth >= need
    if not there.any():
        return need - 1, free + 1, -UNLIMITED
    reduced = (least << shift) - price * w
    return int(worth[there].max()), int(w[there][0]), int(reduced[there].min())
