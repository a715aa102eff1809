"""Which sums of costs and values deviations can make at all: the lattice they span."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.kernels.jit import njit

if TYPE_CHECKING:
    from mckp.solvers.kernels.jit import Ints
    from mckp.solvers.kernels.losses import Priced

NOWHERE: Final = 2**61
"""A step so long that a lattice has no second point in that direction."""
MOST_ENTRY: Final = 2**31
"""Beyond this no structure is looked for; products of two stay within 64 bits."""
MOST_POINTS: Final = 20_000
UNLIMITED: Final = -(2**62)


@njit
def lattice(classes: Ints, at: Priced, bounty: int) -> tuple[int, int, int]:
    """Return a basis (a, b), (0, c) of all sums of changes in cost and in value.

    Only deviations that lose at most `bounty` count. Ends early when every point is a sum
    (a = c = 1), as it is after a few options unless costs and values have a structure.
    """
    a, b, c = 0, 0, 0
    for i in classes:
        base, limit = at.pick[i], at.least[i] + at.reach
        for j in range(at.start[i], at.start[i + 1]):
            w, v = at.cost[j] - at.cost[base], at.value[j] - at.value[base]
            if at.cost[j] > limit or at.price * w - (v << at.shift) > bounty:
                continue
            if max(abs(w), abs(v)) > MOST_ENTRY:
                return 1, 0, 1
            if a == 1 and (v == b * w or (c != 0 and divides(c, v - b * w))):
                continue
            while w != 0:
                q = a // w
                a, b, w, v = w, v, a - q * w, b - q * v
                if abs(v) > MOST_ENTRY:
                    return 1, 0, 1
            c = math.gcd(c, int(abs(v)))
            if a < 0:
                a, b = -a, -b
            if c != 0:
                b %= c
            if a == 1 and c == 1:
                return 1, 0, 1
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
    Returns the greatest value among them (``need - 1``: there is none), the least cost, and
    the least reduced value. Where there are too many to look at, `UNLIMITED` stands for both.
    """
    if abs(free) > MOST_ENTRY:
        return high, UNLIMITED // 2, UNLIMITED
    a, b, c = basis
    period = c // math.gcd(b, c)
    most, lowest, reduced, steps = need - 1, free + 1, -UNLIMITED, 0
    last = free // a
    for worth in range(high, need - 1, -1):
        first = -((lack - (worth << shift)) // price)  # no cost below this at this value
        first = -(-first // a)
        x = last
        while x >= first and (worth - b * x) % c != 0 and last - x < period:
            x -= 1
            steps += 1
        steps += 1
        if steps > MOST_POINTS:
            return (most if most >= need else worth), UNLIMITED // 2, UNLIMITED
        if x >= first and last - x < period:
            most = max(most, worth)
            lowest = min(lowest, a * (x - (x - first) // period * period))
            reduced = min(reduced, (worth << shift) - price * a * x)
    return most, lowest, reduced
