"""Sort the suffixes of an array of symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.encoders.kernels.sorting import FEW, insert, sort_pairs
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from mckp.jit import Ints

    Small: TypeAlias = NDArray[np.int32]

BITS: Final = 62
"""What fits into one key."""


@njit
def sort_suffixes(symbols: Ints) -> tuple[Small, Small]:
    """Return the order of the suffixes, and how many symbols neighbours have in common.

    A symbol below zero equals no other one. Groups that begin alike are sorted by the ranks
    of what stands behind that, twice as far in every round, until each holds one suffix. Time
    O(n log n) for n symbols.
    """
    n = symbols.size
    told = _tell_apart(symbols)
    order, ranks = np.arange(n).astype(np.int32), np.empty(n, dtype=np.int32)
    keys = np.empty(n, dtype=np.int64)
    room = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int32)
    step = _sort_by_first(told, order, keys, room)
    lows, highs = np.empty(n // 2 + 1, dtype=np.int32), np.empty(n // 2 + 1, dtype=np.int32)
    groups = _split(order, keys, 0, n, ranks, lows, highs, 0)
    while groups:
        groups = _refine(order, ranks, (lows, highs), groups, step, keys, room)
        step *= 2
    return order, _common(told, order)


@njit
def _refine(
    order: Small,
    ranks: Small,
    bounds: tuple[Small, Small],
    groups: int,
    step: int,
    keys: Ints,
    room: tuple[Ints, Small],
) -> int:
    """Sort each group by the ranks some steps ahead; list the groups that are left."""
    n = order.size
    bits = _bits(n)
    lows, highs = bounds[0][:groups].copy(), bounds[1][:groups].copy()
    turns = np.arange(groups).astype(np.int32)
    positions = (n - 1 - order[lows]).astype(np.int64)
    # From the end of the text on, so that what a group is sorted by is sorted already.
    sort_pairs(positions, turns, groups, bits, room)
    left = 0
    for turn in turns:
        low, high = lows[turn], highs[turn]
        for i in range(low, high):
            ahead = order[i] + step
            keys[i - low] = ranks[ahead] + 1 if ahead < n else 0
        if high - low <= FEW:
            insert(keys, order, low, high - low)
        else:
            sort_pairs(keys, order[low:high], high - low, bits, room)
        left = _split(order, keys, low, high, ranks, bounds[0], bounds[1], left)
    return left


@njit
def _tell_apart(symbols: Ints) -> Small:
    """Give each symbol below zero a number of its own."""
    told = symbols.astype(np.int32)
    fresh = 0
    for symbol in symbols:
        fresh = max(fresh, symbol + 1)
    for i in range(told.size):
        if told[i] < 0:
            told[i] = fresh
            fresh += 1
    return told


@njit
def _sort_by_first(told: Small, order: Small, keys: Ints, room: tuple[Ints, Small]) -> int:
    """Sort by as many first symbols as fit into a key, and return how many those are."""
    n = told.size
    width = _bits(told.max() + 2 if n else 1)
    size = max(1, BITS // width)
    key, mask = 0, (1 << (width * size)) - 1
    for i in range(n + size - 1):
        key = (key << width) & mask
        if i < n:
            key |= int(told[i]) + 1
        if i >= size - 1:
            keys[i - size + 1] = key
    sort_pairs(keys, order, n, width * size, room)
    return size


@leaf
def _bits(number: int) -> int:
    bits = 0
    while number:
        bits += 1
        number >>= 1
    return bits


@leaf
def _split(
    order: Small,
    keys: Ints,
    low: int,
    high: int,
    ranks: Small,
    lows: Small,
    highs: Small,
    groups: int,
) -> int:
    """Rank a sorted group by its keys, and list the smaller groups of several in it."""
    first = low
    for i in range(low, high):
        if i > low and keys[i - low] != keys[i - low - 1]:
            first = i
        ranks[order[i]] = first
        if i > first and (i + 1 == high or keys[i - low + 1] != keys[i - low]):
            lows[groups], highs[groups] = first, i + 1
            groups += 1
    return groups


@njit
def _common(told: Small, order: Small) -> Small:
    """Return how many symbols each suffix has in common with the next one in order."""
    n = told.size
    after = np.full(n, -1, dtype=np.int32)
    for rank in range(n - 1):
        after[order[rank]] = order[rank + 1]
    height = 0
    for i in range(n):
        j = after[i]
        if j < 0:
            height = 0
            continue
        height += _alike(told, i + height, j + height)
        after[i] = height
        height = max(0, height - 1)
    return after[order[: max(0, n - 1)]]


@leaf
def _alike(told: Small, i: int, j: int) -> int:
    """Return how many symbols are the same from two places on; the end equals nothing."""
    # Places that cannot be below zero need no test for that.
    here, there = np.uint64(i), np.uint64(j)
    for k in range(np.uint64(told.size - max(i, j))):
        if told[here + k] != told[there + k]:
            return int(k)
    return int(told.size - max(i, j))
