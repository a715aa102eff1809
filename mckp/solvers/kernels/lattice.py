"""Which sums of costs and values deviations can make at all: the lattice they span."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import njit

if TYPE_CHECKING:
    from mckp.jit import Ints
    from mckp.solvers.kernels.losses import Priced

NOWHERE: Final = 2**61
"""A step so long that a lattice has no second point in that direction."""
NO_LATTICE: Final = (1, 0, 1)
"""A basis of all points there are."""
MOST_ENTRY: Final = 2**31
"""Beyond this no structure is looked for; products of two stay within 64 bits."""
MOST_POINTS: Final = 100_000
UNLIMITED: Final = -(2**62)


def spanned(rows: Ints) -> tuple[int, int, int]:
    """Return a basis (a, b), (0, c) of all sums of some changes in cost and in value.

    One row a change. Whole numbers of any size: before much is known the entries of a basis are
    as large as products of changes. A basis that stays too large counts as none, (1, 0, 1).
    """
    a, b, c = 0, 0, 0
    for w, v in rows[:, :2].tolist():
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
def lattice(
    classes: Ints, at: Priced, bounty: int, basis: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Extend a basis (a, b), (0, c) to all deviations that lose at most `bounty`.

    Ends early when every point is a sum (a = c = 1), as it is after a few options unless costs
    and values have a structure. Numbers too large to look for one count as having none.
    """
    a, b, c = basis
    for i in classes:
        base, limit = at.pick[i], at.least[i] + at.reach
        for j in range(at.start[i], at.start[i + 1]):
            w, v = at.cost[j] - at.cost[base], at.value[j] - at.value[base]
            if at.cost[j] > limit or at.price * w - (v << at.shift) > bounty:
                continue
            if max(abs(w), abs(v)) > MOST_ENTRY:
                return NO_LATTICE
            if a == 1 and (v == b * w or (c != 0 and divides(c, v - b * w))):
                continue
            while w != 0:
                q = a // w
                a, b, w, v = w, v, a - q * w, b - q * v
                if c != 0:
                    v %= c
                elif abs(v) > MOST_ENTRY:
                    return NO_LATTICE
            c = math.gcd(c, int(abs(v)))
            if a < 0:
                a, b = -a, -b
            if c != 0:
                b %= c
            if a == 1 and c == 1:
                return NO_LATTICE
    return a if a else NOWHERE, b, c if c else NOWHERE


@njit
def divides(c: int, number: int) -> bool:
    """Say whether `c` divides a number; division is several times faster in 32 bits."""
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
