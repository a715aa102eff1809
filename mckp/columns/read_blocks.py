"""Encoded texts of data, read into compact JSON; the way of `encoders.read`.

All that is read in flow notation is read from one place, for whatever calls `flow` is compiled
together with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put, put_byte
from mckp.columns.read_columns import FLAGS, NAMED, OPEN, TYPE, record_at
from mckp.columns.read_flow import A_NAMED_ROW, A_ROW, A_VALUE, SOME_COLUMNS, flow
from mckp.columns.read_headers import (
    CSV,
    FENCE,
    LINES,
    MARKDOWN,
    PROSE,
    RECORDS,
    UNKNOWN,
    header_at,
    heading_at,
)
from mckp.columns.read_json import json_end
from mckp.columns.read_lines import (
    SEALED,
    close_section,
    key_at,
    open_section,
    put_key,
    read_lines,
)
from mckp.columns.read_rows import is_counted
from mckp.columns.read_tables import is_cut, read_fence, read_prose, read_records, skip_notes
from mckp.columns.read_words import (
    ASKED,
    BASE,
    BRACKET,
    COLS,
    CURSOR,
    DECLINED,
    END,
    GIVEN,
    KEPT,
    MARKS,
    NO_ROOM,
    POS,
    ROWS,
    SIZE,
    STORE,
    WANTED,
    close,
    has_twice,
    line_end,
    whole,
)
from mckp.columns.shapes import GROUP
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table

DEEPEST: Final = 24
"""Blocks within one another that are read here; the twin recurses into them."""

BLOCK: Final = 0
"""What is to be done next: a block is read whose header was."""
MEMBERS: Final = 1
"""The next lines of the innermost block are read."""
COLUMNS: Final = 2
"""The columns of rows were read."""
ROW: Final = 3
"""The next of these rows is read."""
SECTIONS: Final = 4
"""A block was read, and others may follow."""
WHOLE: Final = 5
"""The whole text was read."""


@leaf
def _begin_rows(
    text: Bytes, at: int, end: int, header: tuple[int, int], cols: Table, marks: Ints, st: Ints
) -> bool:
    """Ask for the columns that a header names from a place on; whether there are any."""
    st[BRACKET], st[SIZE] = header
    st[KEPT], st[BASE], st[ROWS] = st[STORE], st[MARKS], 0
    named = st[BRACKET] == 123
    record, st[POS] = record_at(text, at, end, cols, st, whole(-1))
    if record < 0 or (named and cols[record, TYPE] != GROUP):
        return False
    if cols[record, TYPE] == GROUP:
        cols[record, FLAGS] = NAMED if named else OPEN
    st[END], st[WANTED], st[GIVEN], st[ASKED] = end, SOME_COLUMNS, record, 1
    return True


@leaf
def _next_row(text: Bytes, out: Bytes, n: int, cols: Table, marks: Ints, st: Ints) -> int:
    """Ask for the next row below a header, or close the rows; return the size."""
    cut = 0
    if st[ROWS] < st[SIZE]:
        cut = is_cut(text, st[ROWS], st[SIZE], st)
        if cut == 0:
            if st[CURSOR] >= text.size:
                return DECLINED
            st[ROWS] += 1
            st[POS], st[END] = st[CURSOR], line_end(text, st[CURSOR])
            st[CURSOR] = st[END] + 1
            st[WANTED] = A_NAMED_ROW if st[BRACKET] == 123 else A_ROW
            st[ASKED] = 1
            return n
    if cut < 0 or (cut == 0 and not is_counted(cols, st[GIVEN], st[COLS])):
        return DECLINED
    if has_twice(marks, st[BASE], st[MARKS]):
        return DECLINED
    st[COLS], st[STORE], st[MARKS] = st[GIVEN], st[KEPT], st[BASE]
    return close(out, n, st[BRACKET] + 2)


@leaf
def _read_block(
    text: Bytes,
    header: tuple[int, int, int],
    out: Bytes,
    n: int,
    store: Bytes,
    cols: Table,
    marks: Ints,
    st: Ints,
) -> int:
    """Append what a block stands for that has neither blocks below nor flow notation."""
    bracket, size, form = header
    if form in (CSV, MARKDOWN):
        return read_records(text, form == MARKDOWN, size, out, n, store, cols, marks, st)
    if form == PROSE:
        return read_prose(text, bracket, size, out, n, marks, st)
    return read_fence(text, size, out, n, st) if form == FENCE else DECLINED


@leaf
def _begin(text: Bytes, out: Bytes, marks: Ints, st: Ints) -> tuple[int, int]:
    """Tell how to read a text: return the size of what is read already, and what to do next."""
    n = whole(0)
    st[:] = 0
    if text.size == 0:
        return DECLINED, WHOLE
    end = line_end(text, n)
    st[CURSOR] = end + 1
    if 0 < end < text.size - 1 and header_at(text, n, end)[2] != UNKNOWN:
        return n, BLOCK
    if end >= text.size - 1 and json_end(text, n, end, marks, n) == end:
        return put_byte(out, put(out, n, text, n, end), 44), WHOLE
    if text[0] != 123 and text[0] != 91:
        return DECLINED, WHOLE
    st[END], st[WANTED], st[ASKED] = end, A_VALUE, 1
    return n, WHOLE


@leaf
def read(
    text: Bytes,
    out: Bytes,
    store: Bytes,
    cols: Table,
    stack: Table,
    marks: Ints,
    sections: Table,
    st: Ints,
) -> int:
    """Turn an encoded text of data into compact JSON.

    Parameters
    ----------
    text : array of uint8
        The text in UTF-8, without a dictionary above it.
    out, store, cols, stack, marks, sections, st : arrays
        What is written, and room to work in; see `readback.json_of`.

    Returns
    -------
    int
        The size of the JSON; `DECLINED` where the twin has to judge, also of what is damaged;
        `NO_ROOM` where `out` or `store` is too small.
    """
    stack[0, :] = 0
    n, todo = _begin(text, out, marks, st)
    if n < 0:
        return DECLINED
    sp, end, at = whole(-1), st[CURSOR] - 1, whole(0)
    bracket, size, form, at = header_at(text, at, end)
    if todo == BLOCK and bracket != 40:  # of a text, any line may look like a note
        skip_notes(text, st)
    while n >= 0:
        if n > out.size:
            return NO_ROOM
        if st[ASKED]:
            st[ASKED] = 0
            n = flow(text, st[END], out, n, store, cols, stack, marks, st)
            if n >= 0 and todo == COLUMNS:
                n = put_byte(out, n, bracket)
                todo = ROW
        elif todo == BLOCK and form == LINES:
            sp += 1
            if sp >= DEEPEST:
                return DECLINED
            n = open_section(text, out, n, bracket, size, st, sections[sp])
            todo = MEMBERS
        elif todo == MEMBERS:
            n = read_lines(text, out, n, marks, st, sections[sp])
            todo = MEMBERS if st[ASKED] else SECTIONS
        elif todo == BLOCK and form == RECORDS:
            if not _begin_rows(text, at, end, (bracket, size), cols, marks, st):
                return DECLINED
            todo = COLUMNS
        elif todo == BLOCK:
            n = _read_block(text, (bracket, size, form), out, n, store, cols, marks, st)
            todo = SECTIONS
        elif todo == ROW:
            n = _next_row(text, out, n, cols, marks, st)
            todo = ROW if st[ASKED] else SECTIONS
        elif todo == SECTIONS and sp >= 0:
            at = -1 if sections[sp, SEALED] else heading_at(text, st[CURSOR], sp + 1)
            if at < 0:
                n = close_section(out, n, store, marks, st, sections[sp])
                sp -= 1
                continue
            end = line_end(text, at)
            st[CURSOR] = end + 1
            first, last, at = key_at(text, at, end, whole(40))
            if at < 0 or (at < end and text[at] == 34):
                return DECLINED
            n = put_key(text, first, last, out, n, sections[sp], marks, st)
            bracket, size, form, at = header_at(text, at, end)
            todo = BLOCK
        else:
            skip_notes(text, st)
            return n - 1 if st[CURSOR] >= text.size else DECLINED
    return NO_ROOM if n == NO_ROOM else DECLINED
