"""Write a text in codes for many phrases at once, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.encoders.kernels.cutting import Text
    from mckp.encoders.kernels.intervals import Flags
    from mckp.jit import Ints

SIEVE: Final = 24
"""Bits of a key that many beginnings of phrases do not share; many of 2, 3, 4 and 6."""
EFFORT: Final = 30
"""Steps through the tree of phrases, for each character."""


@njit
def put_codes(text: Text, pool: Text, bounds: Ints, codes: Text, skip: Ints) -> tuple[bool, Text]:
    """Replace phrases by their codes, one phrase after the other, each from left to right.

    Phrases lie in `pool` between `bounds`, none longer than the one before; phrase ``k`` is
    left alone at ``skip[k]``. Returns whether that took no more steps than `EFFORT` allows,
    and the text. Time O(n) for n characters of text and phrases.
    """
    found, starts, phrases = _occurrences(text, pool, bounds)
    if found < 0:
        return False, text
    into = np.full(text.size, -1, dtype=np.int32)
    taken = np.zeros(text.size, dtype=np.bool_)
    saved = 0
    for k in _by_phrase(phrases[:found], codes.size):
        start, phrase = starts[k], phrases[k]
        size = bounds[phrase + 1] - bounds[phrase]
        # What is taken already is as long at least, so it lies over one of the ends.
        if start == skip[phrase] or taken[start] or taken[start + size - 1]:
            continue
        taken[start : start + size] = True
        into[start] = phrase
        saved += int(size) - 1
    return True, _written(text, into, bounds, codes, text.size - saved)


@njit
def _occurrences(text: Text, pool: Text, bounds: Ints) -> tuple[int, Ints, Ints]:
    """List where each phrase stands, whatever else stands there; -1 if that takes too long."""
    keys, nodes, ends, owners, runs = _tree(pool, bounds)
    sieve, reach = _sieve(pool, bounds)
    bits, key = SIEVE // reach * reach, 0
    starts, phrases = np.empty(text.size, dtype=np.int64), np.empty(text.size, dtype=np.int64)
    found, effort = 0, EFFORT * text.size
    for last in range(text.size):
        key = _sifted(key, text[last], bits // reach, bits)
        if not sieve[key >> (bits - 16)] or last + 1 < reach:
            continue
        start = last + 1 - reach
        node, i = 0, start
        while i < text.size:
            node = nodes[_slot(keys, node, text[i])]
            i += 1
            if node < 0:
                break
            stop = i + runs[node]
            offset = bounds[owners[node]] - start
            while i < min(stop, text.size) and text[i] == pool[offset + i]:
                i += 1
            if i < stop:
                break
            node += runs[node]
            if ends[node] >= 0:
                if found == text.size:
                    return -1, starts, phrases
                starts[found], phrases[found] = start, ends[node]
                found += 1
        effort -= i - start
        if effort < 0:
            return -1, starts, phrases
    return found, starts, phrases


@njit
def _tree(pool: Text, bounds: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the tree of all beginnings of phrases: a hash table, from node and character.

    Then, for each node, which phrase ends there, which one came there first, and how many
    nodes follow of which there is only one each. Those have the numbers behind it.
    """
    size = 16
    while size < 2 * (pool.size + 1):
        size *= 2
    keys, nodes = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    ends = np.full(pool.size + 1, -1, dtype=np.int64)
    owners, runs = np.zeros_like(ends), np.zeros_like(ends)
    children = np.zeros_like(ends)
    fresh = 1
    for phrase in range(bounds.size - 1):
        node = 0
        for char in pool[bounds[phrase] : bounds[phrase + 1]]:
            slot = _slot(keys, node, char)
            if keys[slot] < 0:
                keys[slot], nodes[slot] = (node << 21) | int(char), fresh
                owners[fresh] = phrase
                children[node] += 1
                fresh += 1
            node = nodes[slot]
        if ends[node] < 0:
            ends[node] = phrase
    for node in range(fresh - 1, 0, -1):
        if children[node] == 1 and ends[node] < 0:
            runs[node] = runs[node + 1] + 1
    return keys, nodes, ends, owners, runs


@leaf
def _slot(keys: Ints, node: int, char: int) -> int:
    """Return where in the table the way from a node by a character stands, or would."""
    key = (node << 21) | int(char)
    slot = (((key ^ (key >> 20)) & 0x3FFFFFFF) * 0x2C1B3C6D >> 10) & (keys.size - 1)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (keys.size - 1)
    return slot


@njit
def _sieve(pool: Text, bounds: Ints) -> tuple[Flags, int]:
    """Mark how phrases begin, and return how many characters of them that looks at."""
    reach = 6
    for phrase in range(bounds.size - 1):
        reach = min(reach, bounds[phrase + 1] - bounds[phrase])
    sieve, bits = np.zeros(1 << 16, dtype=np.bool_), SIEVE // reach * reach
    for start in bounds[:-1]:
        key = 0
        for i in range(start, start + reach):
            key = _sifted(key, pool[i], bits // reach, bits)
        sieve[key >> (bits - 16)] = True
    return sieve, reach


@leaf
def _sifted(key: int, char: int, shift: int, bits: int) -> int:
    """Add a character to a key of some bits, which forgets what is shifted out of it."""
    return ((key << shift) + (int(char) * 0x2C1B3C6D >> 7)) & ((1 << bits) - 1)


@njit
def _by_phrase(phrases: Ints, count: int) -> Ints:
    """Return the order of occurrences by their phrase, those of one phrase as they stand."""
    place = np.zeros(count + 1, dtype=np.int64)
    for phrase in phrases:
        place[phrase + 1] += 1
    for phrase in range(count):
        place[phrase + 1] += place[phrase]
    order = np.empty(phrases.size, dtype=np.int64)
    for k in range(phrases.size):
        order[place[phrases[k]]] = k
        place[phrases[k]] += 1
    return order


@njit
def _written(text: Text, into: Text, bounds: Ints, codes: Text, size: int) -> Text:
    written = np.empty(size, dtype=np.int32)
    i = 0
    for k in range(size):
        phrase = into[i]
        if phrase >= 0:
            written[k] = codes[phrase]
            i += bounds[phrase + 1] - bounds[phrase]
        else:
            written[k] = text[i]
            i += 1
    return written


@njit
def spell_codes(text: Text, names: Text, pool: Text, bounds: Ints) -> Text:
    """Replace each character ``c`` for which ``names[c]`` is no less than zero by that text.

    Characters beyond `names` stay. Time O(n) for n characters of the result.
    """
    size = 0
    for char in text:
        name = names[char] if char < names.size else -1
        size += bounds[name + 1] - bounds[name] if name >= 0 else 1
    spelt = np.empty(size, dtype=np.int32)
    i = 0
    for char in text:
        name = names[char] if char < names.size else -1
        if name < 0:
            spelt[i] = char
            i += 1
            continue
        for k in range(bounds[name], bounds[name + 1]):
            spelt[i] = pool[k]
            i += 1
    return spelt
