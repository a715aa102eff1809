"""Lists of states: adding two, removing dominated states, and shortening.

A state is a cost and a loss (its reduced value below the best). The costs in a list ascend, and no
state dominates another. The four functions from `sums` on have compiled twins
(`mckp.solvers.compiled`) that give the same states in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints

    Small = NDArray[np.int32]

FAR: Final = 2**61
"""A loss or a cost that nothing reaches."""
FEW: Final = 2_000
"""Sums up to which they are always sorted; more are laid out over the range of their costs."""
DENSE: Final = 24
"""Unless that range is so many times as long as the longer list."""
CHEAP: Final = 48
"""So many cells of such a range take as long as one sum that is sorted."""
STEP: Final = 60
"""The work of one pass over such a range beside its cells."""
SMALL: Final = 256
"""Sums up to which all are sorted, and what is beyond the limits goes afterwards."""
CHUNK: Final = 200_000
"""Sums that are sorted at a time."""


def work_of_sums(
    cost: Ints, other_cost: Ints, other_loss: Ints, most: int, dearest: int
) -> tuple[int, bool]:
    """Return the work of adding two lists, the longer first, and whether to sort the sums.

    A unit of work is one sorted sum, about 50 ns without compilation.
    """
    long_size, short_size = cost.size, other_cost.size
    row = cost[-1] - cost[0] + 1
    if long_size * short_size <= FEW or row > DENSE * long_size:
        return long_size * short_size, True
    low = cost[0] + other_cost[0]
    span = min(cost[-1] + other_cost[-1], dearest) - low + 1
    sizes = np.minimum(row, span - (other_cost - other_cost[0]))
    sizes = sizes[(sizes > 0) & (other_loss <= most)]
    return int(max(0, span) // CHEAP + sizes.size * STEP + (sizes // CHEAP).sum()), False


def sums(
    first: tuple[Ints, Ints],
    second: tuple[Ints, Ints],
    rate: int,
    most: int,
    dearest: int,
    is_sorted: bool,
) -> tuple[Ints, Ints, Small, Small]:  # fmt: skip
    """Return the undominated sums of two lists, the longer first, and their indexes in both lists.

    A sum loses at most `most` and costs at most `dearest`. The true value of a state is ``rate *
    cost - loss`` plus a constant. Of equal sums, sorting keeps the earliest in the longer list, the
    other method the earliest in the shorter one.
    """
    (cost, loss), (other_cost, other_loss) = first, second
    if is_sorted:
        return _sorted(first, second, rate, most, dearest)
    low, row = int(cost[0] + other_cost[0]), int(cost[-1] - cost[0]) + 1
    span = max(0, min(int(cost[-1] + other_cost[-1]), dearest) - low + 1)
    best, which = np.full(span, FAR), np.zeros(span, dtype=np.int32)
    losses = np.full(row, FAR // 2)
    losses[cost - cost[0]] = loss
    total, better = np.empty(row, np.int64), np.empty(row, np.bool_)
    steps = zip((other_cost - other_cost[0]).tolist(), other_loss.tolist(), strict=True)
    for number, (more, lost) in enumerate(steps):
        size = min(row, span - more)
        if lost > most or size <= 0:
            continue
        part = best[more : more + size]
        np.add(losses[:size], lost, out=total[:size])
        np.less(total[:size], part, out=better[:size])
        np.copyto(part, total[:size], where=better[:size])
        np.copyto(which[more : more + size], number, where=better[:size])
    at = (best <= most).nonzero()[0]
    worth = rate * at - best[at]
    at = at[_rising(worth)]
    j = which[at]
    i = np.searchsorted(cost, at + low - other_cost[j]).astype(np.int32)
    return at + low, best[at], i, j


def _sorted(
    states: tuple[Ints, Ints], added: tuple[Ints, Ints], rate: int, most: int, dearest: int
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums by sorting, a few states of the second list at a time."""
    (cost, loss), (other_cost, other_loss) = states, added
    if cost.size * other_cost.size <= SMALL:
        costs = np.add.outer(cost, other_cost).ravel()
        losses = np.add.outer(loss, other_loss).ravel()
        keep = undominated(costs, losses, rate)
        costs, losses = costs[keep], losses[keep]
        inside = (losses <= most) & (costs <= dearest)
        costs, losses, keep = costs[inside], losses[inside], keep[inside].astype(np.int32)
        i = keep // np.int32(other_cost.size)
        return costs, losses, i, keep - i * np.int32(other_cost.size)
    merged: tuple[Ints, Ints, Small, Small] | None = None
    step = max(1, CHUNK // cost.size)
    for first in range(0, other_cost.size, step):
        more, lost = other_cost[first : first + step], other_loss[first : first + step]
        total = np.add.outer(loss, lost).ravel()
        at = (total <= most).nonzero()[0]
        i = at // more.size
        j = at - i * more.size
        columns = (
            cost[i] + more[j],
            total[at],
            i.astype(np.int32),
            (j + first).astype(np.int32),
        )
        if merged is not None:
            columns = (
                np.concatenate((merged[0], columns[0])),
                np.concatenate((merged[1], columns[1])),
                np.concatenate((merged[2], columns[2])),
                np.concatenate((merged[3], columns[3])),
            )
        keep = undominated(columns[0], columns[1], rate)
        keep = keep[: columns[0][keep].searchsorted(dearest, side="right")]
        merged = columns[0][keep], columns[1][keep], columns[2][keep], columns[3][keep]
    assert merged is not None
    return merged


def key_of(cost: Ints, loss: Ints) -> int:
    """Return a hash of a list, which is equal for equal lists."""
    return hash((cost.tobytes(), loss.tobytes()))


def undominated(cost: Ints, loss: Ints, rate: int) -> Ints:
    """Return the indexes of the undominated states, by ascending cost.

    A state is dominated by one that costs no more and is worth no less, and by an equal earlier
    one.
    """
    if cost.size == 1:
        return np.zeros(1, np.int64)
    order = np.lexsort((loss, cost))
    return order[_rising((rate * cost - loss)[order])]


def nearest(key: Ints, cost: Ints, middle: int, most: int) -> tuple[Ints, int]:
    """Return the indexes of `most` states to keep, and the least key of those dropped.

    Half of them have the least keys; ties go to the cost nearest to the middle. The rest are the
    best in each of several equal ranges of cost, which keeps a list useful if the best selections
    are far from the price.
    """
    order = np.lexsort((np.abs(cost - middle), key))
    first, rest = order[: most - most // 2], order[most - most // 2 :]
    low = int(cost.min())
    width = (int(cost.max()) - low) // max(1, most // 2) + 1
    at = np.unique((cost[rest] - low) // width, return_index=True)[1]
    left = np.delete(rest, at)
    least = int(key[left[0]]) if left.size else FAR
    return np.sort(np.concatenate((first, rest[at]))), least


def _rising(worth: Ints) -> NDArray[np.bool_]:
    """Return, for each number, whether it is greater than all before it."""
    keep = np.empty(worth.size, dtype=np.bool_)
    keep[:1] = True
    np.greater(worth[1:], np.maximum.accumulate(worth)[:-1], out=keep[1:])
    return keep
