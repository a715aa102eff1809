"""Lines: rows with what stands below them, and what ends a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put, put_byte
from mckp.columns.infer_members import wide
from mckp.columns.native_rows import push_row
from mckp.columns.native_tables import named
from mckp.columns.native_values import BLANK, FEED, TABULATOR
from mckp.columns.native_work import (
    CHILD,
    DEPTH,
    FITTED,
    FRAME,
    LIMIT,
    LINE,
    LINES,
    NAMED,
    PENDING,
    PRIOR,
    SHAPE,
    TOP,
    push,
)
from mckp.columns.quoting import quote
from mckp.columns.shapes import BELOW, COUNT, FIRST, KEY, NEXT, RECORD, TYPE
from mckp.columns.tape import AFTER, BEGIN, LENGTH, NAME, STOP
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape


@leaf
def push_lines(work: Work, record: int, first: int, stop: int, named: int, depth: int) -> None:
    """Put a frame on the stack for rows that are lines, so many blanks deep."""
    frame = work.frames[push(work)]
    frame[FRAME], frame[SHAPE], frame[NAMED], frame[DEPTH] = LINES, record, named, depth
    frame[CHILD], frame[LIMIT], frame[LINE] = first, stop, -1


@leaf
def lines(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the next row, or end the line of the last and go on with what stands below it."""
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    if frame[LINE] >= 0:
        if frame[NAMED]:
            n = named(tape, work, frame[SHAPE], frame[PRIOR], out, frame[LINE], n)
        n = end_line(tape, work, out, frame[LINE], n)
        frame[LINE] = -1
        column = _below(work, frame[SHAPE])
        if column >= 0:
            _push_below(tape, work, column)
    elif frame[CHILD] < frame[LIMIT]:
        child = frame[CHILD]
        frame[CHILD], frame[PRIOR], frame[LINE] = tape.nodes[child, AFTER], child, n
        for _ in range(frame[DEPTH]):
            n = put_byte(out, n, BLANK)
        push_row(work, frame[SHAPE], child, wide(0))
    else:
        work.state[TOP] = mine - 1
    return n


@leaf
def _below(work: Work, record: int) -> int:
    """Return the column of a record whose rows stand below it, or -1."""
    fields = work.shapes.fields
    last = wide(-1)
    column = wide(fields[record, FIRST])
    while column >= 0:
        last, column = column, wide(fields[column, NEXT])
    return last if last >= 0 and fields[last, TYPE] == BELOW else wide(-1)


@leaf
def _push_below(tape: Tape, work: Work, column: int) -> None:
    """Put a frame on the stack for the rows below the last one; in a tree they are like it."""
    fields = work.shapes.fields
    frame = work.frames[work.state[TOP]]
    entry: int = frame[PRIOR]
    if not frame[FITTED]:
        return
    child = entry + 1
    while child < tape.nodes[entry, AFTER] and tape.nodes[child, NAME] != fields[column, KEY]:
        child = tape.nodes[child, AFTER]
    if child < tape.nodes[entry, AFTER]:
        record = wide(fields[column, RECORD])
        fields[column, COUNT] += tape.nodes[child, LENGTH]
        below = frame[SHAPE] if record < 0 else record
        stop = wide(tape.nodes[child, AFTER])
        push_lines(work, below, child + 1, stop, wide(0), frame[DEPTH] + 1)


@leaf
def end_line(tape: Tape, work: Work, out: Bytes, line: int, n: int) -> int:
    """Append the line feed, and the strings that stand below the line."""
    if line < n <= out.size and out[line] in (47, 62):
        # Which would break the fragment law, or look like a hint.
        stop = line
        while stop < n and out[stop] not in (TABULATOR, BLANK):
            stop += 1
        n = quote(out, line, stop, n)
    for place in range(work.state[PENDING]):
        entry: int = work.pending[place]
        n = put_byte(out, n, FEED)
        n = put(out, n, tape.text, tape.spans[entry, BEGIN], tape.spans[entry, STOP])
    work.state[PENDING] = 0
    return put_byte(out, n, FEED)
