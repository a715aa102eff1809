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
    FITTED,
    FLOOR,
    FRAME,
    GAP,
    HOME,
    INLINE,
    LIMIT,
    LINES,
    LISTED,
    MEMBER,
    NOTED,
    OWNER,
    PAIRS,
    PHASE,
    ROW,
    SHAPE,
    SHORT,
    SLOT,
    SLOTS,
    TICKET,
    TOP,
    WORDS,
    WRITTEN,
    add_slot,
    push,
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
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH, LITERAL, NAME, OBJECT, START
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape


@leaf
def push_row(work: Work, record: int, entry: int, inline: int) -> None:
    """Put a frame on the stack for one row of a table, without what ends it."""
    frame = work.frames[push(work)]
    frame[FRAME] = ROW
    frame[SHAPE], frame[ENTRY], frame[INLINE] = record, entry, inline
    frame[PHASE], frame[GAP], frame[BRACKET], frame[WRITTEN], frame[END] = 0, 0, 0, 0, -2


@leaf
def row(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the next part of a row."""
    frame = work.frames[work.state[TOP]]
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


@leaf
def _last(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the cell that ends a row."""
    frame = work.frames[work.state[TOP]]
    end: int = frame[END]
    n = _gap(frame, wide(end >= 0 and tape.nodes[end, KIND] <= ARRAY), wide(0), out, n)
    start, stop = plain(tape, work, end, wide(TAB), frame[INLINE])
    if start < stop:
        return put(out, n, tape.text, start, stop)
    return other(tape, work, end, out, n)


@leaf
def _more(work: Work, out: Bytes, n: int) -> int:
    """Put a frame on the stack for the members without a column."""
    frame = work.frames[work.state[TOP]]
    frame[PHASE] = 3
    if frame[END] >= -1:
        frame[GAP] = TABULATOR
    n = _gap(frame, wide(0), wide(0), out, n)
    more = work.frames[push(work)]
    more[FRAME] = PAIRS
    more[CHILD], more[LIMIT] = frame[EXTRA], frame[EXTRAS]
    more[CLOSE], more[BEFORE], more[LISTED], more[NOTED] = 0, 0, 1, -1
    return n


@leaf
def _begin(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the tag of a row, or all of it if it has no columns; else put their frame above."""
    fields = work.shapes.fields
    mine: int = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    entry: int = frame[ENTRY]
    record: int = frame[SHAPE]
    kind = fields[record, TYPE]
    if kind == PLAIN and tape.nodes[entry, KIND] == ARRAY:
        work.state[TOP] = mine - 1
        return _items(tape, work, entry, out, n)
    is_row = False
    if kind == TAGGED and tape.nodes[entry, KIND] == OBJECT:
        record = tag_of(tape, work.shapes, record, entry)
        if record >= 0:
            is_row = True
            n = put_byte(out, put_tag(tape, work, record, out, n), BLANK)
    elif kind == GROUP and tape.nodes[entry, KIND] == OBJECT:
        is_row = fits(tape, work.shapes, record, entry)
    around = work.frames[mine - 1]
    if around[FRAME] == LINES:
        around[FITTED] = is_row
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


@leaf
def _items(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append a row that is an array."""
    if not tape.nodes[entry, LENGTH]:
        return put_byte(out, n, 45)
    frame = work.frames[push(work)]
    frame[FRAME] = WORDS
    frame[CHILD], frame[LIMIT] = entry + 1, tape.nodes[entry, AFTER]
    frame[CLOSE], frame[BEFORE], frame[NOTED] = 0, -1, -1
    return n


@leaf
def _assign(tape: Tape, work: Work, entry: int) -> None:
    """Note the members of an object by their names, under a new number."""
    work.state[TICKET] += 2
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        name = work.names[tape.nodes[child, NAME]]
        name[MEMBER], name[OWNER] = child, work.state[TICKET]
        child = tape.nodes[child, AFTER]


@leaf
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
    while child < tape.nodes[entry, AFTER]:
        if work.names[tape.nodes[child, NAME], OWNER] == ticket:
            add_slot(work, child)
        child = tape.nodes[child, AFTER]


@leaf
def _push_cells(work: Work, group: int, home: int) -> None:
    """Put the values of columns into slots, and a frame for their cells on the stack."""
    fields = work.shapes.fields
    frame = work.frames[push(work)]
    frame[FRAME] = CELLS
    frame[COLUMN], frame[HOME] = fields[group, FIRST], home
    frame[SLOT] = frame[FLOOR] = work.state[SLOTS]
    column = fields[group, FIRST]
    while column >= 0:
        name = work.names[fields[column, KEY]]
        add_slot(work, name[MEMBER] if name[OWNER] >= work.state[TICKET] else -1)
        column = fields[column, NEXT]


@leaf
def cells(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the cells of an object up to the next that is nested."""
    fields = work.shapes.fields
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
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
            is_open = wide(entry >= 0 and tape.nodes[entry, KIND] <= ARRAY)
            n = _gap(home, is_open, wide(TABULATOR if kind == TAB else BLANK), out, n)
            start, stop = plain(tape, work, entry, kind, home[INLINE])
            if start < stop:
                n = put(out, n, tape.text, start, stop)
            elif kind == ITEMS and is_open and tape.nodes[entry, KIND] == ARRAY:
                fields[column, COUNT] += tape.nodes[entry, LENGTH]
                push_table(tape, work, entry, wide(fields[column, RECORD]), wide(-1), wide(-1))
                n = put_byte(out, n, 91)
            else:
                n = other(tape, work, entry, out, n)
        if work.state[TOP] != mine:
            return n
    work.state[SLOTS] = frame[FLOOR]
    work.state[TOP] = mine - 1
    return n


@leaf
def _gap(home: Ints, is_open: int, after: int, out: Bytes, n: int) -> int:
    """Append what stands behind the cell before, and note what will behind the next.

    Between two brackets no blank is needed.
    """
    gap = home[GAP]
    is_needed = gap == TABULATOR or (gap == BLANK and not (home[BRACKET] and is_open))
    home[GAP], home[BRACKET] = after, is_open
    home[WRITTEN] += 1
    return put_byte(out, n, gap) if is_needed else n


@leaf
def _group(tape: Tape, work: Work, group: int, entry: int, out: Bytes, n: int) -> int:
    """Begin the cells of a nested object, or append the one that stands for something else."""
    fields = work.shapes.fields
    frame = work.frames[work.state[TOP]]
    home: Ints = work.frames[frame[HOME]]
    is_there = not fields[group, FLAGS] & OPTIONAL
    if not is_there and entry >= 0 and tape.nodes[entry, KIND] == OBJECT:
        is_there = fits(tape, work.shapes, group, entry)
        is_there = is_there and opens(tape, work.shapes, group, entry, home[INLINE] != 0) != 0
    if is_there:
        _assign(tape, work, entry)
        _push_cells(work, group, frame[HOME])
        return n
    if entry >= 0:
        n = _gap(home, wide(0), wide(BLANK), out, n)
        if tape.nodes[entry, KIND] != LITERAL or tape.text[tape.spans[entry, START]] != 110:
            n = put_byte(out, n, 61)
        return value(tape, work, entry, out, n)
    # At the end of a row that has other cells nothing says as much as the sign for it.
    ends = frame[HOME] == work.state[TOP] - 1 and fields[group, NEXT] < 0
    if ends and home[WRITTEN] and home[END] == -2 and home[EXTRA] == home[EXTRAS]:
        return n
    return put_byte(out, _gap(home, wide(0), wide(BLANK), out, n), 45)
