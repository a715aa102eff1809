"""The dynamic program over the budget: one row a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.jit import NEVER, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints

CHUNK: Final = 2048
"""Budgets that are finished for all options of a class before the next ones are begun."""


@njit
def plan_rows(start: Ints, succ: Ints) -> tuple[Ints, int, Ints]:
    """Give each class's row a slot; slots are used again once nobody reads the row.

    Time O(classes + options), memory O(classes). Returns the slot of each class (the last
    is the end's), how many slots there are, about two for each open level, and the first
    class that reads each row (the number of classes, if none does).
    """
    n = start.size - 1
    reader = np.full(n + 1, n, dtype=np.int64)
    for u in range(n - 1, -1, -1):
        for o in range(start[u], start[u + 1]):
            reader[succ[o]] = u
    pending = reader.copy()
    slot = np.zeros(n + 1, dtype=np.int64)
    free = np.empty(n + 1, dtype=np.int64)
    waiting, slots = 0, 1
    for u in range(n - 1, -1, -1):
        if waiting > 0:
            waiting -= 1
            slot[u] = free[waiting]
        else:
            slot[u] = slots
            slots += 1
        for o in range(start[u], start[u + 1]):
            if pending[succ[o]] == u:
                pending[succ[o]] = -1
                free[waiting] = slot[succ[o]]
                waiting += 1
    return slot, slots, reader


@njit
def take_best(row: Ints, other: Ints, gain: int) -> None:
    """Where an option on top of another row is better, take its total: `row` changes."""
    for i in range(row.size):
        row[i] = max(row[i], other[i] + gain)


@njit
def take_better(row: Ints, pick: NDArray[Any], other: Ints, gain: int, j: int) -> None:
    """Where option `j` on top of another row is better, take it: `row` and `pick` change."""
    for i in range(row.size):
        total = other[i] + gain
        better = total > row[i]
        row[i] = total if better else row[i]
        pick[i] = j if better else pick[i]


@njit
def fill_rows(
    first: int,
    end: int,
    most: int,
    start: Ints,
    cost: Ints,
    gain: Ints,
    succ: Ints,
    low: Ints,
    high: Ints,
    rows: Ints,
    slot: Ints,
    place: Ints,
    picks: NDArray[Any],
) -> tuple[int, int]:
    """Fill the rows of the classes ``first .. end - 1``, from the last to the first.

    Stops once `most` updates or more are done. Returns the class filled last and the number
    of updates.

    The row of a class holds, for each budget ``low .. high`` left on reaching it, the greatest
    gain of that class and all that follows; `picks[place[u]:]` holds the option that gives
    it, the first one on equality. Without `picks` only the gains are kept. The rows of
    classes from `end` on that are read here must be in their slots.

    Time O(sum of options x width), memory: see `plan_rows`.
    """
    u: int = end
    done: int = 0
    while u > first and done < most:
        u -= 1
        row, width = rows[slot[u]], max(0, high[u] - low[u] + 1)
        row[:width] = NEVER
        done += width * (start[u + 1] - start[u])
        for begin in range(low[u], high[u] + 1, CHUNK):
            last = min(high[u], begin + CHUNK - 1)
            for o in range(start[u], start[u + 1]):
                s = succ[o]
                a = max(begin, low[s] + cost[o])
                b = min(last, high[s] + cost[o]) + 1
                if a < b:
                    # Slices, since an index that might be negative keeps loops from SIMD.
                    own = row[a - low[u] : b - low[u]]
                    other = rows[slot[s]][a - cost[o] - low[s] : b - cost[o] - low[s]]
                    if picks.size > 0:
                        at = place[u] - low[u]
                        take_better(own, picks[at + a : at + b], other, gain[o], o - start[u])
                    else:
                        take_best(own, other, gain[o])
    return u, done


@njit
def reach(
    first: int,
    end: int,
    left: int,
    start: Ints,
    cost: Ints,
    succ: Ints,
    low: Ints,
    high: Ints,
    place: Ints,
) -> None:
    """Shrink the windows of ``first .. end - 1`` to what `left` on reaching the first allows.

    `place` then says where the choices of each class begin, those of the first at 0.
    Time O(options of these classes), memory O(end - first).
    """
    least = np.full(end - first, left, dtype=np.int64)
    most = np.full(end - first, -1, dtype=np.int64)
    most[0] = left
    place[first] = 0
    for u in range(first, end):
        low[u], high[u] = max(low[u], least[u - first]), min(high[u], most[u - first])
        place[u + 1] = place[u] + max(0, high[u] - low[u] + 1)
        if low[u] <= high[u]:
            for o in range(start[u], start[u + 1]):
                s = succ[o]
                if s < end:
                    least[s - first] = min(least[s - first], low[u] - cost[o])
                    most[s - first] = max(most[s - first], high[u] - cost[o])


@njit
def read_path(
    first: int,
    end: int,
    left: int,
    start: Ints,
    cost: Ints,
    succ: Ints,
    low: Ints,
    place: Ints,
    picks: NDArray[Any],
    path: Ints,
) -> tuple[int, int]:
    """Follow the best options from class `first` until `end` is reached or passed.

    The options are written to `path`. Returns the class reached and the budget left there.
    """
    u: int = first
    rest: int = left
    while u < end:
        o: int = start[u] + np.int64(picks[place[u] + rest - low[u]])
        path[u] = o
        rest -= cost[o]
        u = succ[o]
    return u, rest
