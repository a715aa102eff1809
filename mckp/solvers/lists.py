"""Lists of states: adding two, removing dominated states, and shortening.

A state is a cost and a loss (its reduced value below the best). The costs in a list ascend, and no
state dominates another. The four functions from `add_lists` on have compiled twins
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
"""Most sums that are always sorted; more are put into a table over the range of their costs."""
DENSE: Final = 24
"""Greatest range of costs of the longer list, as a multiple of its length, for such a table."""
CHEAP: Final = 48
"""Number of cells of such a table that take as long as sorting one sum."""
STEP: Final = 60
"""The work of one pass over such a table beside its cells."""
SMALL: Final = 256
"""Most sums that are all sorted before those beyond the limits are dropped."""
CHUNK: Final = 200_000
"""Most sums that are sorted at a time."""


def sum_work(
    cost: Ints, other_cost: Ints, other_loss: Ints, most: int, dearest: int
) -> tuple[int, bool]:
    """Return the work of adding two lists, the longer first, and whether to sort the sums.

    A unit of work is one sorted sum, about 50 ns without compilation. Sums that lose more than
    `most` or cost more than `dearest` are not needed.
    """
    long_size, short_size = cost.size, other_cost.size
    cost_range = cost[-1] - cost[0] + 1
    if long_size * short_size <= FEW or cost_range > DENSE * long_size:
        return long_size * short_size, True
    low = cost[0] + other_cost[0]
    span = min(cost[-1] + other_cost[-1], dearest) - low + 1
    sizes = np.minimum(cost_range, span - (other_cost - other_cost[0]))
    sizes = sizes[(sizes > 0) & (other_loss <= most)]
    return int(max(0, span) // CHEAP + sizes.size * STEP + (sizes // CHEAP).sum()), False


def add_lists(
    first: tuple[Ints, Ints],
    second: tuple[Ints, Ints],
    rate: int,
    most: int,
    dearest: int,
    is_sorted: bool,
) -> tuple[Ints, Ints, Small, Small]:  # fmt: skip
    """Return the undominated sums of two lists, the longer first.

    Parameters
    ----------
    first, second : tuple of arrays of int64
        The costs and losses of the states of each list.
    rate : int
        The value of a state is ``rate * cost - loss`` plus a constant.
    most, dearest : int
        The greatest loss and the greatest cost of a sum.
    is_sorted : bool
        Whether to sort all sums; otherwise, they are put into a table over the range of costs.

    Returns
    -------
    arrays of int64, int64, int32, int32
        For each sum its cost, its loss, and its indexes in both lists. Of equal sums, sorting keeps
        the earliest in the longer list, the other method the earliest in the shorter one.
    """
    (cost, loss), (other_cost, other_loss) = first, second
    if is_sorted:
        return _sort_sums(first, second, rate, most, dearest)
    low, cost_range = int(cost[0] + other_cost[0]), int(cost[-1] - cost[0]) + 1
    span = max(0, min(int(cost[-1] + other_cost[-1]), dearest) - low + 1)
    best, second_indexes = np.full(span, FAR), np.zeros(span, dtype=np.int32)
    losses = np.full(cost_range, FAR // 2)
    losses[cost - cost[0]] = loss
    total, is_better = np.empty(cost_range, np.int64), np.empty(cost_range, np.bool_)
    steps = zip((other_cost - other_cost[0]).tolist(), other_loss.tolist(), strict=True)
    for index, (extra_cost, extra_loss) in enumerate(steps):
        size = min(cost_range, span - extra_cost)
        if extra_loss > most or size <= 0:
            continue
        best_here = best[extra_cost : extra_cost + size]
        np.add(losses[:size], extra_loss, out=total[:size])
        np.less(total[:size], best_here, out=is_better[:size])
        np.copyto(best_here, total[:size], where=is_better[:size])
        np.copyto(second_indexes[extra_cost : extra_cost + size], index, where=is_better[:size])
    cells = (best <= most).nonzero()[0]
    worth = rate * cells - best[cells]
    cells = cells[_flag_new_highs(worth)]
    second_places = second_indexes[cells]
    first_places = np.searchsorted(cost, cells + low - other_cost[second_places]).astype(np.int32)
    return cells + low, best[cells], first_places, second_places


def _sort_sums(
    states: tuple[Ints, Ints], added: tuple[Ints, Ints], rate: int, most: int, dearest: int
) -> tuple[Ints, Ints, Small, Small]:
    """Return the undominated sums by sorting, a few states of the second list at a time."""
    (cost, loss), (other_cost, other_loss) = states, added
    if cost.size * other_cost.size <= SMALL:
        costs = np.add.outer(cost, other_cost).ravel()
        losses = np.add.outer(loss, other_loss).ravel()
        keep = undominated_states(costs, losses, rate)
        costs, losses = costs[keep], losses[keep]
        inside = (losses <= most) & (costs <= dearest)
        costs, losses, keep = costs[inside], losses[inside], keep[inside].astype(np.int32)
        first_places = keep // np.int32(other_cost.size)
        return costs, losses, first_places, keep - first_places * np.int32(other_cost.size)
    merged: tuple[Ints, Ints, Small, Small] | None = None
    step = max(1, CHUNK // cost.size)
    for start in range(0, other_cost.size, step):
        extra_costs, extra_losses = (
            other_cost[start : start + step],
            other_loss[start : start + step],
        )
        total = np.add.outer(loss, extra_losses).ravel()
        within = (total <= most).nonzero()[0]
        first_places = within // extra_costs.size
        second_places = within - first_places * extra_costs.size
        columns = (
            cost[first_places] + extra_costs[second_places],
            total[within],
            first_places.astype(np.int32),
            (second_places + start).astype(np.int32),
        )
        if merged is not None:
            columns = (
                np.concatenate((merged[0], columns[0])),
                np.concatenate((merged[1], columns[1])),
                np.concatenate((merged[2], columns[2])),
                np.concatenate((merged[3], columns[3])),
            )
        keep = undominated_states(columns[0], columns[1], rate)
        keep = keep[: columns[0][keep].searchsorted(dearest, side="right")]
        merged = columns[0][keep], columns[1][keep], columns[2][keep], columns[3][keep]
    assert merged is not None
    return merged


def hash_list(cost: Ints, loss: Ints) -> int:
    """Return a hash of the costs and losses of a list."""
    return hash((cost.tobytes(), loss.tobytes()))


def undominated_states(cost: Ints, loss: Ints, rate: int) -> Ints:
    """Return the indexes of the undominated states, by ascending cost.

    A state is dominated by one that costs no more and is worth no less, and by an equal earlier
    one.
    """
    if cost.size == 1:
        return np.zeros(1, np.int64)
    order = np.lexsort((loss, cost))
    return order[_flag_new_highs((rate * cost - loss)[order])]


def nearest_states(key: Ints, cost: Ints, middle: int, most_kept: int) -> tuple[Ints, int]:
    """Return the indexes of up to `most_kept` states to keep, and the least key of those dropped.

    `key` has what each state loses at least. Half of the states kept have the least keys; ties go
    to the cost nearest to `middle`. The rest are the best in each of several equal ranges of cost,
    which keeps a list useful if the best selections are far from the price. If no state is dropped,
    the least key is `FAR`.
    """
    order = np.lexsort((np.abs(cost - middle), key))
    best, others = order[: most_kept - most_kept // 2], order[most_kept - most_kept // 2 :]
    low = int(cost.min())
    width = (int(cost.max()) - low) // max(1, most_kept // 2) + 1
    range_bests = np.unique((cost[others] - low) // width, return_index=True)[1]
    dropped = np.delete(others, range_bests)
    least = int(key[dropped[0]]) if dropped.size else FAR
    return np.sort(np.concatenate((best, others[range_bests]))), least


def _flag_new_highs(worth: Ints) -> NDArray[np.bool_]:
    """Flag the numbers that are greater than all before them."""
    keep = np.empty(worth.size, dtype=np.bool_)
    keep[:1] = True
    np.greater(worth[1:], np.maximum.accumulate(worth)[:-1], out=keep[1:])
    return keep
