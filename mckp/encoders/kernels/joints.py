"""The surroundings of codes in a text, with and without the codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.encoders.kernels.kinds import ENDS, RUN
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.encoders.kernels.cutting import Text
    from mckp.encoders.kernels.kinds import Kinds
    from mckp.jit import Ints


@njit
def find_windows(
    text: Text, kinds: Kinds, names: Text, reach: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the place, start, end and number of all that surrounds codes, each told once.

    A code is what ``names[char] >= 0`` is said of. Surroundings end with the run of letters,
    digits, marks or blanks that they begin with, and one character, at the latest after
    `reach` characters. Time O(n).
    """
    uses = 0
    for char in text:
        if names[char] >= 0:
            uses += 1
    places, lows = np.empty(uses, dtype=np.int64), np.empty(uses, dtype=np.int64)
    highs, times = np.empty(uses, dtype=np.int64), np.zeros(uses, dtype=np.int64)
    size = 16
    while size < 2 * uses:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    found = 0
    for place in range(text.size):
        if names[text[place]] < 0:
            continue
        low, high = _window(kinds, place, reach)
        slot = _hashed(text, low, place, high) & (size - 1)
        while slots[slot] >= 0:
            window = slots[slot]
            if (
                places[window] - lows[window] == place - low
                and highs[window] - lows[window] == high - low
                and _same(text, int(lows[window]), low, high - low)
            ):
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = found
            places[found], lows[found], highs[found] = place, low, high
            found += 1
        times[slots[slot]] += 1
    return places[:found], lows[:found], highs[:found], times[:found]


@leaf
def _window(kinds: Kinds, place: int, reach: int) -> tuple[int, int]:
    low, high = place, place + 1
    least, most = max(0, place - reach), min(kinds.size, place + 1 + reach)
    while low > least and _alike(kinds, low - 1, place - 1):
        low -= 1
    while high < most and _alike(kinds, high, place + 1):
        high += 1
    return max(least, low - 1), min(most, high + 1)


@leaf
def _alike(kinds: Kinds, left: int, right: int) -> bool:
    """Whether two characters stand in one run."""
    return int((kinds[left] ^ kinds[right]) & (ENDS - 1)) >> RUN == 0


@leaf
def _hashed(text: Text, low: int, place: int, high: int) -> int:
    key = place - low
    for i in range(low, high):
        key = ((key ^ int(text[i])) * 0x2C1B3C6D) & 0x3FFFFFFF
        key ^= key >> 13
    return key


@leaf
def _same(text: Text, left: int, right: int, size: int) -> bool:
    for i in range(size):  # noqa: SIM110
        if text[left + i] != text[right + i]:
            return False
    return True


@njit
def unfold(
    text: Text, windows: tuple[Ints, Ints, Ints], names: Text, pool: Text, bounds: Ints
) -> tuple[Text, Ints]:
    """Write each window, first with what its code stands for, then with the code.

    Returns the text of all, and where each of them ends.
    """
    places, lows, highs = windows
    size = 0
    for k in range(places.size):
        name = names[text[places[k]]]
        size += 2 * (highs[k] - lows[k]) - 1 + bounds[name + 1] - bounds[name]
    unfolded, stops = np.empty(size, dtype=np.int32), np.empty(2 * places.size, dtype=np.int64)
    n = 0
    for k in range(places.size):
        low, place, high = int(lows[k]), int(places[k]), int(highs[k])
        name = names[text[place]]
        n = _put(unfolded, n, text, low, place)
        n = _put(unfolded, n, pool, int(bounds[name]), int(bounds[name + 1]))
        n = _put(unfolded, n, text, place + 1, high)
        stops[2 * k] = n
        n = _put(unfolded, n, text, low, high)
        stops[2 * k + 1] = n
    return unfolded, stops


@leaf
def _put(out: Text, n: int, source: Text, start: int, end: int) -> int:
    for i in range(end - start):
        out[n + i] = source[start + i]
    return n + end - start
