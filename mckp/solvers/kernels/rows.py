"""The dynamic program over the budget: one row a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.solvers.kernels.jit import NEVER, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.kernels.jit import Ints


@njit
def plan_rows(start: Ints, succ: Ints) -> tuple[Ints, int]:
    """Give each class's row a slot; slots are used again once nobody reads the row.

    Time O(classes + options), memory O(classes). Returns the slot of each class (the last
    is the end's) and how many slots there are, about two for each open level.
    """
    n = start.size - 1
    reader = np.full(n + 1, n, dtype=np.int64)
    for u in range(n - 1, -1, -1):
        for o in range(start[u], start[u + 1]):
            reader[succ[o]] = u
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
            if reader[succ[o]] == u:
                reader[succ[o]] = -1
                free[waiting] = slot[succ[o]]
                waiting += 1
    return slot, slots


@njit
def take_better(
    row: Ints, pick: NDArray[Any], other: Ints, at: int, source: int, count: int, gain: int, j: int
) -> None:
    """Where option `j` on top of another row is better, take it: `row` and `pick` change."""
    for i in range(count):
        total = other[source + i] + gain
        better = total > row[at + i]
        row[at + i] = total if better else row[at + i]
        pick[at + i] = j if better else pick[at + i]


@njit
def fill_rows(
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
) -> None:
    """Fill the table of best options, one row a class, from the last class to the first.

    The row of a class holds, for each budget ``low .. high`` left on reaching it, the greatest
    gain of that class and all that follows; `picks[place[u]:]` holds the option that gives
    it, the first one on equality. The row after the last class is 0 throughout.

    Time O(sum of options x width), memory: see `plan_rows`.
    """
    n = start.size - 1
    rows[slot[n], :] = 0
    for u in range(n - 1, -1, -1):
        row, pick = rows[slot[u]], picks[place[u] : place[u + 1]]
        row[: pick.size] = NEVER
        for o in range(start[u], start[u + 1]):
            s = succ[o]
            first = max(low[u], low[s] + cost[o])
            count = min(high[u], high[s] + cost[o]) - first + 1
            source = first - cost[o] - low[s]
            take_better(
                row, pick, rows[slot[s]], first - low[u], source, count, gain[o], o - start[u]
            )


@njit
def read_path(
    start: Ints, cost: Ints, succ: Ints, low: Ints, place: Ints, picks: NDArray[Any], budget: int
) -> Ints:
    """Follow the best options from the first class on; -1 for classes that are not reached."""
    n = start.size - 1
    path = np.full(n, -1, dtype=np.int64)
    u, left = 0, budget
    while u < n:
        o = start[u] + np.int64(picks[place[u] + left - low[u]])
        path[u] = o
        left -= cost[o]
        u = succ[o]
    return path
