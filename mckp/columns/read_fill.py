"""What comes into a record when its row is read: text from the row's end, and filled templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import hashed, put, put_byte
from mckp.columns.read_columns import (
    AT,
    FOUND,
    HOLES,
    NAME,
    NAME_END,
    PARENT,
    TYPE,
    VALUE,
    VALUE_END,
    hole_end,
)
from mckp.columns.read_words import DECLINED, NO_ROOM, SPENT, STORE, string_end
from mckp.columns.shapes import DERIVED, LAST
from mckp.encoders.lines import LARGEST
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table


@leaf
def _value_end(out: Bytes, place: int, end: int) -> int:
    """Return where a value in JSON that was written ends, in front of the comma."""
    depth = 0
    while place < end:
        c = out[place]
        if c == 34:
            place = string_end(out, place, end)
            if place < 0:
                return end
            continue
        if c == 123 or c == 91:
            depth += 1
        elif depth == 0 and (c == 44 or c == 125 or c == 93):
            return place
        elif c == 125 or c == 93:
            depth -= 1
        place += 1
    return place


@leaf
def _extra(out: Bytes, place: int, end: int, h: int) -> int:
    """Return where the value of a member without a column begins, by the hash of its name."""
    while place < end:
        stop = string_end(out, place, end)
        if stop < 0:
            return -1
        if hashed(out, place + 1, stop - 1, 0) == h:
            return stop + 1
        place = _value_end(out, stop + 1, end) + 1
    return -1


@leaf
def _put_source(source: Bytes, place: int, end: int, store: Bytes, s: int) -> int:
    """Append what stands in a hole for a value; 0 if that is the hole itself."""
    if source[place] == 34:
        stop = string_end(source, place, end)
        if stop < 0:
            return DECLINED
        return put(store, s, source, place + 1, stop - 1) if stop > place + 2 else 0
    stop = place + 1 if source[place] == 45 else place
    first = stop
    while stop < end and 48 <= source[stop] <= 57:
        stop += 1
    if stop == first or (stop < end and source[stop] != 44 and source[stop] != 125):
        return 0
    return put(store, s, source, place, stop)


@leaf
def _put_filled(out: Bytes, n: int, extra: int, store: Bytes, cols: Table, col: int, s: int) -> int:
    """Append to the store what a template says of a record; `extra` is where its members
    without a column begin.
    """
    place, end, hole = cols[col, VALUE], cols[col, VALUE_END], 0
    while place < end:
        stop = hole_end(store, place, end) if store[place] == 123 else place
        if stop == place:
            s = put_byte(store, s, store[place])
            place += 1
            continue
        source = cols[col, HOLES + hole]
        hole += 1
        size = 0
        if source < 0:
            at = _extra(out, extra, n, hashed(store, place + 1, stop - 1, 0)) if extra < n else -1
            size = _put_source(out, at, n, store, s) if at >= 0 else 0
        elif cols[source, TYPE] == LAST and cols[source, AT] >= 0:
            size = _put_source(store, cols[source, VALUE], cols[source, VALUE_END], store, s)
        elif cols[source, TYPE] != LAST and cols[source, AT] >= 0:
            size = _put_source(out, cols[source, AT], n, store, s)
        if size < 0:
            return size
        s = put(store, s, store, place, stop) if size == 0 else size
        place = stop
    return s


@leaf
def _put_piece(store: Bytes, t: int, cols: Table, col: int) -> int:
    """Append to the store the member that belongs in an open place, if it is there."""
    if cols[col, AT] < 0:
        return t
    t = put(store, t, store, cols[col, NAME], cols[col, NAME_END])
    if cols[col, TYPE] == LAST:
        return put_byte(store, put(store, t, store, cols[col, VALUE], cols[col, VALUE_END]), 44)
    t = put(store, put_byte(store, t, 34), store, cols[col, AT], cols[col, FOUND])
    return put_byte(store, put_byte(store, t, 34), 44)


@leaf
def _moved_in(
    out: Bytes, n: int, start: int, top: int, store: Bytes, s: int, cols: Table, marks: Ints
) -> int:
    """Write what stands behind the first open place anew, with members put in; the new size."""
    first, t = marks[start], s
    for mark in range(start, top, 2):
        t = _put_piece(store, t, cols, marks[mark + 1])
        begin = marks[mark] + 1
        end = marks[mark + 2] if mark + 2 < top else n
        if t > store.size:
            return NO_ROOM
        if begin < end and out[begin] == 125:
            # An object was closed behind the place, and a comma may stand in front of it.
            if t > s:
                t -= 1 if store[t - 1] == 44 else 0
            elif out[first - 1] == 44:
                first -= 1
        t = put(store, t, out, begin, end)
    return put(out, first, store, s, t) if t <= store.size else NO_ROOM


@leaf
def fill(
    out: Bytes,
    n: int,
    start: int,
    top: int,
    record: int,
    extra: int,
    store: Bytes,
    cols: Table,
    marks: Ints,
    st: Ints,
) -> int:
    """Put into a record what was left open; marks from `start` to `top` say where.

    Members without a column begin at `extra`. Returns the new size.
    """
    if n > out.size:
        return NO_ROOM
    s = st[STORE]
    for mark in range(start, top, 2):
        col = marks[mark + 1]
        if cols[col, TYPE] == DERIVED:
            # Only the record itself, and no object in it, has members without a column.
            mine = extra if cols[col, PARENT] == record else n
            end = _put_filled(out, n, mine, store, cols, col, s)
            if end < 0 or end > store.size:
                return DECLINED if end < 0 else NO_ROOM
            cols[col, AT], cols[col, FOUND] = s, end
            st[SPENT] += end - s
            s = end
    if st[SPENT] > LARGEST:
        return DECLINED
    return _moved_in(out, n, start, top, store, s, cols, marks)
