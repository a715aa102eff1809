"""Texts that are counted once, and added: cut only where counts of o200k and cl100k add up.

Three kinds of joints are used, whatever stands further away (O is ASCII punctuation):

- a letter or digit of ASCII, then a blank, a line feed, or O other than an apostrophe;
- O, then a digit or a blank;
- O other than a slash, or a blank, then O, then a letter.

At each of them the patterns of both vocabularies end a match, and nothing is merged across the
end of a match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.buffer import hashed, put, put_byte, same_bytes
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small


@borrowed
class Units(NamedTuple):
    """Distinct texts.

    Attributes
    ----------
    text : array of uint8
        All of them.
    spans : array of int32, shape (units, 2)
        Where each one stands.
    tokens : array of int32
        Tokens of each one, once they are counted.
    table : array of int32
        A hash table of their numbers; its size is a power of two.
    state : array of int64, shape (2,)
        How many units and bytes there are, or should have had room for.
    """

    text: Bytes
    spans: Small
    tokens: Small
    table: Small
    state: Ints


def room_for_units(units: int, size: int) -> Units:
    """Return an empty collection."""
    slots = 1 << max(6, (2 * units).bit_length())
    return Units(
        np.empty(size, np.uint8),
        np.empty((units, 2), np.int32),
        np.empty(units, np.int32),
        np.full(slots, -1, np.int32),
        np.zeros(2, np.int64),
    )


def with_more_room(units: Units, used: int, size: int, more: int) -> Units:
    """Return a collection with the first of the units, and room for some more."""
    larger = room_for_units(used + more, max(units.text.size, 2 * int(units.state[1])))
    larger.text[:size] = units.text[:size]
    larger.spans[:used], larger.tokens[:used] = units.spans[:used], units.tokens[:used]
    larger.state[0], larger.state[1] = used, size
    _enter(larger)
    return larger


@leaf
def _enter(units: Units) -> None:
    """Enter distinct units into an empty table."""
    mask = units.table.size - 1
    for number in range(units.state[0]):
        slot = hashed(units.text, units.spans[number, 0], units.spans[number, 1], 0) & mask
        while units.table[slot] >= 0:
            slot = (slot + 1) & mask
        units.table[slot] = number


@leaf
def close_unit(units: Units, end: int) -> int:
    """Return the number of the unit that was written behind the last one, up to `end`.

    It is 0, and void, where there is no room.
    """
    start, count = units.state[1], units.state[0]
    if end > units.text.size or count >= units.spans.shape[0]:
        units.state[0], units.state[1] = count + 1, end
        return 0
    h = hashed(units.text, start, end, 0)
    mask = units.table.size - 1
    slot = h & mask
    while units.table[slot] >= 0:
        other = units.table[slot]
        if same_bytes(
            units.text, units.spans[other, 0], units.spans[other, 1], units.text, start, end
        ):
            return int(other)
        slot = (slot + 1) & mask
    units.table[slot] = count
    units.spans[count, 0], units.spans[count, 1] = start, end
    units.state[0], units.state[1] = count + 1, end
    return int(count)


@leaf
def unit_of(units: Units, source: Bytes, start: int, end: int) -> int:
    """Return the number of a text."""
    return close_unit(units, put(units.text, units.state[1], source, start, end))


@leaf
def unit_after(units: Units, before: int, source: Bytes, start: int, end: int) -> int:
    """Return the number of a text behind one more byte."""
    n = put_byte(units.text, units.state[1], before)
    return close_unit(units, put(units.text, n, source, start, end))


# What may stand behind a value.
NOTHING: Final = 0
FEED: Final = 1
BORDER: Final = 2
LAST_BORDER: Final = 3


@leaf
def put_after(after: int, out: Bytes, n: int) -> int:
    """Append what stands behind a value: a border of a table, a line feed, both or nothing."""
    if after >= BORDER:
        n = put_byte(out, put_byte(out, n, 32), 124)
    return put_byte(out, n, 10) if after in (FEED, LAST_BORDER) else n


@leaf
def is_alnum(byte: int) -> bool:
    """Whether a byte is a letter or digit of ASCII."""
    return 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122


@leaf
def is_digit(byte: int) -> bool:
    """Whether a byte is a digit of ASCII."""
    return 48 <= byte <= 57


@leaf
def first_joint(text: Bytes, start: int, end: int) -> int:
    """Return the first place where a blank follows a letter or digit, or `end`."""
    for i in range(start + 1, end):
        if text[i] == 32 and is_alnum(text[i - 1]):
            return i
    return end


@leaf
def last_joint(text: Bytes, start: int, end: int) -> int:
    """Return the last place where a blank follows a letter or digit, or `start`."""
    for i in range(end - 1, start, -1):
        if text[i] == 32 and is_alnum(text[i - 1]):
            return i
    return start
