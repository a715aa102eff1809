"""What leaving the base costs, class by class: fixing by losses, and the ways that remain.

The *base* takes the best option of every class at one price, up to rounding. An option *loses*
what its reduced value, ``(value << shift) - price * cost``, lacks of the best of its class; all
losses of a selection together say how far below the bound it is. The *bounty* is what may be
lost by a selection that is better than the best known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.solvers.jit import NEVER, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.jit import Ints


class Priced(NamedTuple):
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
    classes: Ints, at: Priced, free: int, bounty: int
) -> tuple[Ints, Ints, NDArray[np.float64], int, int]:
    """Return what leaving the base costs each class in reduced value.

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
def deviations(classes: Ints, at: Priced, bounty: int) -> tuple[Ints, Ints]:
    """Return the options that lose at most `bounty`, those of each class together and in order.

    One row each: cost and value above the base, loss, option (-1: the base itself). Second,
    where the rows of each class begin.
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
    """Bound what the classes from each place on can still gain.

    Columns: the most value that a unit of cost can buy, the least that is lost for a unit
    given back (both shifted; none bounds a gain that costs nothing: the second is -1), and
    what the bases lack in all. What follows all these classes is given.
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
    """Order classes by distance, in turn one that is nearest upwards and one downwards.

    `near` is that of `losses`. Costs near the break can be much alike: changes of one
    direction alone would leave every gap unfilled.
    """
    order = np.argsort(np.abs(near), kind="stable")
    falls = np.signbit(near[order])
    rank = np.where(falls, 2 * np.cumsum(falls) - 1, 2 * np.cumsum(~falls) - 2)
    return order[np.argsort(rank, kind="stable")]
