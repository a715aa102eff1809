"""The rows of tables, as `mckp.encoders.native` writes them one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put, put_byte
from mckp.columns.declare import put_tag
from mckp.columns.infer_fit import fits, tag_of
from mckp.columns.infer_members import wide
from mckp.columns.native_cells import opens, other, plain
from mckp.columns.native_values import BLANK, TABULATOR, push_table, value
from mckp.columns.native_work import (
    BEFORE,
    BRACKET,
    CELLS,
    CHILD,
    CLOSE,
    COLUMN,
    END,
    ENTRY,
    EXTRA,
    EXTRAS,
    FLOOR,
    GAP,
    HOME,
    INLINE,
    KIND,
    LISTED,
    MEMBER,
    OWNER,
    PAIRS,
    PHASE,
    ROW,
    SHAPE,
    SHORT,
    SLOT,
    SLOTS,
    STOP,
    TICKET,
    TOP,
    WORDS,
    WRITTEN,
    add_slot,
    push,
    top_frame,
)
from mckp.columns.shapes import (
    COUNT,
    FIRST,
    FLAGS,
    GROUP,
    ITEMS,
    KEY,
    LAST,
    MORE,
    NEXT,
    OPTIONAL,
    PLAIN,
    RECORD,
    TAB,
    TAGGED,
    TYPE,
)
from mckp.columns.tape import ARRAY, LITERAL, OBJECT
from mckp.jit import njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape


@njit
def push_row(work: Work, record: int, entry: int, inline: int) -> None:
    """Put a frame on the stack for one row of a table, without what ends it."""
    frame = push(work)
    frame[KIND] = ROW
    frame[SHAPE], frame[ENTRY], frame[INLINE] = record, entry, inline
    frame[PHASE], frame[GAP], frame[BRACKET], frame[WRITTEN], frame[END] = 0, 0, 0, 0, -2


@njit
def row(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the next part of a row."""
    frame = top_frame(work)
    phase = frame[PHASE]
    frame[PHASE] += 1
    if phase == 0:
        return _begin(tape, work, out, n)
    if phase == 1 and frame[END] >= -1:
        return _last(tape, work, out, n)
    if phase < 3 and frame[EXTRAS] > frame[EXTRA]:
        return _more(work, out, n)
    if frame[GAP] == TABULATOR:
        n = put_byte(out, n, TABULATOR)
    work.state[SLOTS] = frame[EXTRA]
    work.state[TOP] -= 1
    return n


