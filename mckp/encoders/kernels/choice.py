"""Choose among repeats those that do not touch one another, and put symbols for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.encoders.kernels.intervals import saved
from mckp.encoders.kernels.sorting import sort_pairs
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from typing import TypeAlias

    from mckp.encoders.kernels.intervals import Flags, Rules, Small
    from mckp.jit import Ints

    Columns: TypeAlias = tuple[Ints, Ints, Flags, Ints, Ints]


@njit
def choose(
    order: Small, repeats: tuple[Ints, Ints, Ints, Ints, Ints], most: int, rules: Rules
) -> tuple[Ints, Ints, Ints]:
    """Return the places of the chosen repeats, where those of each one begin, and the sizes.

    Places that touch one another, or a better repeat, are left out. Time O(n * patience) for
    n symbols: runs of one thing repeat at every place, in every size, all of them in vain.
    """
    low, high, shift, sizes, weights = repeats
    n = order.size
    taken = np.zeros(n, dtype=np.bool_)
    places, free = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    bounds, chosen = np.zeros(most + 1, dtype=np.int64), np.empty(most, dtype=np.int64)
    room = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    found, effort = 0, rules[5] * n
    for i in range(low.size):
        effort -= high[i] - low[i]
        if effort < 0 or found == most:
            break
        size = sizes[i]
        count = _free_places(order[low[i] : high[i]], shift[i], size, taken, free)
        # A repeat that lost places to better ones waits for the next round, which knows more.
        worth = saved(weights[i], min(high[i] - low[i], n // size), rules)
        least = max(rules[1], worth * 4 // 5)
        if count < 2 or saved(weights[i], count, rules) < least:
            continue
        _sort(free, count, n, room)
        first = bounds[found]
        end, looked = _apart(free, count, size, taken, places, first)
        effort -= looked // rules[6]
        if end - first < 2 or saved(weights[i], end - first, rules) < least:
            continue
        for k in range(first, end):
            taken[places[k] : places[k] + size] = True
        chosen[found] = size
        found += 1
        bounds[found] = end
    return places[: bounds[found]], bounds[: found + 1], chosen[:found]


@leaf
def _free_places(order: Small, shift: int, size: int, taken: Flags, free: Ints) -> int:
    """List where both ends of a repeat are free."""
    count = 0
    for start in order:
        place = start + shift
        if not (taken[place] or taken[place + size - 1]):
            free[count] = place
            count += 1
    return count


@njit
def _sort(numbers: Ints, size: int, bound: int, room: tuple[Ints, Ints, Ints]) -> None:
    bits = 0
    while bound >> bits:
        bits += 1
    sort_pairs(numbers, room[0], size, bits, (room[1], room[2]))


@leaf
def _apart(
    free: Ints, count: int, size: int, taken: Flags, places: Ints, filled: int
) -> tuple[int, int]:
    """Append the sorted places where a repeat overlaps neither taken ones nor itself.

    Returns how many places there are now, and how many symbols were looked at.
    """
    end, looked = 0, 0
    for place in free[:count]:
        if place < end:
            continue
        looked += size
        clear = True
        for k in range(place, place + size):
            if taken[k]:
                clear = False
                break
        if clear:
            places[filled] = place
            filled += 1
            end = place + size
    return filled, looked


@njit
def covered(order: Small, repeats: tuple[Ints, Ints, Ints, Ints, Ints], rules: Rules) -> Flags:
    """Tell which symbols stand in a repeat; all of them, if looking takes too long."""
    low, high, shift, sizes, _ = repeats
    n = order.size
    found = np.ones(n, dtype=np.bool_)
    if (high - low).sum() > rules[5] * n:
        return found
    ends = np.zeros(n, dtype=np.int64)
    for i in range(low.size):
        size = shift[i] + sizes[i]
        for start in order[low[i] : high[i]]:
            ends[start] = max(ends[start], start + size)
    end = 0
    for i in range(n):
        end = max(end, ends[i])
        found[i] = i < end
    return found


@njit
def replace(
    text: Columns, places: Ints, bounds: Ints, sizes: Ints, covers: Flags, fresh: int, code: int
) -> Columns:
    """Put a fresh symbol at each place of a repeat, and the repeat itself once at the end.

    A break stands before each such repeat, and in place of symbols that nothing covers.
    """
    n = text[0].size
    into = np.full(n, -1, dtype=np.int64)
    shrunk = n
    for i in range(sizes.size):
        into[places[bounds[i] : bounds[i + 1]]] = i
        shrunk += sizes[i] + 1 - (bounds[i + 1] - bounds[i]) * (sizes[i] - 1)
    symbols, weights = np.empty(shrunk, dtype=np.int64), np.empty(shrunk, dtype=np.int64)
    inner = np.empty(shrunk, dtype=np.bool_)
    starts, ends = np.empty(shrunk, dtype=np.int64), np.empty(shrunk, dtype=np.int64)
    made = symbols, weights, inner, starts, ends
    filled = 0
    i = 0
    while i < n:
        if not (covers[i] or (i and covers[i - 1])):
            i += 1
            continue
        _copy(text, i, i + 1, made, filled)
        if not covers[i]:
            symbols[filled], weights[filled], inner[filled] = -1, 0, True
        elif into[i] >= 0:
            symbols[filled], weights[filled], inner[filled] = fresh + into[i], code, False
            i += int(sizes[into[i]]) - 1
            ends[filled] = text[4][i]
        filled += 1
        i += 1
    for i in range(sizes.size):
        symbols[filled], weights[filled], inner[filled] = -1, 0, True
        starts[filled], ends[filled] = 0, 0
        first, size = int(places[bounds[i]]), int(sizes[i])
        _copy(text, first, first + size, made, filled + 1)
        filled += 1 + size
    return (symbols[:filled], weights[:filled], inner[:filled], starts[:filled], ends[:filled])


@leaf
def _copy(text: Columns, start: int, end: int, made: Columns, at: int) -> None:
    for k in range(end - start):
        made[0][at + k], made[1][at + k] = text[0][start + k], text[1][start + k]
        made[2][at + k] = text[2][start + k]
        made[3][at + k], made[4][at + k] = text[3][start + k], text[4][start + k]
