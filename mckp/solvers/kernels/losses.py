"""What each class loses by leaving the base: fixes options by their losses.

The *base* takes the best option of every class at one price, up to rounding. An option *loses* the
difference between its reduced value, ``(value << shift) - price * cost``, and the best of its
class; the sum of the losses of a selection is its distance from the bound. The *bounty* is the loss
that a selection may have if it is better than the best known.

The sums of costs and values that deviations can reach form a lattice, which shows what is possible
within the bounty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers.base import NEVER
from mckp.solvers.jit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints


class PricedTable(NamedTuple):
    """A table without nesting and its base at one price.

    Options that cost more than `reach` above the least of their class do not count.
    """

    start: Ints
    cost: Ints
    value: Ints
    least: Ints
    pick: Ints
    reach: int
    shift: int
    price: int


@njit
def losses(
    classes: Ints, at: PricedTable, free: int, bounty: int
) -> tuple[Ints, Ints, NDArray[np.float64], int, int]:
    """Return the reduced value that each class loses by leaving the base.

    For each class: the least loss among its other options; what the base itself lacks (0
    but for the rounding of the price); how near to the price the gradients of options within
    the bounty come, in reduced value a unit of cost, negative if the nearest costs less than
    the base. Then the greatest gain by a change of one class that fits `free`, and its option
    (-1: none). Options equal to the base count as the base. Time O(options).
    """
    alone = np.empty(classes.size, dtype=np.int64)
    lack = np.empty(classes.size, dtype=np.int64)
    near = np.empty(classes.size)
    gain, change = 0, -1
    for c in range(classes.size):
        i = classes[c]
        base, limit = at.pick[i], at.least[i] + at.reach
        best, distance, falls = NEVER, np.inf, False
        for j in range(at.start[i], at.start[i + 1]):
            more, worth = at.cost[j] - at.cost[base], at.value[j] - at.value[base]
            if at.cost[j] > limit or (more == 0 and worth == 0):
                continue
            reduced = (worth << at.shift) - at.price * more
            best = max(best, reduced)
            if -reduced <= bounty:
                away = max(-reduced, 0) / max(abs(more), 1)
                if away < distance:
                    distance, falls = away, more < 0
                if worth > gain and more <= free:
                    gain, change = worth, j
        lack[c] = max(best, 0)
        alone[c] = lack[c] - best
        near[c] = -distance if falls else distance
    return alone, lack, near, gain, change


@njit
def deviations(classes: Ints, at: PricedTable, bounty: int) -> tuple[Ints, Ints]:
    """Return the options that lose at most `bounty`, class by class and in order.

    The first array has a row for each: cost and value above the base, loss, and option (-1 for the
    base itself). The second has the index at which the rows of each class begin.
    """
    most = 0
    for i in classes:
        most += at.start[i + 1] - at.start[i]
    rows = np.empty((most, 4), dtype=np.int64)
    begin = np.zeros(classes.size + 1, dtype=np.int64)
    count = 0
    for c in range(classes.size):
        i = classes[c]
        base, limit, best = at.pick[i], at.least[i] + at.reach, 0
        for j in range(at.start[i], at.start[i + 1]):
            if at.cost[j] <= limit:
                worth = (at.value[j] - at.value[base]) << at.shift
                best = max(best, worth - at.price * (at.cost[j] - at.cost[base]))
        for j in range(at.start[i], at.start[i + 1]):
            if at.cost[j] > limit:
                continue
            more, worth = at.cost[j] - at.cost[base], at.value[j] - at.value[base]
            loss = best - ((worth << at.shift) - at.price * more)
            if j == base or (loss <= bounty and (more != 0 or worth != 0)):
                rows[count, 0], rows[count, 1], rows[count, 2] = more, worth, loss
                rows[count, 3] = -1 if j == base else j
                count += 1
        begin[c + 1] = count
    return rows[:count], begin


@njit
def gradients(rows: Ints, begin: Ints, shift: int, up: int, down: int, lack: int) -> Ints:
    """Bound what the classes from each index on can still gain.

    The columns are the most value that a unit of cost can buy, the least value lost for a unit
    given back (both shifted; -1 in the second if a gain costs nothing), and the total that the
    bases lack. `up`, `down` and `lack` are those of whatever follows all these classes.
    """
    last = begin.size - 1
    bounds = np.empty((last + 1, 3), dtype=np.int64)
    bounds[last, 0], bounds[last, 1], bounds[last, 2] = up, down, lack
    for c in range(last - 1, -1, -1):
        for e in range(begin[c], begin[c + 1]):
            more, worth = rows[e, 0], rows[e, 1] << shift
            if more > 0:
                up = max(up, -(-worth // more))
            elif more < 0:
                down = min(down, worth // more)
            elif worth > 0:
                down = -1
            if rows[e, 3] < 0:
                lack += rows[e, 2]
        bounds[c, 0], bounds[c, 1], bounds[c, 2] = up, down, lack
    return bounds


def alternating(near: NDArray[np.float64]) -> Ints:
    """Order classes by distance, alternating between the nearest upwards and downwards.

    `near` is a result of `losses`. Costs near the break can be so similar that changes in only one
    direction would leave every gap unfilled.
    """
    order = np.argsort(np.abs(near), kind="stable")
    falls = np.signbit(near[order])
    rank = np.where(falls, 2 * np.cumsum(falls) - 1, 2 * np.cumsum(~falls) - 2)
    return order[np.argsort(rank, kind="stable")]


NOWHERE: Final = -NEVER
"""A step so long that a lattice has no second point in that direction."""
NO_LATTICE: Final = (1, 0, 1)
"""A basis of all points there are."""
MOST_POINTS: Final = 100_000
"""Points of a lattice that are looked at; more are there only if a price is next to nothing."""
UNLIMITED: Final = 2 * NEVER
"""Stands for a cost or a reduced value that nothing is known to limit."""
MOST_ENTRY: Final = math.isqrt(-UNLIMITED)
"""Beyond this no structure is looked for; products of two stay within 64 bits."""


def lattice(classes: Ints, at: PricedTable, bounty: int) -> tuple[int, int, int]:
    """Return a basis (a, b), (0, c) of the sums of all deviations that lose at most `bounty`.

    If there are too many numbers to search for a structure, the lattice is that of all points.
    """
    basis, place = (0, 0, 0), 0
    while basis != NO_LATTICE:
        place, w, v = outlier(place, classes, at, bounty, basis)
        if place == classes.size:
            break
        large = max(abs(w), abs(v)) > MOST_ENTRY
        basis = NO_LATTICE if large else spanned(basis, w, v)
    a, b, c = basis
    return a or NOWHERE, b, c or NOWHERE


def spanned(basis: tuple[int, int, int], w: int, v: int) -> tuple[int, int, int]:
    """Return the basis extended by a vector; if that gets too large, all points: (1, 0, 1)."""
    a, b, c = basis
    while w:
        q = a // w
        a, b, w, v = w, v, a - q * w, b - q * v
    c = math.gcd(c, v)
    if a < 0:
        a, b = -a, -b
    b = b % c if c else b
    return (a, b, c) if max(a, abs(b), c) <= MOST_ENTRY else NO_LATTICE


@njit
def outlier(
    first: int, classes: Ints, at: PricedTable, bounty: int, basis: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Return the index, cost and value of the first deviation that is not on a lattice."""
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
    """Return whether `c` divides a number; division is several times faster in 32 bits."""
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
