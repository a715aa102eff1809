"""A document as arrays: one row a value, in document order, made from its compact JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.buffer import same_bytes
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes

    Small = NDArray[np.int32]
    Wide = NDArray[np.int64]

OBJECT: Final = 0
ARRAY: Final = 1
STRING: Final = 2
NUMBER: Final = 3
LITERAL: Final = 4
"""``true``, ``false`` or ``null``."""

# Columns of `Tape.nodes`.
KIND: Final = 0
"""What a value is."""
NAME: Final = 1
"""The number of a member's name; -1 for items and roots."""
AFTER: Final = 2
"""The entry behind a value and all below it: the children of an entry ``i`` are ``i + 1``,
``nodes[i + 1, AFTER]``, … up to ``nodes[i, AFTER]``."""
LENGTH: Final = 3
"""How many children a value has."""
FACTS: Final = 4
"""How many facts it holds: scalars and empty containers."""
SAME: Final = 5
"""The first entry whose JSON is the same to the byte."""
INNER: Final = 6
"""For a string that holds JSON, the entry of what it holds; else -1."""
SPELLING: Final = 7
"""In which spelling it does: a place in `mckp.encoders.embedded.SPELLINGS`."""
_FIELDS: Final = 8

# Columns of `Tape.spans`, all of them places in `Tape.text`.
START: Final = 0
"""Where the JSON of a value begins; that of a string with its quotation mark."""
END: Final = 1
BEGIN: Final = 2
"""Where the content of a string begins, without quotation marks or escapes."""
STOP: Final = 3

# Columns of `Tape.keys`, likewise.
KEY_START: Final = 0
KEY_END: Final = 1
KEY_BEGIN: Final = 2
KEY_STOP: Final = 3


@borrowed
class Tape(NamedTuple):
    """The values of a document, parents before children, members and items in order.

    Few arrays, for a kernel pays for each one at every call.

    Attributes
    ----------
    text : array of uint8
        The compact JSON, then the contents of strings with escapes, then what else is
        pointed to.
    nodes : array of int32, shape (values, 8)
        `KIND` to `SPELLING` of each value.
    spans : array of int32, shape (values, 4)
        `START` to `STOP` of each value.
    keys : array of int64, shape (names, 4)
        `KEY_START` to `KEY_STOP` of each distinct name.
    """

    text: Bytes
    nodes: Small
    spans: Small
    keys: Wide


@leaf
def _measure(text: Bytes) -> tuple[int, int, int]:
    """Return how many values a compact JSON has at most, its escapes, and its depth."""
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


@leaf
def _unescaped(text: Bytes, start: int, end: int, n: int) -> int:
    """Append the content of a string with escapes to its own buffer; return the new size.

    It is -1 for escapes beyond ASCII, which stand only where somebody else wrote the JSON.
    """
    i = start
    while i < end:
        c = text[i]
        i += 1
        if c == 92:
            c = text[i]
            i += 1
            if c == 117:
                if text[i] != 48 or text[i + 1] != 48:
                    return -1
                low = text[i + 3]
                c = np.uint8((text[i + 2] - 48) * 16 + (low - 48 if low < 58 else (low | 32) - 87))
                i += 4
            elif c == 110:
                c = np.uint8(10)
            elif c == 116:
                c = np.uint8(9)
            elif c == 114:
                c = np.uint8(13)
            elif c == 98:
                c = np.uint8(8)
            elif c == 102:
                c = np.uint8(12)
        text[n] = c
        n += 1
    return n


@leaf
def _first(
    table: Small, spans: Small | Wide, text: Bytes, start: int, end: int, mine: int, h: int
) -> int:
    """Return the entry of a hash table that has the same bytes, or put in this one."""
    mask = table.size - 1
    slot = (h ^ (h >> 31)) & mask
    while table[slot] >= 0:
        other = table[slot]
        if same_bytes(text, spans[other, 0], spans[other, 1], text, start, end):
            return int(other)
        slot = (slot + 1) & mask
    table[slot] = mine
    return mine


@njit
def _table_for(entries: int) -> Small:
    size = 64
    while size < 2 * entries:
        size *= 2
    return np.full(size, -1, np.int32)


@leaf
def _string_end(text: Bytes, i: int, h: int) -> tuple[int, int, bool]:
    """Return where a string ends that begins at a place, its hash, and whether it is plain."""
    plain = True
    i += 1
    c = text[i]
    while c != 34:
        if c == 92:
            plain = False
            i += 1
            h = (h ^ 92) * 1099511628211
            c = text[i]
        h = (h ^ c) * 1099511628211
        i += 1
        c = text[i]
    return i + 1, h & 0x3FFFFFFFFFFFFFFF, plain


