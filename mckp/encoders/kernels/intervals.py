"""What repeats in an array of symbols, and how much each repeat would save."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.encoders.kernels.sorting import sort_pairs
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from mckp.jit import Ints

    Flags: TypeAlias = NDArray[np.bool_]
    Small: TypeAlias = NDArray[np.int32]
    Rules: TypeAlias = tuple[int, int, int, int, int, int, int]
    """As `mckp.encoders.repeats.RULES` has them."""


@njit
def find_repeats(
    order: Small, common: Small, inner: Flags, total: Ints, rules: Rules
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return low, high, shift, size and weight of each repeat that saves enough, best first.

    `total` is the weight of all symbols before each. Time O(n) for n symbols but for the
    sorting.
    """
    n = order.size
    low, high = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    size = np.empty(n, dtype=np.int64)
    found = _intervals(common, low, high, size)
    shift, weight = np.empty(found, dtype=np.int64), np.empty(found, dtype=np.int64)
    losses, rank = np.empty(found, dtype=np.int64), np.empty(found, dtype=np.int64)
    kept, most = 0, 0
    for i in range(found):
        start = int(order[low[i]])
        shift[i], size[i] = _trimmed(inner, start, size[i], rules[0])
        weight[i] = total[start + shift[i] + size[i]] - total[start + shift[i]]
        uses = min(high[i] - low[i], n // max(size[i], 1))
        saving = saved(weight[i], uses, rules)
        if saving >= rules[1] and size[i]:
            losses[kept], rank[kept] = saving, i
            most = max(most, saving)
            kept += 1
    _best_first(losses, rank, kept, most)
    rank = rank[:kept]
    return low[rank], high[rank], shift[rank], size[rank], weight[rank]


@leaf
def saved(weight: int, uses: int, rules: Rules) -> int:
    """Return what a repeat saves; less than nothing if it is too short to be looked up."""
    _, _, shortest, code, definition, _, _ = rules
    return -1 if weight < shortest else uses * (weight - code) - weight - definition


@njit
def _intervals(common: Small, low: Ints, high: Ints, size: Ints) -> int:
    """Find size, low and high of every repeat that no longer one stands for everywhere."""
    heights = np.empty(common.size + 1, dtype=np.int64)
    lows = np.empty(common.size + 1, dtype=np.int64)
    top, found = 0, 0
    for i in range(common.size + 1):
        height = common[i] if i < common.size else 0
        first = i
        while top and heights[top - 1] > height:
            top -= 1
            first = lows[top]
            low[found], high[found], size[found] = first, i + 1, heights[top]
            found += 1
        if height and (top == 0 or heights[top - 1] < height):
            heights[top], lows[top] = height, first
            top += 1
    return found


@leaf
def _trimmed(inner: Flags, start: int, size: int, edges: int) -> tuple[int, int]:
    """Return how far a repeat moves, and its size, without inner symbols at its ends."""
    shift = 0
    for _ in range(edges):
        last = size and inner[start + shift + size - 1]
        size -= 1 if last else 0
        first = size and inner[start + shift]
        if first:
            shift += 1
            size -= 1
        elif not last:
            break
    return shift, size


@njit
def _best_first(savings: Ints, rank: Ints, size: int, most: int) -> None:
    bits = 0
    while most >> bits:
        bits += 1
    for i in range(size):
        savings[i] = most - savings[i]
    room = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    sort_pairs(savings, rank, size, bits, room)
