"""Paths through nested classes: what they lose at a price, and where they can differ.

A selection is a path through the classes (`mckp.solvers.graph`). At a price, an option *loses*
what the best path through it falls short of the best path from its class on; the losses
along a path add up to how far below the bound it is. Classes that every path within the bounty
goes through cut the graph into *segments*, which are independent of each other: a table
without nesting again, whose options are the undominated paths through each segment.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mckp.jit import NEVER, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints


@njit
def path_losses(
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    best: Ints,
    spent: Ints,
    slack: int,
    shift: int,
    price: int,
    most: int,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return what is lost by each option, and at least on the way to each class.

    Then the base's option in each class (of equal ones the cheapest, then the first), and how
    many options lead to a total loss of 1, 2, 4, 8, ... at most. Where more than
    `most` is lost there is no way. Time O(options).
    """
    n = start.size - 1
    loss = np.empty(cost.size, dtype=np.int64)
    reached = np.full(n + 1, -NEVER, dtype=np.int64)
    pick = np.full(n, -1, dtype=np.int64)
    counts = np.zeros(64, dtype=np.int64)
    reached[0] = 0
    for u in range(n):
        before = reached[u]
        for o in range(start[u], start[u + 1]):
            if before > most or cost[o] > slack:
                loss[o] = -NEVER
                continue
            s = succ[o]
            lost = best[u] - ((value[o] << shift) - price * cost[o] + best[s])
            if lost == 0 and pick[u] < 0 and spent[s] + cost[o] == spent[u]:
                pick[u] = o
            loss[o] = lost
            total = before + lost
            if total <= most:
                reached[s] = min(reached[s], total)
                counts[math.frexp(float(total))[1] if total > 0 else 0] += 1
    for place in range(1, counts.size):
        counts[place] += counts[place - 1]
    return loss, reached, pick, counts


@njit
def segments(start: Ints, succ: Ints, loss: Ints, reached: Ints, bounty: int) -> Ints:
    """Return where segments with a choice begin and end, as pairs of classes. O(options)."""
    n = start.size - 1
    found = np.empty((n, 2), dtype=np.int64)
    count, first, far, forks = 0, 0, 0, 0
    for u in range(n + 1):
        if reached[u] > bounty:
            continue
        if far <= u:  # no path passes this class by
            if forks:
                found[count, 0], found[count, 1] = first, u
                count += 1
            first, forks = u, 0
        if u == n:
            break
        alive = 0
        for o in range(start[u], start[u + 1]):
            if loss[o] <= bounty - reached[u]:
                far = max(far, succ[o])
                alive += 1
        forks += alive > 1
    return found[:count]


@njit
def segment_paths(
    spans: Ints,
    start: Ints,
    cost: Ints,
    value: Ints,
    succ: Ints,
    pick: Ints,
    loss: Ints,
    reached: Ints,
    bounty: int,
    most: int,
) -> tuple[bool, Ints, Ints, Ints]:
    """List the undominated paths through each segment that lose at most the bounty.

    From the last class of a segment to the first, each list is merged from those that its
    options lead to; of equal paths the one with the earlier option stays. A class with one
    option left has the list of the class that it leads to, at a distance.

    Returns whether that took at most `most` steps; one row a path: cost and value above the
    base's, loss, label (``-1 - label`` for the base); where the rows of each segment begin;
    and the labels: an option where there is a choice, and the label that goes on from there
    (-1: there is no further choice).
    """
    rows = np.empty((256, 4), dtype=np.int64)
    begin = np.zeros(spans.shape[0] + 1, dtype=np.int64)
    labels = np.empty((256, 2), dtype=np.int64)
    pool, spare = np.empty((256, 4), dtype=np.int64), np.empty((256, 4), dtype=np.int64)
    pool[0, 0], pool[0, 1], pool[0, 2] = 0, 0, 0
    pool[0, 3] = -1  # the empty path at the end of every segment
    longest = 0
    for k in range(spans.shape[0]):
        longest = max(longest, spans[k, 1] - spans[k, 0])
    # Where the list of each class begins, its length, and the cost and value on the way to it.
    place = np.empty((longest + 1, 4), dtype=np.int64)
    count, used, steps = 0, 0, 0
    for k in range(spans.shape[0]):
        first, end = spans[k, 0], spans[k, 1]
        put_place(place, end - first, 0, 1, 0, 0)
        filled = 1
        for u in range(end - 1, first - 1, -1):
            if reached[u] > bounty:
                continue
            alive, only = 0, -1
            for o in range(start[u], start[u + 1]):
                if loss[o] <= bounty - reached[u]:
                    alive, only = alive + 1, o
            if alive == 1:
                s = succ[only] - first
                more, worth = place[s, 2] + cost[only], place[s, 3] + value[only]
                put_place(place, u - first, place[s, 0], place[s, 1], more, worth)
                continue
            held = 0
            for o in range(start[u], start[u + 1]):
                left = bounty - reached[u] - loss[o]
                if left < 0:
                    continue
                s = succ[o] - first
                at, size = place[s, 0], place[s, 1]
                steps += held + size
                if steps > most:
                    return False, rows[:0], begin, labels
                pool = with_room(pool, filled + held + size)
                spare = with_room(spare, held + size)
                labels = with_room(labels, used + size)
                held, used = merge_paths(
                    pool, filled, held, at, size, cost[o] + place[s, 2], value[o] + place[s, 3],
                    loss[o], left, o, spare, labels, used,
                )  # fmt: skip
            put_place(place, u - first, filled, held, 0, 0)
            filled += held
        base_cost, base_value, u = 0, 0, first
        while u < end:
            base_cost, base_value = base_cost + cost[pick[u]], base_value + value[pick[u]]
            u = succ[pick[u]]
        rows = with_room(rows, count + place[0, 1])
        for m in range(place[0, 0], place[0, 0] + place[0, 1]):
            more, worth, label = pool[m, 0] - base_cost, pool[m, 1] - base_value, pool[m, 3]
            rows[count, 0], rows[count, 1], rows[count, 2] = more, worth, pool[m, 2]
            rows[count, 3] = -1 - label if more == 0 and worth == 0 else label
            count += 1
        begin[k + 1] = count
    return True, rows[:count].copy(), begin, labels


