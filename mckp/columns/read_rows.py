"""The rows of tables, read cell by cell; the way of `encoders.native_reader.Line.members`.

A record is written as it is read. Where its free text at the end of the row, or what other
columns spell out, is to stand, it has a byte 0 until the row is read, and marks say where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put, put_byte
from mckp.columns.read_columns import (
    AT,
    COUNT,
    FIRST,
    FLAGS,
    FOUND,
    NAME,
    NAME_END,
    NEXT,
    OPTIONAL,
    PARENT,
    SPENDS,
    TYPE,
    VALUE,
    VALUE_END,
)
from mckp.columns.read_frames import CELL, COL, IN, NUMBER, RECORD, SIZE, STAGE, TABBED
from mckp.columns.read_words import (
    DECLINED,
    MARKS,
    POS,
    SPENT,
    close,
    is_exact,
    literal,
    put_scalar,
    put_string,
)
from mckp.columns.shapes import BELOW, CONSTANT, DERIVED, GROUP, ITEMS, LAST, TAB
from mckp.columns.words import looks_spelled
from mckp.encoders.lines import LARGEST
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table

FINISHED: Final = 0
"""What `cells` asks for: nothing more."""
VALUE_WANTED: Final = 1
ROWS_WANTED: Final = 2
"""The rows of a table in a cell, whose bracket was read."""


@leaf
def is_absent(text: Bytes, place: int, end: int) -> bool:
    """Whether the sign for no value stands at a place."""
    if place >= end or text[place] != 45:
        return False
    return place + 1 == end or text[place + 1] in (32, 9, 59, 93, 125)


@leaf
def ends_row(text: Bytes, place: int, end: int) -> bool:
    """Whether a row ends at a place."""
    return place >= end or text[place] in (59, 93, 125)


@leaf
def is_open(text: Bytes, place: int, end: int) -> bool:
    """Whether a value at a place is more than a word or a string."""
    if place >= end:
        return False
    return text[place] == 91 or text[place] == 123 or looks_spelled(text, place, end)


@leaf
def skip_blank(text: Bytes, place: int, end: int) -> int:
    """Step past one blank if it stands at a place."""
    return place + 1 if place < end and text[place] == 32 else place


@leaf
def put_text(text: Bytes, place: int, stop: int, out: Bytes, n: int, spelled: bool) -> int:
    """Append the free text that a piece is, and a comma; 0 where a value has to be read instead.

    That the text may be the sign for no value is the caller's to see.
    """
    c = text[place] if place < stop else 34
    if c == 34 or c == 91 or c == 123 or looks_spelled(text, place, stop):
        return 0
    if c == 60 and stop > place + 1:
        digits = place + 1
        while digits < stop and 48 <= text[digits] <= 57:
            digits += 1
        if digits == stop:
            return 0
    found = literal(text, place, stop)
    if found == 0:
        return put_string(text, place, stop, out, n)
    if found < 0 or (spelled and not is_exact(text, place, stop)):
        return DECLINED
    return put_byte(out, put(out, n, text, place, stop), 44)


@leaf
def _put_other(
    text: Bytes, place: int, end: int, out: Bytes, n: int, store: Bytes, cols: Table, col: int
) -> tuple[int, int, int]:
    """Read what stands in the place of an object, if anything does.

    Returns the place, the size, and 0 for an object, 1 if all was read, 2 if a value follows.
    """
    c = text[place] if place < end else 59
    if c == 61:
        n = put(out, n, store, cols[col, NAME], cols[col, NAME_END])
        cols[col, AT] = n
        return place + 1, n, 2
    if is_absent(text, place, end):
        return skip_blank(text, place + 1, end), n, 1
    if c in (59, 93, 125):
        return place, n, 1
    if c != 110 or end - place < 4 or text[place + 1] != 117:
        return place, n, 0
    if text[place + 2] != 108 or text[place + 3] != 108:
        return place, n, 0
    if end - place > 4 and text[place + 4] not in (32, 9, 59, 93, 125):
        return place, n, 0
    n = put(out, n, store, cols[col, NAME], cols[col, NAME_END])
    n = put_byte(out, put(out, n, text, place, place + 4), 44)
    return skip_blank(text, place + 4, end), n, 1


@leaf
def _put_hole(out: Bytes, n: int, col: int, marks: Ints, st: Ints) -> int:
    """Leave a place in the record for what comes later."""
    top = st[MARKS]
    if top + 2 > marks.size:
        return DECLINED
    marks[top], marks[top + 1] = n, col
    st[MARKS] = top + 2
    return put_byte(out, n, 0)


@leaf
def cells(
    text: Bytes,
    end: int,
    out: Bytes,
    n: int,
    store: Bytes,
    cols: Table,
    stack: Table,
    sp: int,
    marks: Ints,
    st: Ints,
    spelled: bool,
) -> tuple[int, int]:
    """Read cells, up to a value with brackets or to the end; return what is wanted, the size."""
    place, record = st[POS], stack[sp, RECORD]
    col, group = stack[sp, COL], stack[sp, IN]
    wanted = FINISHED
    while n >= 0:
        if col < 0:
            if group == record:
                break
            n = close(out, n, 125)
            col, group = cols[group, NEXT], cols[group, PARENT]
            continue
        mine, type_ = col, cols[col, TYPE]
        col = cols[mine, NEXT]
        cols[mine, AT] = -1
        if type_ == CONSTANT:
            n = put(out, n, store, cols[mine, NAME], cols[mine, NAME_END])
            cols[mine, AT] = n
            n = put(out, n, store, cols[mine, VALUE], cols[mine, VALUE_END])
            st[SPENT] += cols[mine, SPENDS]
            if st[SPENT] > LARGEST:
                return wanted, DECLINED
        elif type_ in (DERIVED, LAST):
            if type_ == LAST:
                stack[sp, SIZE] = st[MARKS]
            n = _put_hole(out, n, mine, marks, st)
        elif type_ == GROUP:
            other = 0
            if cols[mine, FLAGS] & OPTIONAL:
                place, n, other = _put_other(text, place, end, out, n, store, cols, mine)
            if other == 0:
                n = put(out, n, store, cols[mine, NAME], cols[mine, NAME_END])
                n = put_byte(out, n, 123)
                group, col = mine, cols[mine, FIRST]
            elif other == 2:
                stack[sp, STAGE], wanted = CELL, VALUE_WANTED
                break
        elif type_ == BELOW:
            continue
        elif is_absent(text, place, end) and type_ != TAB:
            place = skip_blank(text, place + 1, end)
        else:
            stop = place
            if type_ == TAB:
                while stop < end and text[stop] != 9:
                    stop += 1
                if stop == end:
                    return wanted, DECLINED
                if stop == place + 1 and text[place] == 45:
                    place += 2
                    continue
            n = put(out, n, store, cols[mine, NAME], cols[mine, NAME_END])
            cols[mine, AT] = n
            if type_ == TAB:
                size = put_text(text, place, stop, out, n, spelled)
                if size != 0:
                    n, place = size, stop + 1
                    continue
                stack[sp, STAGE], wanted = TABBED, VALUE_WANTED
                break
            if is_open(text, place, end):
                stack[sp, STAGE], wanted = CELL, VALUE_WANTED
                if type_ == ITEMS and text[place] == 91:
                    wanted = ROWS_WANTED
                    stack[sp, NUMBER] = mine
                    place += 1
                    n = put_byte(out, n, 91)
                break
            place, n = put_scalar(text, place, end, out, n, spelled, st)
            place = skip_blank(text, place, end)
    stack[sp, COL], stack[sp, IN] = col, group
    st[POS] = place
    return wanted, n


@leaf
def is_counted(cols: Table, first: int, last: int) -> bool:
    """Whether the tables within the rows of a table have all the rows that are declared."""
    for col in range(first, last):
        if cols[col, TYPE] in (ITEMS, BELOW) and cols[col, FOUND] != cols[col, COUNT]:
            return False
    return True
