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

    Attributes
    ----------
    start, cost, value, least, shift
        As in `mckp.solvers.kernels.breaks.FlatTable`.
    pick : array of int64 [classes]
        The option of each class in the base.
    reach : int
        Options that cost more than this above the least cost of their class do not count.
    price : int
        The price, shifted.
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
    """Return the reduced value that each class loses by leaving the base. Takes O(options).

    Options equal to the base count as the base.

    Returns
    -------
    array of int64 [classes]
        The least loss among the other options of the class.
    array of int64 [classes]
        What the base lacks in the class; 0 except for the rounding of the price.
    array of float64 [classes]
        The distance from the price of the nearest gradient among options that lose no more than the
        `bounty`, in reduced value per unit of cost; negative if that option costs less than the
        base, infinite if there is none.
    int, int
        The greatest gain by a change of one class that costs at most `free`, and its option; 0 and
        -1 if there is none.
    """
    least_losses = np.empty(classes.size, dtype=np.int64)
    lacks = np.empty(classes.size, dtype=np.int64)
    distances = np.empty(classes.size)
    gain, change = 0, -1
    for class_index in range(classes.size):
        owner = classes[class_index]
        base, limit = at.pick[owner], at.least[owner] + at.reach
        best, distance, falls = NEVER, np.inf, False
        for option in range(at.start[owner], at.start[owner + 1]):
            extra_cost, extra_value = (
                at.cost[option] - at.cost[base],
                at.value[option] - at.value[base],
            )
            if at.cost[option] > limit or (extra_cost == 0 and extra_value == 0):
                continue
            reduced = (extra_value << at.shift) - at.price * extra_cost
            best = max(best, reduced)
            if -reduced <= bounty:
                gradient = max(-reduced, 0) / max(abs(extra_cost), 1)
                if gradient < distance:
                    distance, falls = gradient, extra_cost < 0
                if extra_value > gain and extra_cost <= free:
                    gain, change = extra_value, option
        lacks[class_index] = max(best, 0)
        least_losses[class_index] = lacks[class_index] - best
        distances[class_index] = -distance if falls else distance
    return least_losses, lacks, distances, gain, change


@njit
def deviations(classes: Ints, at: PricedTable, bounty: int) -> tuple[Ints, Ints]:
    """Return the options that lose at most `bounty`, class by class, and the base.

    The first array has a row for each: cost and value above the base, loss, and option (-1 for the
    base itself). The second has the index of the first row of each class, and then the number of
    rows.
    """
    size = 0
    for owner in classes:
        size += at.start[owner + 1] - at.start[owner]
    rows = np.empty((size, 4), dtype=np.int64)
    starts = np.zeros(classes.size + 1, dtype=np.int64)
    count = 0
    for class_index in range(classes.size):
        owner = classes[class_index]
        base, limit, best = at.pick[owner], at.least[owner] + at.reach, 0
        for option in range(at.start[owner], at.start[owner + 1]):
            if at.cost[option] <= limit:
                extra_value = (at.value[option] - at.value[base]) << at.shift
                best = max(best, extra_value - at.price * (at.cost[option] - at.cost[base]))
        for option in range(at.start[owner], at.start[owner + 1]):
            if at.cost[option] > limit:
                continue
            extra_cost, extra_value = (
                at.cost[option] - at.cost[base],
                at.value[option] - at.value[base],
            )
            loss = best - ((extra_value << at.shift) - at.price * extra_cost)
            if option == base or (loss <= bounty and (extra_cost != 0 or extra_value != 0)):
                rows[count, 0], rows[count, 1], rows[count, 2] = extra_cost, extra_value, loss
                rows[count, 3] = -1 if option == base else option
                count += 1
        starts[class_index + 1] = count
    return rows[:count], starts


