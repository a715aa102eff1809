"""A document as arrays: one entry a value, in document order, made from its compact JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns.buffer import hashed, same_bytes
from mckp.jit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints

    Small = NDArray[np.int32]
    Kinds = NDArray[np.uint8]

OBJECT: Final = 0
ARRAY: Final = 1
STRING: Final = 2
NUMBER: Final = 3
LITERAL: Final = 4
"""``true``, ``false`` or ``null``."""


class Tape(NamedTuple):
    """The values of a document, parents before children, members and items in order.

    Attributes
    ----------
    text : array of uint8
        The compact JSON, then the contents of strings with escapes, then whatever else
        entries refer to.
    kind : array of uint8
        What each value is.
    start, end : arrays of int64
        Where its JSON stands in `text`; strings with their quotation marks.
    begin, stop : arrays of int64
        Where the content of a string stands in `text`, without quotation marks or escapes.
    key : array of int32
        The number of the member's name; -1 for items and roots.
    next : array of int32
        The entry behind the value and all below it: children of an entry ``i`` are ``i + 1``,
        ``next[i + 1]``, … up to ``next[i]``.
    size : array of int32
        How many children it has.
    facts : array of int32
        How many facts it holds: scalars and empty containers.
    same : array of int32
        The first entry whose JSON is the same to the byte.
    inner : array of int32
        For a string that holds JSON, the root entry of what it holds; else -1.
    spelling : array of int32
        In which spelling it does (a place in `mckp.encoders.embedded.SPELLINGS`).
    key_start, key_end, key_begin, key_stop : arrays of int64
        JSON and content of each name, in `text`.
    """

    text: Bytes
    kind: Kinds
    start: Ints
    end: Ints
    begin: Ints
    stop: Ints
    key: Small
    next: Small
    size: Small
    facts: Small
    same: Small
    inner: Small
    spelling: Small
    key_start: Ints
    key_end: Ints
    key_begin: Ints
    key_stop: Ints


@njit
def _measure(text: Bytes) -> tuple[int, int, int]:
    """Return how many values a compact JSON has at most, keys included, and escapes, and depth."""
    values = 1
    escaped = depth = deepest = 0
    quoted = False
    i = 0
    while i < text.size:
        c = text[i]
        if quoted:
            if c == 92:
                escaped += 1
                i += 1
            elif c == 34:
                quoted = False
        elif c == 34:
            quoted = True
        elif c == 44:
            values += 1
        elif c in (91, 123):
            values += 1
            depth += 1
            deepest = max(deepest, depth)
        elif c in (93, 125):
            depth -= 1
        i += 1
    return values, escaped, deepest


@njit
def _hex(c: int) -> int:
    return c - 48 if c < 58 else (c | 32) - 87


@njit
def _unescaped(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    """Append the content of a string whose JSON has escapes; return the new size, or -1.

    Pairs of surrogates may stand in escapes only where somebody else wrote the JSON.
    """
    i = start
    while i < end:
        c = text[i]
        if c != 92:
            out[n] = c
            n += 1
            i += 1
            continue
        c = text[i + 1]
        i += 2
        if c == 117:
            code = 0
            for k in range(4):
                code = code * 16 + _hex(text[i + k])
            i += 4
            if code >= 128:
                return -1
            c = code
        elif c == 110:
            c = 10
        elif c == 116:
            c = 9
        elif c == 114:
            c = 13
        elif c == 98:
            c = 8
        elif c == 102:
            c = 12
        out[n] = c
        n += 1
    return n


@njit
def _intern(
    table: Small, first: Ints, last: Ints, text: Bytes, start: int, end: int, mine: int, h: int
) -> int:
    """Return the entry with the same bytes that is in a hash table, or put in this one."""
    mask = table.size - 1
    slot = h & mask
    while table[slot] >= 0:
        other = table[slot]
        if same_bytes(text, first[other], last[other], text, start, end):
            return other
        slot = (slot + 1) & mask
    table[slot] = mine
    return mine


@njit
def _power(n: int) -> int:
    size = 16
    while size < 2 * n:
        size *= 2
    return size


@njit
def scan(source: Bytes) -> tuple[Tape, int, int]:  # noqa: C901
    """Return the tape of a compact JSON text, how deep it is nested, and the bytes of its text.

    The text is known to be JSON without blanks, as orjson writes it.
    """
    most, escaped, deepest = _measure(source)
    text = np.empty(source.size + (source.size if escaped else 0), np.uint8)
    text[: source.size] = source
    spare = source.size
    kind = np.empty(most, np.uint8)
    start, end = np.empty(most, np.int64), np.empty(most, np.int64)
    begin, stop = np.zeros(most, np.int64), np.zeros(most, np.int64)
    key, after = np.empty(most, np.int32), np.empty(most, np.int32)
    size, facts = np.zeros(most, np.int32), np.ones(most, np.int32)
    same = np.empty(most, np.int32)
    hashes = np.empty(most, np.int64)
    key_start, key_end = np.empty(64, np.int64), np.empty(64, np.int64)
    key_begin, key_stop = np.empty(64, np.int64), np.empty(64, np.int64)
    keys = 0
    known_keys = np.full(256, -1, np.int32)
    known = np.full(_power(most), -1, np.int32)
    stack = np.empty(deepest + 1, np.int32)
    top = -1
    count = 0
    name = -1
    i = 0
    while i < source.size:
        c = source[i]
        if c == 44 or c == 58:
            i += 1
            continue
        if c == 93 or c == 125:
            i += 1
            mine = stack[top]
            top -= 1
            end[mine] = i
            after[mine] = count
            h = np.int64(kind[mine] + 7)
            if size[mine]:
                facts[mine] = 0
                child = mine + 1
                while child < count:
                    facts[mine] += facts[child]
                    h = (h * np.int64(1000003)) ^ hashes[child] ^ (np.int64(key[child] + 2) << 40)
                    h ^= h >> 29
                    child = after[child]
            h &= np.int64(0x3FFFFFFFFFFFFFFF)
            hashes[mine] = h
            same[mine] = _intern(known, start, end, text, start[mine], i, mine, h ^ (h >> 32))
            continue
        first = i
        plain = True
        if c == 34:
            i += 1
            while source[i] != 34:
                if source[i] == 92:
                    plain = False
                    i += 1
                i += 1
            i += 1
            if top >= 0 and kind[stack[top]] == OBJECT and name < 0:
                h = hashed(text, first, i, 0)
                if keys == key_start.size:
                    key_start = np.append(key_start, np.empty(keys, np.int64))
                    key_end = np.append(key_end, np.empty(keys, np.int64))
                    key_begin = np.append(key_begin, np.empty(keys, np.int64))
                    key_stop = np.append(key_stop, np.empty(keys, np.int64))
                    known_keys = np.full(4 * known_keys.size, -1, np.int32)
                    for k in range(keys):
                        other = hashed(text, key_start[k], key_end[k], 0)
                        _intern(
                            known_keys, key_start, key_end, text,
                            key_start[k], key_end[k], k, other,
                        )
                name = _intern(known_keys, key_start, key_end, text, first, i, keys, h)
                if name == keys:
                    key_start[keys], key_end[keys] = first, i
                    key_begin[keys], key_stop[keys] = first + 1, i - 1
                    if not plain:
                        size_now = _unescaped(text, first + 1, i - 1, text, spare)
                        if size_now < 0:
                            spare = -1
                            break
                        key_begin[keys], key_stop[keys] = spare, size_now
                        spare = size_now
                    keys += 1
                continue
        mine = count
        count += 1
        start[mine] = first
        key[mine] = name
        name = -1
        if top >= 0:
            size[stack[top]] += 1
        if c == 91 or c == 123:
            kind[mine] = ARRAY if c == 91 else OBJECT
            top += 1
            stack[top] = mine
            i += 1
            continue
        if c == 34:
            kind[mine] = STRING
        else:
            kind[mine] = NUMBER if c == 45 or c < 58 else LITERAL
            while i < source.size and source[i] not in (44, 93, 125):
                i += 1
        end[mine] = i
        after[mine] = count
        h = hashed(text, first, i, 1)
        hashes[mine] = h
        same[mine] = _intern(known, start, end, text, first, i, mine, h)
        if c == 34:
            other = same[mine]
            begin[mine], stop[mine] = first + 1, i - 1
            if not plain and other != mine:
                begin[mine], stop[mine] = begin[other], stop[other]
            elif not plain:
                size_now = _unescaped(text, first + 1, i - 1, text, spare)
                if size_now < 0:
                    spare = -1
                    break
                begin[mine], stop[mine] = spare, size_now
                spare = size_now
    tape = Tape(
        text[: max(spare, 0)], kind[:count], start[:count], end[:count], begin[:count],
        stop[:count], key[:count], after[:count], size[:count], facts[:count], same[:count],
        np.full(count, -1, np.int32), np.zeros(count, np.int32),
        key_start[:keys], key_end[:keys], key_begin[:keys], key_stop[:keys],
    )
    return tape, deepest, spare
