"""What is done when something that was open in flow notation is read: strings, tables, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put, put_byte
from mckp.columns.read_columns import (
    AT,
    COUNT,
    FIRST,
    FOUND,
    HASH,
    NAME,
    NAME_END,
    NEXT,
    TEMPLATE_WANTED,
    VALUE,
    VALUE_END,
)
from mckp.columns.read_frames import (
    BASE,
    COL,
    ENDED,
    INLINE,
    NUMBER,
    RECORD,
    ROWS,
    SIZE,
    STAGE,
)
from mckp.columns.read_rows import is_counted, put_text
from mckp.columns.read_spelled import put_spelled
from mckp.columns.read_words import COLS, DECLINED, MARKS, NO_ROOM, STORE, close, has_twice
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table


@leaf
def _text_end(text: Bytes, place: int, end: int, inline: bool) -> int:
    """Return where the text that ends a row ends."""
    while place < end and text[place] != 9 and not (inline and text[place] in (59, 93, 125)):
        place += 1
    return place


@leaf
def keep(out: Bytes, start: int, n: int, store: Bytes, st: Ints) -> bool:
    """Move a value that was written to the store, without its comma; whether there was room."""
    size = st[STORE] + n - 1 - start
    if n > out.size or size > store.size:
        return False
    st[STORE] = put(store, st[STORE], out, start, n - 1)
    return True


@leaf
def set_value(
    out: Bytes, n: int, store: Bytes, cols: Table, stack: Table, sp: int, st: Ints
) -> int:
    """Give a column that a header declares its constant or template; return the size before it."""
    col = stack[sp, COL]
    start: int = stack[sp, SIZE]
    is_text = stack[sp, NUMBER] == TEMPLATE_WANTED
    cols[col, VALUE] = st[STORE]
    if n > out.size:
        return NO_ROOM
    if is_text and out[start] != 34:
        return DECLINED
    # The content of a template, or a constant with its comma.
    gap = 1 if is_text else 0
    if not keep(out, start + gap, n + 1 - 2 * gap, store, st):
        return NO_ROOM
    cols[col, VALUE_END] = st[STORE]
    return start


@leaf
def respell(out: Bytes, n: int, store: Bytes, stack: Table, sp: int, st: Ints) -> int:
    """Write the string for the value that stands for it; return the size."""
    first, start = st[STORE], stack[sp, SIZE]
    if not keep(out, start, n, store, st):
        return NO_ROOM
    n = put_byte(out, start, 34)
    n = put_spelled(store, first, st[STORE], stack[sp, NUMBER], out, n)
    st[STORE] = first
    return put_byte(out, put_byte(out, n, 34), 44)


@leaf
def end_table(out: Bytes, n: int, cols: Table, stack: Table, sp: int, marks: Ints, st: Ints) -> int:
    """Close a table within a line; return the size."""
    col, record, rows = stack[sp, COL], stack[sp, RECORD], stack[sp, ROWS]
    if col >= 0:
        cols[col, FOUND] += rows
        return close(out, n, 93)
    if rows != stack[sp, NUMBER] or not is_counted(cols, record, st[COLS]):
        return DECLINED
    if has_twice(marks, stack[sp, BASE], st[MARKS]):
        return DECLINED
    st[COLS], st[STORE], st[MARKS] = record, stack[sp, SIZE], stack[sp, BASE]
    return close(out, n, 125 if stack[sp, INLINE] else 93)


@leaf
def is_twice(cols: Table, record: int, start: int, marks: Ints, st: Ints) -> bool:
    """Whether a member without a column has the name of another one, or of a column."""
    top = st[MARKS]
    if top == start:
        return False
    st[MARKS] = start
    if top + cols[record, COUNT] > marks.size:
        return True
    col = cols[record, FIRST]
    while col >= 0:
        marks[top] = cols[col, HASH]
        top += 1
        col = cols[col, NEXT]
    return has_twice(marks, start, top)


@leaf
def end_row(
    text: Bytes,
    place: int,
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
) -> tuple[int, int, int]:
    """Read the text that ends a row; return the place, the size and whether a value is wanted.

    Where nothing follows the place of the text, it is written there at once.
    """
    mark = stack[sp, SIZE]
    col = int(marks[mark + 1])
    cols[col, AT] = -1
    stack[sp, STAGE] = ENDED
    if mark == stack[sp, BASE] and mark + 2 == st[MARKS] and marks[mark] + 1 == n:
        n -= 1
        st[MARKS] = mark
        stack[sp, SIZE] = -1
    stop = _text_end(text, place, end, stack[sp, INLINE] != 0)
    if stop == place + 1 and text[place] == 45:
        if stack[sp, SIZE] >= 0:
            stack[sp, SIZE] = -2
        return stop, n, 0
    stack[sp, NUMBER] = n
    if stack[sp, SIZE] < 0:
        n = put(out, n, store, cols[col, NAME], cols[col, NAME_END])
    size = put_text(text, place, stop, out, n, spelled)
    return (place, n, 1) if size == 0 else (stop, size, 0)
