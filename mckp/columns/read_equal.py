"""Whether two documents are the same plain value, or a compact JSON text is one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import hashed, same_bytes
from mckp.columns.read_words import whole
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    BEGIN,
    END,
    KEY_BEGIN,
    KEY_END,
    KEY_START,
    KEY_STOP,
    KIND,
    LENGTH,
    NAME,
    OBJECT,
    START,
    STOP,
    STRING,
)
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Small, Tape, Wide


FAR: Final = 64
"""Members among which one is looked for by comparing names."""


@leaf
def _member(json: Bytes, place: int, parent: int, child: int, wanted: Tape) -> int:
    """Return which member of an object the name at a place belongs to, -1 if that is not seen.

    `child` is the one expected.
    """
    stop = wanted.nodes[parent, AFTER]
    for _ in range(FAR):
        if child >= stop:
            child = parent + 1
        name = wanted.nodes[child, NAME]
        start, end = wanted.keys[name, KEY_START], wanted.keys[name, KEY_END]
        last = place + end - start
        # The colon behind it is compared by the length of the name alone: names are in quotes.
        if last < json.size and same_bytes(json, place, last, wanted.text, start, end):
            return child
        child = wanted.nodes[child, AFTER]
    return -1


@njit
def matches(json: Bytes, wanted: Tape, depth: int) -> bool:
    """Whether a compact JSON text surely is a document, its members in any order.

    Parameters
    ----------
    json : array of uint8
        The text, written as this library writes JSON, in which no name stands twice.
    wanted : Tape
        The document.
    depth : int
        The most brackets within one another.

    Returns
    -------
    bool
        False also where another order of many members is not followed; `equal` has the last word.
    """
    return _matches(json, wanted, np.empty((depth + 1, 3), np.int64))


@leaf
def _matches(json: Bytes, wanted: Tape, stack: Wide) -> bool:
    nodes, spans = wanted.nodes, wanted.spans
    place, entry, top = whole(0), whole(0), -1
    while place < json.size:
        start, end = spans[entry, START], spans[entry, END]
        if nodes[entry, KIND] <= ARRAY:
            if json[place] != wanted.text[start] or top + 1 == stack.shape[0]:
                return False
            place += 1
            top += 1
            stack[top, 0], stack[top, 1], stack[top, 2] = entry, entry + 1, 0
        else:
            last = place + end - start
            if last > json.size or not same_bytes(json, place, last, wanted.text, start, end):
                return False
            place = last
        while top >= 0 and place < json.size and json[place] in (93, 125):
            if stack[top, 2] != nodes[stack[top, 0], LENGTH]:
                return False
            top -= 1
            place += 1
        if top < 0:
            return bool(place == json.size)
        parent, entry = stack[top, 0], stack[top, 1]
        if stack[top, 2] == nodes[parent, LENGTH] or place >= json.size:
            return False
        if stack[top, 2]:
            if json[place] != 44:
                return False
            place += 1
        if nodes[parent, KIND] == OBJECT:
            entry = _member(json, place, parent, entry, wanted)
            if entry < 0:
                return False
            name = nodes[entry, NAME]
            place += wanted.keys[name, KEY_END] - wanted.keys[name, KEY_START]
            if json[place] != 58:
                return False
            place += 1
        stack[top, 1] = nodes[entry, AFTER]
        stack[top, 2] += 1
    return False


@njit
def _numbers(left: Tape, right: Tape) -> Small:
    """Return for each name of one document its number in the other, -1 if it has none."""
    size = 16
    while size < 2 * right.keys.shape[0]:
        size *= 2
    known = np.full(size, -1, np.int32)
    found = np.full(left.keys.shape[0], -1, np.int32)
    _find_names(left, right, known, found)
    return found


@leaf
def _find_names(left: Tape, right: Tape, known: Small, found: Small) -> None:
    mask = known.size - 1
    for key in range(right.keys.shape[0]):
        begin, stop = right.keys[key, KEY_BEGIN], right.keys[key, KEY_STOP]
        slot = hashed(right.text, begin, stop, 0) & mask
        while known[slot] >= 0:
            slot = (slot + 1) & mask
        known[slot] = key
    for key in range(left.keys.shape[0]):
        start, end = left.keys[key, KEY_BEGIN], left.keys[key, KEY_STOP]
        slot = hashed(left.text, start, end, 0) & mask
        while known[slot] >= 0:
            other = known[slot]
            begin, stop = right.keys[other, KEY_BEGIN], right.keys[other, KEY_STOP]
            if same_bytes(left.text, start, end, right.text, begin, stop):
                found[key] = other
                break
            slot = (slot + 1) & mask


@leaf
def _paired(
    left: Small, right: Small, entry: int, other: int, numbers: Small, pairs: Small, places: Small
) -> bool:
    """Pair the members of two objects by name; whether both have the same names.

    `places` has one entry a name, of no matter what; `pairs` one for each value on the left.
    """
    theirs, stop = other + 1, right[other, AFTER]
    mine, end = entry + 1, left[entry, AFTER]
    is_same = True
    while mine < end and theirs < stop:
        is_same = is_same and numbers[left[mine, NAME]] == right[theirs, NAME]
        pairs[mine] = theirs
        mine, theirs = left[mine, AFTER], right[theirs, AFTER]
    if is_same:
        return bool(mine == end and theirs == stop)
    theirs = other + 1
    while theirs < stop:
        places[right[theirs, NAME]] = theirs
        theirs = right[theirs, AFTER]
    mine = entry + 1
    while mine < end:
        number = numbers[left[mine, NAME]]
        place = places[number] if number >= 0 else -1
        # What another object left behind is no child of this one.
        if not other < place < stop or right[place, NAME] != number:
            return False
        places[number] = -1
        pairs[mine] = place
        mine = left[mine, AFTER]
    return True


@leaf
def _equal_values(left: Tape, right: Tape, entry: int, other: int) -> bool:
    """Whether two scalars are equal: strings by content, all else by the text of their JSON."""
    first, last = START, END
    if left.nodes[entry, KIND] == STRING:
        first, last = BEGIN, STOP
    return same_bytes(
        left.text,
        left.spans[entry, first],
        left.spans[entry, last],
        right.text,
        right.spans[other, first],
        right.spans[other, last],
    )


@njit
def equal(left: Tape, right: Tape) -> bool:
    """Whether two documents are the same plain value.

    Types and the digits of numbers count, and the order of items; that of members does not.
    Time is linear in the size of both, whatever the order.
    """
    places = np.full(right.keys.shape[0], -1, np.int32)
    pairs = np.zeros(left.nodes[0, AFTER], np.int32)
    return _all_equal(left, right, _numbers(left, right), pairs, places)


@leaf
def _all_equal(left: Tape, right: Tape, numbers: Small, pairs: Small, places: Small) -> bool:
    if left.nodes[0, AFTER] != right.nodes[0, AFTER]:
        return False
    for entry in range(pairs.size):
        other, kind = pairs[entry], left.nodes[entry, KIND]
        if kind != right.nodes[other, KIND]:
            return False
        if left.nodes[entry, LENGTH] != right.nodes[other, LENGTH]:
            return False
        if kind == OBJECT:
            if not _paired(left.nodes, right.nodes, entry, other, numbers, pairs, places):
                return False
        elif kind == ARRAY:
            mine, theirs = entry + 1, other + 1
            while mine < left.nodes[entry, AFTER]:
                pairs[mine] = theirs
                mine, theirs = left.nodes[mine, AFTER], right.nodes[theirs, AFTER]
        elif not _equal_values(left, right, entry, other):
            return False
    return True
