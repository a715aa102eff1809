"""Which sums of costs and values deviations can make at all: the lattice they span."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.solvers.jit import njit

if TYPE_CHECKING:
    from mckp.solvers.jit import Ints
    from mckp.solvers.kernels.losses import Priced

NOWHERE: Final = 2**61
"""A step so long that a lattice has no second point in that direction."""
NO_LATTICE: Final = (1, 0, 1)
"""A basis of all points there are."""
MOST_ENTRY: Final = 2**31
"""Beyond this no structure is looked for; products of two stay within 64 bits."""
MOST_POINTS: Final = 100_000
UNLIMITED: Final = -(2**62)


def lattice(classes: Ints, at: Priced, bounty: int, few: Ints) -> tuple[int, int, int]:
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


def spanned(basis: tuple[int, int, int], vectors: list[Any]) -> tuple[int, int, int]:
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


@njit
def outlier(
    first: int, classes: Ints, at: Priced, bounty: int, basis: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Return place, cost and value of the first deviation that does not lie on a lattice."""
    a, b, c = basis
    for place in range(first, classes.size):
        i = classes[place]
        base, limit = at.pick[i], at.least[i] + at.reach
        for j in range(at.start[i], at.start[i + 1]):
            w, v = at.cost[j] - at.cost[base], at.value[j] - at.value[base]
            if at.cost[j] > limit or at.price * w - (v << at.shift) > bounty:
                continue
            if max(abs(w), abs(v)) > MOST_ENTRY or not divides(a, w):
                return place, w, v
            if not divides(c, v - b * (w // a if a else 0)):
                return place, w, v
    return classes.size, 0, 0


@njit
def divides(c: int, number: int) -> bool:
    """Say whether `c` divides a number; division is several times faster in 32 bits."""
    if c == 0:
        return bool(number == 0)
    if c < 2**31 and -(2**31) < number < 2**31:
        return bool(np.int32(number) % np.int32(c) == 0)
    return number % c == 0


@njit
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
    if abs(free) > MOST_ENTRY:
        return high, UNLIMITED // 2, UNLIMITED
    a, b, c = basis
    most, lowest, reduced = need - 1, free + 1, -UNLIMITED
    x = free // a
    for _ in range(MOST_POINTS):
        top = min(high, (lack + price * a * x) >> shift)
        if top < need or (a == NOWHERE and x < 0):
            return most, lowest, reduced
        worth = top - (top - b * x) % c
        if worth >= need:
            least = need + (b * x - need) % c
            most, lowest = max(most, worth), a * x
            reduced = min(reduced, (least << shift) - price * a * x)
        x -= 1
    return max(most, min(high, (lack + price * a * x) >> shift)), UNLIMITED // 2, UNLIMITED
