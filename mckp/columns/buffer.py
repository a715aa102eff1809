"""Bytes being written and read by kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import leaf

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    Ints: TypeAlias = NDArray[np.int64]

_AT_ONCE: Final = 1 << 16
"""Characters that are encoded at once."""


def encoded(text: str) -> Bytes:
    """Return a text in UTF-8, as an array of its own; there is no second copy on the way.

    Raises
    ------
    UnicodeEncodeError
        For what UTF-8 has no bytes for.
    """
    places = range(0, len(text), _AT_ONCE)
    size = sum(len(text[place : place + _AT_ONCE].encode()) for place in places)
    found, n = np.empty(size, np.uint8), 0
    for place in places:
        piece = np.frombuffer(text[place : place + _AT_ONCE].encode(), np.uint8)
        found[n : n + piece.size] = piece
        n += piece.size
    return found


@leaf
def put(out: Bytes, n: int, source: Bytes, start: int, end: int) -> int:
    """Append a piece of a buffer and return the new size.

    What does not fit is counted, yet not written: a size beyond the buffer says how large it
    should have been, and the caller tries again.
    """
    size = n + end - start
    if size <= out.size:
        # Places that cannot be below zero need no test for that, and become one move.
        here, there = np.uint64(n), np.uint64(start)
        for i in range(np.uint64(end - start)):
            out[here + i] = source[there + i]
    return size


@leaf
def put_byte(out: Bytes, n: int, byte: int) -> int:
    """Append one byte."""
    if n < out.size:
        out[n] = byte
    return n + 1


@leaf
def put_number(out: Bytes, n: int, number: int) -> int:
    """Append a number, 0 or more, in decimal digits."""
    digits = 1
    rest = number // 10
    while rest:
        digits += 1
        rest //= 10
    if n + digits <= out.size:
        for i in range(digits):
            out[n + digits - 1 - i] = 48 + number % 10
            number //= 10
    return n + digits


@leaf
def same_bytes(left: Bytes, start: int, end: int, right: Bytes, begin: int, stop: int) -> bool:
    """Whether two pieces of buffers are equal."""
    if end - start != stop - begin:
        return False
    here, there = np.uint64(start), np.uint64(begin)
    for i in range(np.uint64(end - start)):  # noqa: SIM110
        if left[here + i] != right[there + i]:
            return False
    return True


@leaf
def hashed(source: Bytes, start: int, end: int, seed: int) -> int:
    """Return a number of 62 bits, 0 or more, for a piece of a buffer."""
    h = np.uint64(seed) ^ np.uint64(0x9E3779B97F4A7C15)
    i = start
    while i + 8 <= end:
        word = np.uint64(0)
        for k in range(8):
            word |= np.uint64(source[i + k]) << np.uint64(8 * k)
        h = (h ^ word) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
        i += 8
    word = np.uint64(end - start) << np.uint64(56)
    for k in range(end - i):
        word |= np.uint64(source[i + k]) << np.uint64(8 * k)
    h = (h ^ word) * np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    h ^= h >> np.uint64(33)
    return int(np.int64(h >> np.uint64(2)))