@njit
def gradients(rows: Ints, starts: Ints, shift: int, up: int, down: int, lack: int) -> Ints:
    """Return bounds on what the classes from each index on can still gain.

    The columns are the most value that a unit of cost can buy, the least value lost for a unit
    given back (both shifted; -1 in the second if a gain costs nothing), and the total that the base
    lacks in these classes. `up`, `down` and `lack` are the bounds of what follows all classes.
    """
    last = starts.size - 1
    bounds = np.empty((last + 1, 3), dtype=np.int64)
    bounds[last, 0], bounds[last, 1], bounds[last, 2] = up, down, lack
    for class_index in range(last - 1, -1, -1):
        for row in range(starts[class_index], starts[class_index + 1]):
            extra_cost, extra_value = rows[row, 0], rows[row, 1] << shift
            if extra_cost > 0:
                up = max(up, -(-extra_value // extra_cost))
            elif extra_cost < 0:
                down = min(down, extra_value // extra_cost)
            elif extra_value > 0:
                down = -1
            if rows[row, 3] < 0:
                lack += rows[row, 2]
        bounds[class_index, 0], bounds[class_index, 1], bounds[class_index, 2] = up, down, lack
    return bounds


def alternate_directions(distances: NDArray[np.float64]) -> Ints:
    """Return an order of classes by distance that alternates between dearer and cheaper options.

    `distances` are from `losses`. Costs near the break can be so similar that changes in only one
    direction would leave every gap unfilled.
    """
    order = np.argsort(np.abs(distances), kind="stable")
    is_cheaper = np.signbit(distances[order])
    rank = np.where(is_cheaper, 2 * np.cumsum(is_cheaper) - 1, 2 * np.cumsum(~is_cheaper) - 2)
    return order[np.argsort(rank, kind="stable")]


NOWHERE: Final = -NEVER
"""A step so long that a lattice has no second point in that direction."""
NO_LATTICE: Final = (1, 0, 1)
"""A basis of all integer points."""
MOST_POINTS: Final = 100_000
"""Most points of a lattice that are examined; there are more only if a price is close to 0."""
UNLIMITED: Final = 2 * NEVER
"""A cost or a reduced value without a known lower limit."""
MOST_ENTRY: Final = math.isqrt(-UNLIMITED)
"""Greatest number of a basis or a deviation; products of two stay within 64 bits."""


def deviation_lattice(classes: Ints, at: PricedTable, bounty: int) -> tuple[int, int, int]:
    """Return a basis (a, b), (0, c) of the sums of all deviations that lose at most `bounty`.

    If numbers are too large to search for a structure, it is the basis of all points.
    """
    basis, class_index = (0, 0, 0), 0
    while basis != NO_LATTICE:
        class_index, cost, value = find_outlier(class_index, classes, at, bounty, basis)
        if class_index == classes.size:
            break
        is_large = max(abs(cost), abs(value)) > MOST_ENTRY
        basis = NO_LATTICE if is_large else extend_basis(basis, cost, value)
    a, b, c = basis
    return a or NOWHERE, b, c or NOWHERE


def extend_basis(basis: tuple[int, int, int], cost: int, value: int) -> tuple[int, int, int]:
    """Return a basis extended by a vector of cost and value; `NO_LATTICE` if it gets too large."""
    a, b, c = basis
    while cost:
        quotient = a // cost
        a, b, cost, value = cost, value, a - quotient * cost, b - quotient * value
    c = math.gcd(c, value)
    if a < 0:
        a, b = -a, -b
    b = b % c if c else b
    return (a, b, c) if max(a, abs(b), c) <= MOST_ENTRY else NO_LATTICE


@njit
def find_outlier(
    first: int, classes: Ints, at: PricedTable, bounty: int, basis: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Return the class index, cost and value of the first deviation that is not on a lattice.

    Classes from the index `first` on are searched. If all deviations are on the lattice, the index
    is the number of classes.
    """
    a, b, c = basis
    for class_index in range(first, classes.size):
        owner = classes[class_index]
        base, limit = at.pick[owner], at.least[owner] + at.reach
        for option in range(at.start[owner], at.start[owner + 1]):
            extra_cost, extra_value = (
                at.cost[option] - at.cost[base],
                at.value[option] - at.value[base],
            )
            if (
                at.cost[option] > limit
                or at.price * extra_cost - (extra_value << at.shift) > bounty
            ):
                continue
            if max(abs(extra_cost), abs(extra_value)) > MOST_ENTRY or not divides(a, extra_cost):
                return class_index, extra_cost, extra_value
            if not divides(c, extra_value - b * (extra_cost // a if a else 0)):
                return class_index, extra_cost, extra_value
    return classes.size, 0, 0


@njit
def divides(divisor: int, number: int) -> bool:
    """Whether `divisor` divides a number; 0 divides only 0.

    Division is several times as fast in 32 bits.
    """
    if divisor == 0:
        return bool(number == 0)
    if divisor < 2**31 and -(2**31) < number < 2**31:
        return bool(np.int32(number) % np.int32(divisor) == 0)
    return number % divisor == 0


@njit
def admissible_bounds(
    basis: tuple[int, int, int],
    lack: int,
    price: int,
    shift: int,
    need: int,
    high: int,
    free: int,
) -> tuple[int, int, int]:
    """Return the greatest value, the least cost and the least reduced value of possible selections.

    `lack`, `price` and `shift` are those of the base, and all values and costs are above it. The
    selections are the points of a lattice that are worth `need` to `high`, cost at most `free`, and
    are not above the relaxation. If there are none, the value is ``need - 1``. If there are too
    many to examine, the value is an upper bound, and the others are `UNLIMITED`.
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
