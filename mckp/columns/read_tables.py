"""Blocks that are read line by line: ``csv``, ``table``, ``prose``, ``fence`` and ``rows``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import hashed, put, put_byte
from mckp.columns.read_columns import (
    HASH,
    NAME,
    NAME_END,
    new_column,
)
from mckp.columns.read_json import put_read
from mckp.columns.read_words import (
    COLS,
    CURSOR,
    DECLINED,
    MARKS,
    NO_ROOM,
    STORE,
    close,
    digits_end,
    has_twice,
    line_end,
    number_of,
    put_member,
    put_string,
    string_end,
    whole,
)
from mckp.columns.shapes import WORD
from mckp.columns.words import is_bare_key
from mckp.encoders.hints.overflow import NOTES
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table

_NOTES: Final = np.frombuffer("".join(f" {unit}]" for unit in sorted(NOTES)).encode(), np.uint8)

NO_HINT: Final = -1
"""What is missing where there is no hint."""


@leaf
def hint_at(text: Bytes, place: int) -> tuple[int, int, int]:
    """Return how much the hint at a place says to be missing, of how much, and the next line.

    `NO_HINT` is missing where there is none; of -1 where the hint does not say.
    """
    if place + 4 > text.size or text[place] != 62 or text[place + 1] != 32:
        return NO_HINT, -1, place
    if text[place + 2] != 91 or text[place + 3] != 43:
        return NO_HINT, -1, place
    end = line_end(text, place)
    first = place + 4
    place = digits_end(text, first, end)
    if place == first:
        return NO_HINT, -1, place
    missing, total = number_of(text, first, place), -1
    if place + 4 < end and text[place + 1] == 111 and text[place + 2] == 102:
        first = place + 4
        stop = digits_end(text, first, end)
        if text[place] == 32 and text[place + 3] == 32 and stop > first:
            total, place = number_of(text, first, stop), stop
    if place >= end or text[place] != 32:
        return NO_HINT, -1, place
    first = place + 1
    place = first
    while place < end and 97 <= text[place] <= 122:
        place += 1
    if place == first or place + 1 != end or text[place] != 93:
        return NO_HINT, -1, place
    return missing, total, end + 1


@leaf
def skip_notes(text: Bytes, st: Ints) -> None:
    """Step past the notes that tell what is missing of all that stands around them."""
    missing, total, after = hint_at(text, st[CURSOR])
    while missing != NO_HINT and total >= 0 and _is_of_note(text, after - 2):
        st[CURSOR] = after
        missing, total, after = hint_at(text, st[CURSOR])


@leaf
def _is_of_note(text: Bytes, end: int) -> bool:
    """Whether the unit of a hint that ends at a place is that of a note."""
    size = 1
    while text[end - size] != 32:
        size += 1
    for place in range(_NOTES.size - size):
        i = 0
        while i <= size and _NOTES[place + i] == text[end - size + i]:
            i += 1
        if i > size:
            return True
    return False


@leaf
def is_cut(text: Bytes, kept: int, size: int, st: Ints) -> int:
    """Step past the hint that closes a block; 1 if there is one, 0 if not, `DECLINED` if wrong."""
    if st[CURSOR] >= text.size or text[st[CURSOR]] != 62:
        return 0
    missing, total, after = hint_at(text, st[CURSOR])
    if missing == NO_HINT:
        return 0
    st[CURSOR] = after
    return 1 if total == size and missing + kept == size else DECLINED


@leaf
def _csv_cell(text: Bytes, place: int, end: int, store: Bytes, st: Ints) -> tuple[int, int, int]:
    """Return where the cell at a place begins and ends, and the place of what ends it.

    A cell with quotation marks in it is put into the store; its end is negative then. The
    place is `DECLINED` where the record is damaged.
    """
    if place >= end or text[place] != 34:
        stop = place
        while stop < end and text[stop] != 44:
            if text[stop] == 34:
                return place, stop, DECLINED
            stop += 1
        return place, stop, stop
    first = place + 1
    stop, doubled = first, False
    while stop < end:
        if text[stop] == 34:
            if stop + 1 >= end or text[stop + 1] != 34:
                break
            doubled = True
            stop += 1
        stop += 1
    if stop >= end or (stop + 1 < end and text[stop + 1] != 44):
        return first, stop, DECLINED
    if not doubled:
        return first, stop, stop + 1
    s = st[STORE]
    while first < stop:
        first += 1 if text[first] == 34 else 0
        s = put_byte(store, s, text[first])
        first += 1
    return st[STORE], -s, stop + 1


@leaf
def _table_cell(text: Bytes, place: int, end: int, store: Bytes, st: Ints) -> tuple[int, int, int]:
    r"""Return the same for a cell of a Markdown table; those with ``\|`` are in the store."""
    stop, escaped = place, False
    while stop < end and (text[stop] != 124 or text[stop - 1] == 92):
        escaped = escaped or text[stop] == 124
        stop += 1
    if stop >= end:
        return place, stop, DECLINED
    first, last = place, stop
    while first < last and text[first] == 32:
        first += 1
    while first < last and text[last - 1] == 32:
        last -= 1
    if not escaped:
        return first, last, stop
    s = st[STORE]
    for i in range(first, last):
        if text[i] != 92 or i + 1 >= last or text[i + 1] != 124:
            s = put_byte(store, s, text[i])
    return st[STORE], -s, stop


@leaf
def _cell(
    text: Bytes, place: int, end: int, bars: bool, store: Bytes, st: Ints
) -> tuple[int, int, int]:
    if bars:
        return _table_cell(text, place, end, store, st)
    return _csv_cell(text, place, end, store, st)


@leaf
def _add_column(source: Bytes, first: int, last: int, store: Bytes, cols: Table, st: Ints) -> bool:
    """Declare a column by its name as `scalars.write_key` writes it; whether that is one.

    What the name is made of in the store must stand in front of what is taken of it.
    """
    if first < last and source[first] == 34:
        if string_end(source, first, last) != last:
            return False
        first, last = first + 1, last - 1
    elif not is_bare_key(source, first, last):
        return False
    mine = new_column(cols, st, whole(-1), whole(WORD))
    if mine < 0:
        return False
    cols[mine, HASH] = hashed(source, first, last, 0)
    cols[mine, NAME] = st[STORE]
    cols[mine, NAME_END] = put_member(source, first, last, store, st[STORE])
    st[STORE] = cols[mine, NAME_END]
    return True


@leaf
def _read_header(
    text: Bytes, place: int, end: int, bars: bool, store: Bytes, cols: Table, marks: Ints, st: Ints
) -> int:
    """Declare the columns that the first line of a table names; return how many, or an error."""
    first_column, top = st[COLS], st[MARKS]
    while True:
        first, last, place = _cell(text, place, end, bars, store, st)
        if place < 0 or top >= marks.size:
            return DECLINED
        if last < 0 and -last > store.size:
            return NO_ROOM
        source = store if last < 0 else text
        st[STORE] = max(st[STORE], -last)
        if not _add_column(source, first, abs(last), store, cols, st):
            return DECLINED
        marks[top] = cols[st[COLS] - 1, HASH]
        top += 1
        if place + (1 if bars else 0) >= end:
            break
        place += 1
    if st[STORE] > store.size:
        return NO_ROOM
    return DECLINED if has_twice(marks, st[MARKS], top) else st[COLS] - first_column


@leaf
def _put_record(
    text: Bytes,
    place: int,
    end: int,
    bars: bool,
    out: Bytes,
    n: int,
    store: Bytes,
    cols: Table,
    marks: Ints,
    st: Ints,
    column: int,
) -> int:
    """Append the object that a line stands for, of the columns from one to the last."""
    n = put_byte(out, n, 123)
    while True:
        first, last, place = _cell(text, place, end, bars, store, st)
        if place < 0 or column >= st[COLS]:
            return DECLINED
        if last < 0 and -last > store.size:
            return NO_ROOM
        if first != abs(last):
            n = put(out, n, store, cols[column, NAME], cols[column, NAME_END])
            source = store if last < 0 else text
            n = put_read(source, first, abs(last), out, n, marks, st[MARKS])
            if n < 0:
                return DECLINED
        column += 1
        if place + (1 if bars else 0) >= end:
            return close(out, n, 125) if column == st[COLS] else DECLINED
        place += 1


@leaf
def _are_dashes(text: Bytes, place: int, end: int, count: int) -> bool:
    """Whether a line is the row of dashes below so many columns."""
    if end - place != 6 * count + 1:
        return False
    for i in range(end - place):
        k = i % 6
        c = 124 if k == 0 else 32 if k in (1, 5) else 45
        if text[place + i] != c:
            return False
    return True


@leaf
def read_records(
    text: Bytes,
    bars: bool,
    size: int,
    out: Bytes,
    n: int,
    store: Bytes,
    cols: Table,
    marks: Ints,
    st: Ints,
) -> int:
    """Append the array that a block of ``csv``, or of a ``table``, stands for."""
    column, kept = st[COLS], st[STORE]
    place = st[CURSOR]
    end = line_end(text, place)
    if place >= text.size or (bars and (place == end or text[place] != 124)):
        return DECLINED
    count = _read_header(text, place + (1 if bars else 0), end, bars, store, cols, marks, st)
    if count < 0:
        return count
    st[CURSOR] = end + 1
    if bars:
        place, end = end + 1, line_end(text, end + 1)
        if not _are_dashes(text, place, end, count):
            return DECLINED
        st[CURSOR] = end + 1
    n = put_byte(out, n, 91)
    rows = whole(0)
    while rows < size:
        cut = is_cut(text, rows, size, st)
        if cut < 0:
            return cut
        if cut:
            break
        place = st[CURSOR]
        if place >= text.size or (bars and text[place] != 124):
            return DECLINED
        end = line_end(text, place)
        st[CURSOR] = end + 1
        place += 1 if bars else 0
        n = _put_record(text, place, end, bars, out, n, store, cols, marks, st, column)
        if n < 0 or n > out.size:
            return n if n < 0 else NO_ROOM
        rows += 1
    st[COLS], st[STORE] = column, kept
    return close(out, n, 93)


@leaf
def _take_lines(text: Bytes, count: int, st: Ints) -> int:
    """Step past lines; return where the last one ends, or `DECLINED`."""
    end: int = st[CURSOR]
    for _ in range(count):
        if st[CURSOR] >= text.size:
            return DECLINED
        end = line_end(text, st[CURSOR])
        st[CURSOR] = end + 1
    return end


@leaf
def _part_end(text: Bytes, place: int, end: int) -> int:
    """Return where the part of a sentence at a place ends, or `DECLINED`."""
    if place < end and text[place] == 34:
        return string_end(text, place, end)
    while place < end:
        c = text[place]
        if c == 59:
            return place if place + 1 < end and text[place + 1] == 32 else DECLINED
        if c == 46 and place + 1 == end:
            return place
        place += 1
    return DECLINED


@leaf
def _put_key(
    text: Bytes, place: int, end: int, out: Bytes, n: int, marks: Ints, st: Ints
) -> tuple[int, int]:
    """Append the name in a sentence; return the place behind it and its verb, and the size."""
    quoted = place < end and text[place] == 34
    stop = string_end(text, place, end) if quoted else place
    if not quoted:
        while stop + 3 < end and not _is_verb(text, stop, end):
            stop += 1
        if not is_bare_key(text, place, stop):
            return place, DECLINED
    if stop < 0 or not _is_verb(text, stop, end) or st[MARKS] >= marks.size:
        return place, DECLINED
    gap = 1 if quoted else 0
    marks[st[MARKS]] = hashed(text, place + gap, stop - gap, 0)
    st[MARKS] += 1
    return stop + 4, put_member(text, place + gap, stop - gap, out, n)


@leaf
def _is_verb(text: Bytes, place: int, end: int) -> bool:
    if place + 4 > end or text[place] != 32 or text[place + 1] != 105:
        return False
    return bool(text[place + 2] == 115 and text[place + 3] == 32)


@leaf
def read_prose(
    text: Bytes, bracket: int, size: int, out: Bytes, n: int, marks: Ints, st: Ints
) -> int:
    """Append what a sentence, or a string of several lines, stands for."""
    place = st[CURSOR]
    if bracket == 40:
        end = _take_lines(text, size, st)
        return put_string(text, place, end, out, n) if end >= 0 else DECLINED
    end = _take_lines(text, whole(1), st)
    if end < 0 or size < 1:
        return DECLINED
    n = put_byte(out, n, bracket)
    base = st[MARKS]
    for number in range(1, size + 1):
        if bracket == 123:
            place, n = _put_key(text, place, end, out, n, marks, st)
        stop = _part_end(text, place, end) if n >= 0 else DECLINED
        if stop <= place or stop >= end:
            return DECLINED
        n = put_read(text, place, stop, out, n, marks, st[MARKS])
        if n < 0:
            return DECLINED
        if number < size and (text[stop] != 59 or stop + 1 >= end or text[stop + 1] != 32):
            return DECLINED
        if number == size and (text[stop] != 46 or stop + 1 != end):
            return DECLINED
        place = stop + 2
    if has_twice(marks, base, st[MARKS]):
        return DECLINED
    st[MARKS] = base
    return close(out, n, bracket + 2)


@leaf
def read_fence(text: Bytes, size: int, out: Bytes, n: int, st: Ints) -> int:
    """Append the string of several lines in a fence."""
    first = st[CURSOR]
    end = _take_lines(text, whole(1), st)
    width = end - first
    for place in range(first, end):
        if text[place] != 96:
            return DECLINED
    start, count, last = st[CURSOR], 0, st[CURSOR]
    if width < 1:
        return DECLINED
    while True:
        place = st[CURSOR]
        stop = _take_lines(text, whole(1), st)
        if stop < 0:
            return DECLINED
        ticks = place
        while ticks < stop and text[ticks] == 96:
            ticks += 1
        if ticks == stop and stop - place == width:
            break
        count += 1
        last = stop
    return put_string(text, start, last, out, n) if size == max(1, count) else DECLINED
