"""The columns that tables declare, read into an arena; what they mean: `encoders.column_reader`.

Each row of the arena is a column, a tag, or the record of a table. Texts of columns lie in the
store, as JSON: ``"name":``, and the value of a constant with a comma behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import hashed
from mckp.columns.read_words import (
    COLS,
    DECLINED,
    STORE,
    digits_end,
    has_twice,
    name_at,
    number_of,
    put_member,
    whole,
)
from mckp.columns.shapes import (
    BELOW,
    CONSTANT,
    DERIVED,
    GROUP,
    ITEMS,
    LAST,
    PLAIN,
    TAB,
    TAGGED,
    WORD,
)
from mckp.jit import leaf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints

    Table = NDArray[np.int64]

TYPE: Final = 0
"""Columns of the arena: which of the types of `mckp.columns.shapes` a row is."""
FIRST: Final = 1
"""The first column of a group, the first tag, or the record of a table; -1 if there is none."""
NEXT: Final = 2
PARENT: Final = 3
TAIL: Final = 4
"""The last column of a group."""
FLAGS: Final = 5
NAME: Final = 6
"""Where ``"name":`` begins in the store."""
NAME_END: Final = 7
HASH: Final = 8
VALUE: Final = 9
"""Where a constant, a template or the text that ends a row begins in the store."""
VALUE_END: Final = 10
COUNT: Final = 11
"""The rows a table declares; the columns of a group."""
FOUND: Final = 12
"""The rows of a table within rows that were read."""
SPENDS: Final = 13
"""Bytes of a constant in its header."""
AT: Final = 14
"""Where the value stands in the record being read; -1 if it is absent."""
ENDS: Final = 15
"""Columns of a group that end the row."""
HOLES: Final = 16
"""The first of three places for what the holes of a template refer to; -1 for nothing."""
DEEP: Final = 19
"""How many rows of the arena are around this one."""
WIDTH: Final = 20

OPTIONAL: Final = 1
MORE: Final = 2
LED: Final = 4
NAMED: Final = 8
"""The name of the rows is still to come."""
OPEN: Final = 16
"""Lines below may follow the rows of the table."""

MOST_DERIVED: Final = 64
"""Templates of one group that are read here."""
DEEPEST: Final = 40
"""Groups within one another that are read here; the twin recurses into them."""

DONE: Final = 0
"""What `columns` asks for: nothing more, all is read."""
CONSTANT_WANTED: Final = 1
"""The value of a constant, the column made last."""
TEMPLATE_WANTED: Final = 2
"""The template of a derived column, the column made last."""
BROKEN: Final = -1


@leaf
def new_column(cols: Table, st: Ints, parent: int, type_: int) -> int:
    """Add a row to the arena, as the last below its parent; return its number or `DECLINED`."""
    mine: int = st[COLS]
    if mine >= cols.shape[0]:
        return DECLINED
    st[COLS] = mine + 1
    cols[mine, :] = 0
    cols[mine, TYPE] = type_
    cols[mine, FIRST] = cols[mine, NEXT] = cols[mine, TAIL] = cols[mine, AT] = -1
    cols[mine, PARENT] = parent
    if parent >= 0:
        cols[mine, DEEP] = cols[parent, DEEP] + 1
        if cols[mine, DEEP] > DEEPEST:
            return DECLINED
        if cols[parent, FIRST] < 0:
            cols[parent, FIRST] = mine
        else:
            cols[cols[parent, TAIL], NEXT] = mine
        cols[parent, TAIL] = mine
        cols[parent, COUNT] += 1 if cols[parent, TYPE] == GROUP else 0
    return mine


@leaf
def record_at(
    text: Bytes, place: int, end: int, cols: Table, st: Ints, parent: int
) -> tuple[int, int]:
    """Begin the record of a table; return its number, or `DECLINED`, and the place behind."""
    if place >= end:
        return DECLINED, place
    c = text[place]
    if c == 123:
        return new_column(cols, st, parent, whole(GROUP)), place + 1
    if c == 60:
        return new_column(cols, st, parent, whole(TAGGED)), place + 1
    if c == 91 and place + 1 < end and text[place + 1] == 93:
        return new_column(cols, st, parent, whole(PLAIN)), place + 2
    return DECLINED, place


@leaf
def tag_end(text: Bytes, place: int, end: int) -> int:
    """Return the place behind the tag at a place; the place itself if there is none."""
    stop = place
    while stop < end and (
        text[stop] == 95
        or 97 <= text[stop] | 32 <= 122
        or (48 <= text[stop] <= 57 and stop > place)
    ):
        stop += 1
    return stop


@leaf
def _name(
    text: Bytes, place: int, end: int, store: Bytes, cols: Table, st: Ints, group: int
) -> tuple[int, int]:
    """Add a column or a tag by its name; return its number, or `DECLINED`, and the place."""
    if cols[group, TYPE] == TAGGED:
        first, last = place, tag_end(text, place, end)
        stop = last if last > place else DECLINED
    else:
        first, last, stop = name_at(text, place, end)
    if stop < 0:
        return DECLINED, place
    mine = new_column(cols, st, group, whole(GROUP if cols[group, TYPE] == TAGGED else WORD))
    if mine < 0:
        return mine, place
    cols[mine, HASH] = hashed(text, first, last, 0)
    cols[mine, NAME] = st[STORE]
    st[STORE] = put_member(text, first, last, store, st[STORE])
    cols[mine, NAME_END] = st[STORE]
    return mine, stop


@leaf
def _table(text: Bytes, place: int, end: int, cols: Table, st: Ints, mine: int) -> tuple[int, int]:
    """Read what stands behind ``[`` and the name of a column.

    Returns the record whose columns follow, -2 if there are none, or `DECLINED`; the place behind.
    """
    stop = digits_end(text, place, end)
    if stop == place or stop >= end or text[stop] != 93:
        return DECLINED, place
    cols[mine, COUNT] = number_of(text, place, stop)
    place = stop + 1
    cols[mine, TYPE] = ITEMS
    if place < end and text[place] == 62:
        cols[mine, TYPE] = BELOW
        place += 1
        if place < end and text[place] == 63:
            cols[mine, FLAGS] |= OPTIONAL
            place += 1
        if place + 1 < end and text[place] == 123 and text[place + 1] == 125:
            return -2, place + 2
        if place >= end or text[place] != 123:
            return DECLINED, place
    record, place = record_at(text, place, end, cols, st, mine)
    return (-2 if record >= 0 and cols[record, TYPE] == PLAIN else record), place


@leaf
def _find(cols: Table, group: int, h: int) -> int:
    """Return the column of a group by the hash of its name, -1 if there is none."""
    col: int = cols[group, FIRST]
    while col >= 0 and cols[col, HASH] != h:
        col = cols[col, NEXT]
    return col


@leaf
def hole_end(store: Bytes, place: int, end: int) -> int:
    """Return the place behind the hole at a place; the place itself if there is none."""
    stop = place + 1
    while stop < end and store[stop] != 123 and store[stop] != 125:
        stop += 1
    return stop + 1 if place + 1 < stop < end and store[stop] == 125 else place


@leaf
def _resolve(store: Bytes, cols: Table, group: int, mine: int) -> bool:
    """Find what the holes of a template refer to; whether it is one."""
    place, end, holes = cols[mine, VALUE], cols[mine, VALUE_END], 0
    if end > store.size:
        return True
    while place < end:
        stop = hole_end(store, place, end) if store[place] == 123 else place
        if stop == place:
            place += 1
            continue
        source = _find(cols, group, hashed(store, place + 1, stop - 1, 0))
        if holes == 3 or (source >= 0 and cols[source, TYPE] == DERIVED):
            return False
        cols[mine, HOLES + holes] = source
        holes += 1
        place = stop
    return True


@leaf
def _closes(store: Bytes, cols: Table, marks: Ints, top: int, group: int) -> bool:
    """Whether a group, or a list of tags, is one that a writer declares."""
    parent = cols[group, PARENT]
    within = parent >= 0 and cols[parent, TYPE] == GROUP
    if cols[group, FLAGS] & NAMED or (within and cols[group, FLAGS] & MORE):
        return False
    names, derived = top, 0
    col = cols[group, FIRST]
    while col >= 0:
        if names >= marks.size:
            return False
        marks[names] = cols[col, HASH]
        names += 1
        type_ = cols[col, TYPE]
        if type_ == LAST:
            cols[group, ENDS] += 1
        elif type_ == GROUP and cols[group, TYPE] == GROUP:
            cols[group, ENDS] += cols[col, ENDS]
        elif type_ == DERIVED:
            derived += 1
            if derived > MOST_DERIVED or not _resolve(store, cols, group, col):
                return False
        elif type_ == BELOW and (cols[col, NEXT] >= 0 or not cols[group, FLAGS] & OPEN):
            return False
        col = cols[col, NEXT]
    if cols[group, FLAGS] & LED and cols[cols[group, FIRST], TYPE] != WORD:
        return False
    return cols[group, ENDS] <= 1 and not has_twice(marks, top, names)


@leaf
def _shape(
    text: Bytes, place: int, end: int, cols: Table, st: Ints, mine: int
) -> tuple[int, int, int]:
    """Read what follows the name of a column.

    Returns what is wanted now, the record whose columns follow or -2, and the place behind.
    """
    c = text[place] if place < end else 32
    if c == 61 or c == 126:
        cols[mine, TYPE] = CONSTANT if c == 61 else DERIVED
        return CONSTANT_WANTED if c == 61 else TEMPLATE_WANTED, -2, place + 1
    if c == 91:
        record, place = _table(text, place + 1, end, cols, st, mine)
        return BROKEN if record == DECLINED else DONE, record, place
    if c == 63:
        cols[mine, FLAGS] |= OPTIONAL
        place += 1
        if place >= end or text[place] != 123:
            return BROKEN, -2, place
        c = text[place]
    if c == 123:
        cols[mine, TYPE] = GROUP
        return DONE, mine, place + 1
    if c == 9 or c == 62:
        cols[mine, TYPE] = TAB if c == 9 else LAST
        place += 1
    return DONE, -2, place


@leaf
def columns(
    text: Bytes,
    place: int,
    end: int,
    store: Bytes,
    cols: Table,
    marks: Ints,
    top: int,
    st: Ints,
    group: int,
) -> tuple[int, int, int]:
    """Read columns, from within a group, up to the end of all or to a value.

    Returns what is wanted now, the group in which to go on, and the place.
    """
    behind = cols[group, FIRST] >= 0
    while True:
        # Behind a group stands what is behind the table that it belongs to.
        while group >= 0 and cols[group, TYPE] in (ITEMS, BELOW):
            group = cols[group, PARENT]
        if group < 0 or cols[group, TYPE] == PLAIN:
            return DONE, group, place
        if behind and place < end and text[place] == 32:
            place += 1
        behind = True
        if place >= end:
            return BROKEN, group, place
        c = text[place]
        tagged = cols[group, TYPE] == TAGGED
        if c == 42 and not tagged:
            cols[group, FLAGS] |= MORE
            place += 1
            c = text[place] if place < end else 0
            if c != 125:
                return BROKEN, group, place
        if c == (62 if tagged else 125):
            if not _closes(store, cols, marks, top, group):
                return BROKEN, group, place
            group = cols[group, PARENT]
            place += 1
            continue
        if c == 64 and cols[group, FLAGS] & NAMED and cols[group, COUNT] <= 1:
            cols[group, FLAGS] ^= NAMED
            cols[group, FLAGS] |= LED if cols[group, COUNT] else 0
            place += 1
            continue
        mine, place = _name(text, place, end, store, cols, st, group)
        if mine < 0:
            return BROKEN, group, place
        if tagged:
            if place >= end or text[place] != 123:
                return BROKEN, group, place
            group = mine
            place += 1
            behind = False
            continue
        wanted, record, place = _shape(text, place, end, cols, st, mine)
        if wanted != DONE:
            return wanted, group, place
        if record >= 0:
            group, behind = record, False
