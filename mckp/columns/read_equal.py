"""Whether two documents are the same plain value, or a compact JSON text is one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import hashed, same_bytes
from mckp.columns.read_words import whole
from mckp.columns.tape import ARRAY, OBJECT, STRING
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Kinds, Small, Tape


FAR: Final = 64
"""Members among which one is looked for by comparing names."""


@leaf
def _member(
    json: Bytes,
    place: int,
    parent: int,
    child: int,
    text: Bytes,
    key: Small,
    after: Small,
    starts: Ints,
    ends: Ints,
) -> int:
    """Return which member of an object the name at a place belongs to, -1 if that is not seen.

    `child` is the one expected.
    """
    stop = after[parent]
    for _ in range(FAR):
        if child >= stop:
            child = parent + 1
        name: int = key[child]
        start: int = starts[name]
        end: int = ends[name]
        size = end - start
        # The colon behind it is compared by the length of the name alone: names are in quotes.
        if place + size < json.size and same_bytes(json, place, place + size, text, start, end):
            return child
        child = after[child]
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
    text, start, end, after, size = (
        wanted.text,
        wanted.start,
        wanted.end,
        wanted.next,
        wanted.size,
    )
    kind, key = wanted.kind, wanted.key
    starts, ends = wanted.key_start, wanted.key_end
    stack = np.empty((depth + 1, 3), np.int64)
    place, entry, top = whole(0), whole(0), -1
    while place < json.size:
        if kind[entry] <= ARRAY:
            if json[place] != text[start[entry]] or top == depth:
                return False
            place += 1
            top += 1
            stack[top, 0], stack[top, 1], stack[top, 2] = entry, entry + 1, 0
        else:
            last = place + end[entry] - start[entry]
            if last > json.size or not same_bytes(
                json, place, last, text, start[entry], end[entry]
            ):
                return False
            place = last
        while top >= 0 and place < json.size and json[place] in (93, 125):
            if stack[top, 2] != size[stack[top, 0]]:
                return False
            top -= 1
            place += 1
        if top < 0:
            return place == json.size
        parent, entry = stack[top, 0], stack[top, 1]
        if stack[top, 2] == size[parent] or place >= json.size:
            return False
        if stack[top, 2]:
            if json[place] != 44:
                return False
            place += 1
        if kind[parent] == OBJECT:
            entry = _member(json, place, parent, entry, text, key, after, starts, ends)
            if entry < 0:
                return False
            name: int = key[entry]
            place += ends[name] - starts[name]
            if json[place] != 58:
                return False
            place += 1
        stack[top, 1] = after[entry]
        stack[top, 2] += 1
    return False


@njit
def _numbers(
    left: Bytes, starts: Ints, ends: Ints, right: Bytes, begins: Ints, stops: Ints
) -> Small:
    """Return for each name of one document its number in the other, -1 if it has none."""
    size = 16
    while size < 2 * begins.size:
        size *= 2
    known = np.full(size, -1, np.int32)
    for key in range(begins.size):
        slot = hashed(right, begins[key], stops[key], 0) & (size - 1)
        while known[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        known[slot] = key
    found = np.full(starts.size, -1, np.int32)
    for key in range(starts.size):
        slot = hashed(left, starts[key], ends[key], 0) & (size - 1)
        while known[slot] >= 0:
            other: int = known[slot]
            if same_bytes(left, starts[key], ends[key], right, begins[other], stops[other]):
                found[key] = other
                break
            slot = (slot + 1) & (size - 1)
    return found


@leaf
def _paired(
    entry: int,
    other: int,
    key: Small,
    after: Small,
    their_key: Small,
    their_after: Small,
    numbers: Small,
    pairs: Small,
    places: Small,
) -> bool:
    """Pair the members of two objects by name; whether both have the same names.

    `places` has one entry a name, of no matter what; `pairs` one for each value on the left.
    """
    theirs, stop = other + 1, their_after[other]
    mine, end = entry + 1, after[entry]
    is_same = True
    while mine < end and theirs < stop:
        is_same = is_same and numbers[key[mine]] == their_key[theirs]
        pairs[mine] = theirs
        mine, theirs = after[mine], their_after[theirs]
    if is_same:
        return bool(mine == end and theirs == stop)
    theirs = other + 1
    while theirs < stop:
        places[their_key[theirs]] = theirs
        theirs = their_after[theirs]
    mine = entry + 1
    while mine < end:
        number = numbers[key[mine]]
        place = places[number] if number >= 0 else -1
        # What another object left behind is no child of this one.
        if not other < place < stop or their_key[place] != number:
            return False
        places[number] = -1
        pairs[mine] = place
        mine = after[mine]
    return True


@leaf
def _equal_values(
    text: Bytes,
    kind: Kinds,
    start: Ints,
    end: Ints,
    begin: Ints,
    stop: Ints,
    entry: int,
    their_text: Bytes,
    their_kind: Kinds,
    their_start: Ints,
    their_end: Ints,
    their_begin: Ints,
    their_stop: Ints,
    other: int,
) -> bool:
    """Whether two scalars are equal: strings by content, all else by the text of their JSON."""
    if kind[entry] == STRING:
        return same_bytes(
            text, begin[entry], stop[entry], their_text, their_begin[other], their_stop[other]
        )
    return same_bytes(
        text, start[entry], end[entry], their_text, their_start[other], their_end[other]
    )


@njit
def equal(left: Tape, right: Tape) -> bool:
    """Whether two documents are the same plain value.

    Types and the digits of numbers count, and the order of items; that of members does not.
    Time is linear in the size of both, whatever the order.
    """
    kind, their_kind = left.kind, right.kind
    if kind.size != their_kind.size:
        return False
    text, start, end, begin, stop = left.text, left.start, left.end, left.begin, left.stop
    key, after, size = left.key, left.next, left.size
    their_text, their_start, their_end = right.text, right.start, right.end
    their_begin, their_stop = right.begin, right.stop
    their_key, their_after, their_size = right.key, right.next, right.size
    numbers = _numbers(
        text, left.key_begin, left.key_stop, their_text, right.key_begin, right.key_stop
    )
    places = np.full(right.key_begin.size, -1, np.int32)
    pairs = np.zeros(kind.size, np.int32)
    for entry in range(kind.size):
        other = pairs[entry]
        if kind[entry] != their_kind[other] or size[entry] != their_size[other]:
            return False
        if kind[entry] == OBJECT:
            if not _paired(
                entry, other, key, after, their_key, their_after, numbers, pairs, places
            ):
                return False
        elif kind[entry] == ARRAY:
            mine, theirs = entry + 1, other + 1
            while mine < after[entry]:
                pairs[mine] = theirs
                mine, theirs = after[mine], their_after[theirs]
        elif not _equal_values(
            text,
            kind,
            start,
            end,
            begin,
            stop,
            entry,
            their_text,
            their_kind,
            their_start,
            their_end,
            their_begin,
            their_stop,
            other,
        ):
            return False
    return True
