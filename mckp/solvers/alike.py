"""Equal segments of numbers, found with operations on whole arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.table import Ints

MIX: Final = -7046029254386353131, 1181783497276652981
"""Odd numbers that spread the bits of a product (D. E. Knuth, "The Art of Computer Programming 3",
section 6.4)."""


def alike(first: Ints, rows: Sequence[Ints], own: Sequence[Ints]) -> Ints:
    """Return, for each segment, the index of the first segment that is equal to it.

    Segment ``n`` has the numbers from ``first[n]`` up to ``first[n + 1] - 1`` of each of the
    `rows`, and the number ``n`` of each array in `own`. Segments with equal hashes are compared in
    full; if the first of these differs from a segment, the index is the segment's own. Takes
    O(numbers).

    Examples
    --------
    >>> alike(np.array([0, 2, 3, 5]), [np.array([7, 8, 7, 7, 8])], [np.array([1, 1, 1])]).tolist()
    [0, 1, 0]
    """
    starts, sizes = first[:-1], np.diff(first)
    numbers = np.arange(sizes.size)
    offsets = np.arange(int(first[-1])) - np.repeat(starts, sizes)
    mixed = np.zeros(offsets.size, np.int64)
    for row in rows:
        mixed = (mixed ^ row) * MIX[0]
        mixed ^= mixed >> 29
    sums = np.append(0, np.cumsum(mixed * (MIX[1] * (2 * offsets + 1))))
    hashes = sums[first[1:]] - sums[starts]
    for row in (*own, sizes):
        hashes = (hashes ^ row) * MIX[0]
        hashes ^= hashes >> 29
    _, first_numbers, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    matches = first_numbers[inverse]
    differs = sizes != sizes[matches]
    for row in own:
        differs |= row != row[matches]
    matches[differs] = numbers[differs]
    segment = np.repeat(numbers, sizes)
    candidate = np.repeat(starts[matches], sizes) + offsets
    for row in rows:
        matches[segment[row != row[candidate]]] = -1
    return np.where(matches < 0, numbers, matches)
