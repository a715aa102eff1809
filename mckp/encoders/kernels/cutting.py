"""Cut a text into parts, number those that are equal, and weigh them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.encoders.kernels.kinds import ATOMS, ENDS, FIGURE, OTHER, POINT, STATE
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from mckp.encoders.kernels.kinds import Kinds, Moves
    from mckp.jit import Ints

    Text: TypeAlias = NDArray[np.int32]


@njit
def distinct(text: Text) -> Ints:
    """Return the characters of a text, each once."""
    most = 0
    for char in text:
        most = max(most, char)
    found = np.zeros(most + 1, dtype=np.bool_)
    for char in text:
        found[char] = True
    return np.flatnonzero(found)


@njit
def cut(text: Text, kinds: Kinds, stops: Ints, moves: Moves, shift: int) -> tuple[Ints, Ints, Ints]:
    """Cut a text; return the number of each part, its end, and the first part of each number.

    Parts are equal where their numbers are; numbers are given in order. `kinds` is of each
    character, `moves` is by their four bits above `shift`. No part lies across one of the
    `stops`, the last of which is the end of the text. Time O(n).
    """
    ends = np.empty(text.size + 1, dtype=np.int64)
    count, start = 0, 0
    for stop in stops:
        state = 0
        for i in range(start, stop):
            kind = (kinds[i] >> shift) & (ENDS - 1)
            if kind == POINT and shift == ATOMS and not _is_figure(kinds, i + 1):
                kind = OTHER
            move = moves[state, kind]
            # Written over unless a part ends here: cheaper than to foresee whether one does.
            ends[count] = i
            count += move >> STATE
            state = move & (ENDS - 1)
        ends[count] = stop
        count += stop > start
        start = stop
    ends = ends[:count].copy()
    names, firsts = _named(text, ends)
    return names, ends, firsts


@leaf
def _is_figure(kinds: Kinds, i: int) -> bool:
    return i < kinds.size and kinds[i] >> ATOMS == FIGURE


@njit
def _named(text: Text, ends: Ints) -> tuple[Ints, Ints]:
    """Give each distinct part of a text a number."""
    names, firsts = np.empty(ends.size, dtype=np.int64), np.empty(ends.size, dtype=np.int64)
    hashes = np.empty(ends.size, dtype=np.int64)
    slots = np.full(1 << 12, -1, dtype=np.int64)
    count, known = _fill(text, ends, slots, (names, firsts, hashes), 0, 0)
    while count < ends.size:
        slots = np.full(4 * slots.size, -1, dtype=np.int64)
        for name in range(known):
            slots[_free(slots, hashes[name])] = name
        count, known = _fill(text, ends, slots, (names, firsts, hashes), count, known)
    return names, firsts[:known].copy()


@leaf
def _fill(
    text: Text, ends: Ints, slots: Ints, parts: tuple[Ints, Ints, Ints], count: int, known: int
) -> tuple[int, int]:
    """Number parts until half the slots are taken; return how many parts and numbers there are."""
    names, firsts, hashes = parts
    start = ends[count - 1] if count else 0
    while count < ends.size and 2 * known < slots.size:
        end = ends[count]
        key = _hashed(text, start, end)
        slot = key & (slots.size - 1)
        name = slots[slot]
        while name >= 0:
            first = firsts[name]
            begin, stop = int(ends[first - 1]) if first else 0, int(ends[first])
            if hashes[name] == key and _same(text, begin, stop, start, end):
                break
            slot = (slot + 1) & (slots.size - 1)
            name = slots[slot]
        if name < 0:
            name = slots[slot] = known
            hashes[known], firsts[known] = key, count
            known += 1
        names[count] = name
        count += 1
        start = end
    return count, known


@leaf
def _free(slots: Ints, key: int) -> int:
    slot = key & (slots.size - 1)
    while slots[slot] >= 0:
        slot = (slot + 1) & (slots.size - 1)
    return slot


@leaf
def _hashed(text: Text, start: int, end: int) -> int:
    key = 0
    for i in range(start, end):
        key = (key * 0x2C1B3D + int(text[i])) & 0xFFFFFFFFFF
    return key ^ (key >> 17)


@leaf
def _same(text: Text, begin: int, stop: int, start: int, end: int) -> bool:
    if end - start != stop - begin:
        return False
    for i in range(end - start):  # noqa: SIM110
        if text[begin + i] != text[start + i]:
            return False
    return True


@njit
def weigh(text: Text, pieces: tuple[Ints, Ints], tokens: Ints, ends: Ints, unit: int) -> Ints:
    """Return the weight of each atom: its share of the tokens of the pieces it is part of.

    `pieces` are numbers and ends, `tokens` is for each number, `ends` is of the atoms.
    """
    weights = np.empty(ends.size, dtype=np.int64)
    names, stops = pieces
    piece, start, spent = 0, 0, 0
    for atom in range(ends.size):
        end = ends[atom]
        weight = 0
        while piece < stops.size:
            leading = 1 if text[start] == 32 and stops[piece] - start > 1 else 0
            share = tokens[names[piece]] * unit // (stops[piece] - start - leading)
            reached = min(end, stops[piece])
            now = share * max(0, reached - start - leading)
            weight += now - spent
            spent = now
            if reached < stops[piece]:
                break
            piece, start, spent = piece + 1, stops[piece], 0
            if reached == end:
                break
        weights[atom] = weight
    return weights