@njit
def _more_keys(keys: Wide) -> Wide:
    larger = np.empty((2 * keys.shape[0], 4), np.int64)
    larger[: keys.shape[0]] = keys
    return larger


@leaf
def _close(nodes: Small, hashes: Wide, mine: int, count: int) -> int:
    """Add up what stands below a container that ends; return its hash."""
    nodes[mine, AFTER] = count
    h = np.int64(nodes[mine, KIND] + 7)
    if nodes[mine, LENGTH]:
        nodes[mine, FACTS] = 0
    child = mine + 1
    while child < count:
        nodes[mine, FACTS] += nodes[child, FACTS]
        h = ((h ^ hashes[child]) * 1099511628211 + nodes[child, NAME]) & 0x3FFFFFFFFFFFFFFF
        child = nodes[child, AFTER]
    hashes[mine] = h
    return int(h)


@njit
def scan(source: Bytes) -> tuple[Tape, int, int]:
    """Return the tape of a compact JSON text, how deep it is nested, and the bytes of its text.

    The text is known to be JSON without blanks, as orjson writes it; without escapes the tape keeps
    it as it is, so it must be an array that may be written. Where it has escapes that
    orjson does not write, the last number is -1, and the tape is void.
    """
    most, escaped, deepest = _measure(source)
    text = source
    if escaped:
        text = np.empty(2 * source.size, np.uint8)
        text[: source.size] = source
    spare = source.size
    nodes = np.empty((most, _FIELDS), np.int32)
    spans = np.empty((most, 4), np.int32)
    hashes = np.empty(most, np.int64)
    keys, names = np.empty((64, 4), np.int64), 0
    known, known_names = _table_for(most), _table_for(128)
    stack = np.empty(deepest + 1, np.int32)
    top, count, name = -1, 0, -1
    i = 0
    while i < source.size and spare >= 0:
        c = text[i]
        if c == 44 or c == 58:
            i += 1
            continue
        if c == 93 or c == 125:
            i += 1
            mine = stack[top]
            top -= 1
            spans[mine, END] = i
            code = _close(nodes, hashes, mine, count)
            nodes[mine, SAME] = _first(known, spans, text, spans[mine, START], i, mine, code)
            continue
        first = i
        h: Any = np.int64(c)
        plain = True
        if c == 34:
            i, h, plain = _string_end(text, i, h)
            if name < 0 and top >= 0 and nodes[stack[top], KIND] == OBJECT:
                if names == keys.shape[0]:
                    keys = _more_keys(keys)
                    known_names = _table_for(2 * names)
                    for k in range(names):
                        _, other, _ = _string_end(text, keys[k, 0], h * 0 + 34)
                        _first(known_names, keys, text, keys[k, 0], keys[k, 1], k, other)
                name = _first(known_names, keys, text, first, i, names, h)
                if name == names:
                    names += 1
                    keys[name, KEY_START], keys[name, KEY_END] = first, i
                    keys[name, KEY_BEGIN], keys[name, KEY_STOP] = first + 1, i - 1
                    if not plain:
                        keys[name, KEY_BEGIN] = spare
                        spare = _unescaped(text, first + 1, i - 1, spare)
                        keys[name, KEY_STOP] = spare
                continue
        mine = count
        count += 1
        node = nodes[mine]
        node[NAME], node[LENGTH], node[FACTS], node[INNER], node[SPELLING] = name, 0, 1, -1, 0
        spans[mine, START] = first
        spans[mine, BEGIN] = spans[mine, STOP] = 0
        name = -1
        if top >= 0:
            nodes[stack[top], LENGTH] += 1
        if c == 91 or c == 123:
            node[KIND] = ARRAY if c == 91 else OBJECT
            top += 1
            stack[top] = mine
            i += 1
            continue
        if c == 34:
            node[KIND] = STRING
        else:
            node[KIND] = NUMBER if c == 45 or c < 58 else LITERAL
            i += 1
            while i < source.size and text[i] != 44 and text[i] != 93 and text[i] != 125:
                h = (h ^ text[i]) * 1099511628211
                i += 1
            h &= 0x3FFFFFFFFFFFFFFF
        node[AFTER] = count
        spans[mine, END] = i
        hashes[mine] = h
        node[SAME] = _first(known, spans, text, first, i, mine, h)
        if c == 34:
            spans[mine, BEGIN], spans[mine, STOP] = first + 1, i - 1
            if not plain and node[SAME] != mine:
                spans[mine, BEGIN] = spans[node[SAME], BEGIN]
                spans[mine, STOP] = spans[node[SAME], STOP]
            elif not plain:
                spans[mine, BEGIN] = spare
                spare = _unescaped(text, first + 1, i - 1, spare)
                spans[mine, STOP] = spare
    tape = Tape(text[: max(spare, 0)], nodes[:count], spans[:count], keys[:names])
    return tape, deepest, spare