@njit
def put_place(place: Ints, u: int, at: int, size: int, more: int, worth: int) -> None:
    """Say where the list of a class is."""
    place[u, 0], place[u, 1], place[u, 2], place[u, 3] = at, size, more, worth


@njit
def with_room(array: Ints, size: int) -> Ints:
    """Return the array, or a copy twice as long as needed."""
    if array.shape[0] >= size:
        return array
    wider = np.empty((2 * size, array.shape[1]), dtype=np.int64)
    for i in range(array.shape[0]):  # a loop compiles much faster than a slice
        for j in range(array.shape[1]):
            wider[i, j] = array[i, j]
    return wider


@njit
def merge_paths(
    pool: Ints,
    here: int,
    held: int,
    at: int,
    size: int,
    more: int,
    worth: int,
    lost: int,
    left: int,
    option: int,
    spare: Ints,
    labels: Ints,
    used: int,
) -> tuple[int, int]:
    """Merge the paths that go on with an option into the list of a class.

    The list lies at `here` in the pool, what the option leads to at `at`; paths that lose more
    than `left` from there on are left out. Returns the lengths of the list and of the labels.
    """
    i, j, count, last = 0, 0, 0, NEVER
    while i < held or j < size:
        if j < size and pool[at + j, 2] > left:
            j += 1
            continue
        if i < held and (
            j >= size
            or pool[here + i, 0] < pool[at + j, 0] + more
            or (
                pool[here + i, 0] == pool[at + j, 0] + more
                and pool[here + i, 1] >= pool[at + j, 1] + worth
            )
        ):
            if pool[here + i, 1] > last:
                last = pool[here + i, 1]
                for field in range(4):
                    spare[count, field] = pool[here + i, field]
                count += 1
            i += 1
        else:
            if pool[at + j, 1] + worth > last:
                last = pool[at + j, 1] + worth
                labels[used, 0], labels[used, 1] = option, pool[at + j, 3]
                spare[count, 0], spare[count, 1] = pool[at + j, 0] + more, last
                spare[count, 2], spare[count, 3] = pool[at + j, 2] + lost, used
                used += 1
                count += 1
            j += 1
    for m in range(count):
        for field in range(4):
            pool[here + m, field] = spare[m, field]
    return count, used


@njit
def by_path(rows: Ints, begin: Ints, labels: Ints) -> Ints:
    """Return the order in which the rows of each segment have ascending paths."""
    order = np.empty(rows.shape[0], dtype=np.int64)
    for k in range(begin.size - 1):
        for i in range(begin[k], begin[k + 1]):
            low: int = begin[k]
            high: int = i
            while low < high:
                middle = (low + high) // 2
                if comes_before(rows[i, 3], rows[order[middle], 3], labels):
                    high = middle
                else:
                    low = middle + 1
            for j in range(i, low, -1):
                order[j] = order[j - 1]
            order[low] = i
    return order


@njit
def comes_before(one: int, other: int, labels: Ints) -> bool:
    """Say whether the first of two paths has the earlier option where they first differ."""
    one, other = max(one, -1 - one), max(other, -1 - other)
    while one >= 0 and other >= 0:
        if labels[one, 0] != labels[other, 0]:
            return bool(labels[one, 0] < labels[other, 0])
        one, other = labels[one, 1], labels[other, 1]
    return False


@njit
def through_fork(start: Ints, succ: Ints, loss: Ints, bounty: int, fork: int, option: int) -> Ints:
    """Mark with 1 the options on paths within the bounty that take one option at the fork.

    All paths go through the fork. Time O(options), memory O(options).
    """
    n = start.size - 1
    alive = np.zeros(loss.size, dtype=np.int64)
    reached = np.full(n + 1, -NEVER, dtype=np.int64)
    reached[0] = 0
    for u in range(n):
        left = bounty - reached[u] - (loss[option] if u < fork else 0)
        if left < 0:
            continue
        for o in range(start[u], start[u + 1]):
            if loss[o] <= left and (u != fork or o == option):
                alive[o] = 1
                reached[succ[o]] = min(reached[succ[o]], reached[u] + loss[o])
    return alive


@njit
def row_losses(rows: Ints, begin: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return the least loss of leaving the base, and the signed distance, of each segment."""
    alone = np.full(begin.size - 1, -NEVER, dtype=np.int64)
    near = np.full(begin.size - 1, np.inf)
    for k in range(alone.size):
        distance, falls = np.inf, False
        for e in range(begin[k], begin[k + 1]):
            if rows[e, 3] >= 0:
                alone[k] = min(alone[k], rows[e, 2])
                away = rows[e, 2] / max(abs(rows[e, 0]), 1)
                if away < distance:
                    distance, falls = away, rows[e, 0] < 0
        near[k] = -distance if falls else distance
    return alone, near


@njit
def follow(succ: Ints, pick: Ints) -> Ints:
    """Keep of one option a class those on the path from the first class on; -1 elsewhere."""
    path = np.full(pick.size, -1, dtype=np.int64)
    u = 0
    while u < pick.size:
        path[u] = pick[u]
        u = succ[pick[u]]
    return path
