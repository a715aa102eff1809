"""Sort numbers that come with other numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.jit import Ints

FEW: Final = 48
"""So many are sorted by insertion."""
DIGIT: Final = 11
"""Bits that one pass looks at, at most."""


@njit
def sort_pairs(keys: Ints, values: Any, size: int, bits: int, room: tuple[Ints, Any]) -> None:
    """Sort the first `size` pairs by key, 0 or more and below ``1 << bits``; equal ones stay.

    Time O(size * bits). `room` is for two arrays as long as they are.
    """
    if size <= FEW:
        insert(keys, values, 0, size)
        return
    passes = (bits + DIGIT - 1) // DIGIT
    digit = (bits + passes - 1) // passes
    for i in range(passes):
        if i % 2:
            _distribute(room[0], room[1], keys, values, size, i * digit, digit)
        else:
            _distribute(keys, values, room[0], room[1], size, i * digit, digit)
    if passes % 2:
        for i in range(size):
            keys[i], values[i] = room[0][i], room[1][i]


@leaf
def insert(keys: Ints, values: Any, first: int, size: int) -> None:
    """Sort some pairs by key; their values begin at `first`. Equal ones stay."""
    for i in range(1, size):
        key, value, j = keys[i], values[first + i], i
        while j and keys[j - 1] > key:
            keys[j], values[first + j] = keys[j - 1], values[first + j - 1]
            j -= 1
        keys[j], values[first + j] = key, value


@njit
def _distribute(
    keys: Ints, values: Any, to_keys: Ints, to_values: Any, size: int, shift: int, digit: int
) -> None:
    """Sort pairs by some bits of their keys, into other arrays."""
    # Places that cannot be below zero need no test for that.
    mask, by = np.uint64((1 << digit) - 1), np.uint64(shift)
    place = np.zeros((1 << digit) + 1, dtype=np.uint64)
    one = np.uint64(1)
    for i in range(np.uint64(size)):
        place[((np.uint64(keys[i]) >> by) & mask) + one] += one
    for i in range(mask):
        place[i + one] += place[i]
    for i in range(np.uint64(size)):
        slot = (np.uint64(keys[i]) >> by) & mask
        to = place[slot]
        to_keys[to], to_values[to] = keys[i], values[i]
        place[slot] = to + one
