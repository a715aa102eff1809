"""Text that was written bare and then turns out to need quotation marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes


def _shorts() -> Bytes:
    """Return what stands behind the backslash of each byte that JSON escapes; else 0."""
    table = np.zeros(256, np.uint8)
    table[:32] = ord("u")
    table[list(b'"\\\b\f\n\r\t')] = list(b'"\\bfnrt')
    return table


_SHORTS: Final = _shorts()
_DIGITS: Final = np.frombuffer(b"0123456789abcdef", np.uint8)


@njit
def quote(out: Bytes, start: int, stop: int, n: int) -> int:
    """Turn a piece of what was written into a string of JSON, and return the new size.

    What stands behind the piece, up to `n`, is moved.
    """
    size = n + 2
    for place in range(start, min(stop, out.size)):
        short = _SHORTS[out[place]]
        size += 0 if short == 0 else 5 if short == 117 else 1
    if size > out.size:
        return int(size)
    for place in range(n - 1, stop - 1, -1):
        out[place + size - n] = out[place]
    place = stop + size - n - 1
    out[place] = 34
    for source in range(stop - 1, start - 1, -1):
        place = _put_before(out, place, out[source])
    out[start] = 34
    return int(size)


@njit
def _put_before(out: Bytes, place: int, c: int) -> int:
    """Write a byte as JSON has it right before a place; return where that begins."""
    short = _SHORTS[c]
    if short == 0:
        out[place - 1] = c
        return place - 1
    if short != 117:
        out[place - 1], out[place - 2] = short, 92
        return place - 2
    out[place - 1], out[place - 2] = _DIGITS[c & 15], _DIGITS[c >> 4]
    out[place - 3] = out[place - 4] = 48
    out[place - 5], out[place - 6] = 117, 92
    return place - 6
