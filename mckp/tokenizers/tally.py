"""Sums of the tokens of pieces, looked up in a hash table of pieces seen before.

A slot of the table is two numbers: a key, 0 where it is free, and what is known of the piece.
Up to seven bytes are a key by themselves; longer pieces stand in an arena to be compared with.
No number passes 63 bits, so the loops mean the same to Python.

What is called for each piece has one loop, or calls nothing: else Numba would count references
to its arrays on every call, which takes longer than all the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.jit import njit
from mckp.tokenizers.automata import AFTER, BEFORE, CLASSES, FINALLY, STATE
from mckp.tokenizers.classes import UNKNOWN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mckp.jit import Ints

    Bytes = NDArray[np.uint8]

LATER: Final = -1
"""The count of a slice with a piece whose tokens are not known yet."""
DECLINED: Final = -2
"""The count of a slice that is not split here."""

LONGEST: Final = 1023
"""Bytes of the longest piece that is kept; a slice with a longer one is declined."""
COUNT_BITS: Final = 10
PIECES: Final = 0
"""Place in a state: pieces in the table."""
USED: Final = 1
"""Place in a state: bytes of the arena in use."""
SHORT: Final = 2
"""Place in a state: whether room was short."""

_INNER: Final = CLASSES
"""Added to the class of bytes that do not start a character."""
_INLINE: Final = 7
_PROBES: Final = 64
_LOW: Final = 2**31 - 1


@njit
def _inner(text: Bytes, i: int) -> int:
    """Return the six bits of a continuation byte, or a number far below zero."""
    if i >= text.size or text[i] >> 6 != 2:
        return -(2**30)
    return int(text[i]) & 63


@njit
def classify(text: Bytes, classes: Bytes, kinds: Bytes) -> None:
    """Write the class of the character that each byte belongs to; `_INNER` more inside of it."""
    i = 0
    while i < text.size:
        first = int(text[i])
        if first < 0x80:
            kinds[i] = classes[first]
            i += 1
            continue
        code, width, least = -1, 1, 0x80
        if 0xC2 <= first < 0xE0:
            code, width = ((first & 31) << 6) + _inner(text, i + 1), 2
        elif 0xE0 <= first < 0xF0:
            code = ((first & 15) << 12) + (_inner(text, i + 1) << 6) + _inner(text, i + 2)
            width, least = 3, 0x800
        elif 0xF0 <= first < 0xF5:
            code = ((first & 7) << 18) + (_inner(text, i + 1) << 12)
            code += (_inner(text, i + 2) << 6) + _inner(text, i + 3)
            width, least = 4, 0x10000
        kind = UNKNOWN if code < least or code >= classes.size else int(classes[code])
        kinds[i] = kind
        for k in range(i + 1, min(i + width, text.size)):
            kinds[k] = kind + _INNER
        i += width


@njit
def piece_end(kinds: Bytes, i: int, end: int, moves: Bytes) -> int:
    """Return where the piece ends that starts at a place; the place itself if none does."""
    stop, limit = i, end
    move = 0
    while i < limit:
        kind = int(kinds[i])
        if kind < _INNER:
            move = int(moves[(move & STATE) * CLASSES + kind])
            if move == 0:
                limit = i
            if move & BEFORE:
                stop = i
        i += 1
        if move & AFTER:
            stop = i
    return end if move & FINALLY else stop


@njit
def _mixed(number: int) -> int:
    """Return a number of 62 bits that depends on all bits of one of 62."""
    mixed = (number & _LOW) * 0x7FB5D329 + (number >> 31) * 0x6C8E9CF5
    return (mixed ^ (mixed >> 29)) & (2**62 - 1)


@njit
def _key(text: Bytes, start: int, end: int) -> int:
    """Return the key of a piece: its bytes and their number if that fits, else a hash."""
    word = end - start
    if word <= _INLINE:
        for i in range(start, end):
            word = (word << 8) | int(text[i])
        return word
    key = 0
    i = start
    while i + _INLINE <= end:
        word = 0
        for k in range(_INLINE):
            word = (word << 8) | int(text[i + k])
        key = _mixed(key ^ word)
        i += _INLINE
    word = end - start
    while i < end:
        word = (word << 8) | int(text[i])
        i += 1
    return _mixed(key ^ word) | 2**61


@njit
def _same(arena: Bytes, place: int, text: Bytes, start: int, end: int) -> bool:
    """Whether a piece stands at a place of the arena, behind two bytes that give its length."""
    size = end - start
    if int(arena[place]) * 256 + int(arena[place + 1]) != size:
        return False
    for i in range(size):  # noqa: SIM110
        if arena[place + 2 + i] != text[start + i]:
            return False
    return True


@njit
def _enter(
    text: Bytes,
    start: int,
    end: int,
    slot: int,
    table: Ints,
    arena: Bytes,
    state: Ints,
    unknown: Ints,
) -> bool:
    """Put a piece in a free slot, and its slot, start and end in `unknown`, if there is room."""
    size, place = end - start, int(state[USED])
    if state[PIECES] >= table.size // 4 or place + size + 2 > arena.size:
        return False
    table[2 * slot] = _key(text, start, end)
    if size > _INLINE:
        arena[place] = size >> 8
        arena[place + 1] = size & 255
        for i in range(size):
            arena[place + 2 + i] = text[start + i]
        state[USED] = place + 2 + size
        table[2 * slot + 1] = place << COUNT_BITS
    state[PIECES] += 1
    first = 3 * unknown[0] + 1
    unknown[first], unknown[first + 1], unknown[first + 2] = slot, start, end
    unknown[0] += 1
    return True


@njit
def tally(
    text: Bytes,
    kinds: Bytes,
    starts: Ints,
    ends: Ints,
    moves: Bytes,
    table: Ints,
    arena: Bytes,
    state: Ints,
    unknown: Ints,
    counts: Ints,
) -> int:
    """Count the slices that wait for it, and return how many have to wait on.

    Slices whose count is not `LATER` are left alone. `unknown` becomes the number of new
    pieces, then slot, start and end of each; their tokens are to be added to their slots.
    """
    state[SHORT] = 0
    unknown[0] = 0
    waiting = 0
    mask = table.size // 2 - 1
    for number in range(starts.size):
        if counts[number] != LATER:
            continue
        i, end = int(starts[number]), int(ends[number])
        total = 0
        missing = 0
        while i < end:
            stop = piece_end(kinds, i, end, moves)
            if stop == i or stop - i > LONGEST:
                break
            key = _key(text, i, stop)
            slot = _mixed(key) & mask
            tokens = 0
            for _ in range(_PROBES):
                found = table[2 * slot]
                if found == key and (
                    stop - i <= _INLINE
                    or _same(arena, table[2 * slot + 1] >> COUNT_BITS, text, i, stop)
                ):
                    tokens = int(table[2 * slot + 1] & (2**COUNT_BITS - 1))
                    break
                if found == 0:
                    if not _enter(text, i, stop, slot, table, arena, state, unknown):
                        state[SHORT] = 1
                    break
                slot = (slot + 1) & mask
            missing += tokens == 0
            total += tokens
            i = stop
        if i < end:
            counts[number] = DECLINED
        elif missing:
            waiting += 1
        else:
            counts[number] = total
    return waiting


@njit
def spread(table: Ints, larger: Ints) -> None:
    """Put all that stands in a table in a larger one that is empty."""
    mask = larger.size // 2 - 1
    for old in range(table.size // 2):
        if table[2 * old]:
            slot = _mixed(table[2 * old]) & mask
            while larger[2 * slot]:
                slot = (slot + 1) & mask
            larger[2 * slot], larger[2 * slot + 1] = table[2 * old], table[2 * old + 1]