@njit
def _last(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the cell that ends a row."""
    frame = top_frame(work)
    end: int = frame[END]
    n = _gap(frame, wide(end >= 0 and tape.kind[end] <= ARRAY), wide(0), out, n)
    start, stop = plain(tape, end, wide(TAB), frame[INLINE])
    if start < stop:
        return put(out, n, tape.text, start, stop)
    return other(tape, work, end, out, n)


@njit
def _more(work: Work, out: Bytes, n: int) -> int:
    """Put a frame on the stack for the members without a column."""
    frame = top_frame(work)
    frame[PHASE] = 3
    if frame[END] >= -1:
        frame[GAP] = TABULATOR
    n = _gap(frame, wide(0), wide(0), out, n)
    more = push(work)
    more[KIND] = PAIRS
    more[CHILD], more[STOP] = frame[EXTRA], frame[EXTRAS]
    more[CLOSE], more[BEFORE], more[LISTED] = 0, 0, 1
    return n


@njit
def _begin(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the tag of a row, or all of it if it has no columns; else put their frame above."""
    fields = work.shapes.fields
    mine: int = work.state[TOP]
    frame = top_frame(work)
    entry: int = frame[ENTRY]
    record: int = frame[SHAPE]
    kind = fields[record, TYPE]
    if kind == PLAIN and tape.kind[entry] == ARRAY:
        work.state[TOP] = mine - 1
        return _items(tape, work, entry, out, n)
    is_row = False
    if kind == TAGGED and tape.kind[entry] == OBJECT:
        record = tag_of(tape, work.shapes, record, entry)
        if record >= 0:
            is_row = True
            n = put_byte(out, put_tag(tape, work, record, out, n), BLANK)
    elif kind == GROUP and tape.kind[entry] == OBJECT:
        is_row = fits(tape, work.shapes, record, entry)
    if not is_row:
        work.state[TOP] = mine - 1
        return value(tape, work, entry, out, put_byte(out, put_byte(out, n, 61), BLANK))
    _assign(tape, work, entry)
    frame[EXTRA] = work.state[SLOTS]
    if fields[record, FLAGS] & MORE:
        _set_extras(tape, work, record, entry)
    frame[EXTRAS] = work.state[SLOTS]
    _push_cells(work, record, mine)
    return n


@njit
def _items(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append a row that is an array."""
    if not tape.size[entry]:
        return put_byte(out, n, 45)
    frame = push(work)
    frame[KIND] = WORDS
    frame[CHILD], frame[STOP] = entry + 1, tape.next[entry]
    frame[CLOSE], frame[BEFORE] = 0, -1
    return n


@njit
def _assign(tape: Tape, work: Work, entry: int) -> None:
    """Note the members of an object by their names, under a new number."""
    work.state[TICKET] += 2
    child = entry + 1
    while child < tape.next[entry]:
        name = work.names[tape.key[child]]
        name[MEMBER], name[OWNER] = child, work.state[TICKET]
        child = tape.next[child]


@njit
def _set_extras(tape: Tape, work: Work, group: int, entry: int) -> None:
    """Put the members without a column into slots, and give the others the next number."""
    fields = work.shapes.fields
    ticket = work.state[TICKET]
    column = fields[group, FIRST]
    while column >= 0:
        name = work.names[fields[column, KEY]]
        name[OWNER] += name[OWNER] == ticket
        column = fields[column, NEXT]
    child = entry + 1
    while child < tape.next[entry]:
        if work.names[tape.key[child], OWNER] == ticket:
            add_slot(work, child)
        child = tape.next[child]


@njit
def _push_cells(work: Work, group: int, home: int) -> None:
    """Put the values of columns into slots, and a frame for their cells on the stack."""
    fields = work.shapes.fields
    frame = push(work)
    frame[KIND] = CELLS
    frame[COLUMN], frame[HOME] = fields[group, FIRST], home
    frame[SLOT] = frame[FLOOR] = work.state[SLOTS]
    column = fields[group, FIRST]
    while column >= 0:
        name = work.names[fields[column, KEY]]
        add_slot(work, name[MEMBER] if name[OWNER] >= work.state[TICKET] else -1)
        column = fields[column, NEXT]


@njit
def cells(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the cells of an object up to the next that is nested."""
    fields = work.shapes.fields
    mine = work.state[TOP]
    frame = top_frame(work)
    home: Ints = work.frames[frame[HOME]]
    while frame[COLUMN] >= 0 and not work.state[SHORT]:
        column: int = frame[COLUMN]
        slot: int = frame[SLOT]
        entry: int = work.slots[slot]
        frame[COLUMN] = fields[column, NEXT]
        frame[SLOT] += 1
        kind = wide(fields[column, TYPE])
        if kind == LAST:
            home[END] = entry
        elif kind == GROUP:
            n = _group(tape, work, column, entry, out, n)
        elif kind <= TAB or kind == ITEMS:
            is_open = wide(entry >= 0 and tape.kind[entry] <= ARRAY)
            n = _gap(home, is_open, wide(TABULATOR if kind == TAB else BLANK), out, n)
            start, stop = plain(tape, entry, kind, home[INLINE])
            if start < stop:
                n = put(out, n, tape.text, start, stop)
            elif kind == ITEMS and is_open and tape.kind[entry] == ARRAY:
                fields[column, COUNT] += tape.size[entry]
                push_table(tape, work, entry, wide(fields[column, RECORD]), wide(-1), wide(-1))
                n = put_byte(out, n, 91)
            else:
                n = other(tape, work, entry, out, n)
        if work.state[TOP] != mine:
            return n
    work.state[SLOTS] = frame[FLOOR]
    work.state[TOP] = mine - 1
    return n


@njit
def _gap(home: Ints, is_open: int, after: int, out: Bytes, n: int) -> int:
    """Append what stands behind the cell before, and note what will behind the next.

    Between two brackets no blank is needed.
    """
    gap = home[GAP]
    is_needed = gap == TABULATOR or (gap == BLANK and not (home[BRACKET] and is_open))
    home[GAP], home[BRACKET] = after, is_open
    home[WRITTEN] += 1
    return put_byte(out, n, gap) if is_needed else n


@njit
def _group(tape: Tape, work: Work, group: int, entry: int, out: Bytes, n: int) -> int:
    """Begin the cells of a nested object, or append the one that stands for something else."""
    fields = work.shapes.fields
    frame = top_frame(work)
    home: Ints = work.frames[frame[HOME]]
    is_there = not fields[group, FLAGS] & OPTIONAL
    if not is_there and entry >= 0 and tape.kind[entry] == OBJECT:
        is_there = fits(tape, work.shapes, group, entry)
        is_there = is_there and opens(tape, work.shapes, group, entry, home[INLINE] != 0) != 0
    if is_there:
        _assign(tape, work, entry)
        _push_cells(work, group, frame[HOME])
        return n
    if entry >= 0:
        n = _gap(home, wide(0), wide(BLANK), out, n)
        if tape.kind[entry] != LITERAL or tape.text[tape.start[entry]] != 110:
            n = put_byte(out, n, 61)
        return value(tape, work, entry, out, n)
    # At the end of a row that has other cells nothing says as much as the sign for it.
    ends = frame[HOME] == work.state[TOP] - 1 and fields[group, NEXT] < 0
    if ends and home[WRITTEN] and home[END] == -2 and home[EXTRA] == home[EXTRAS]:
        return n
    return put_byte(out, _gap(home, wide(0), wide(BLANK), out, n), 45)
