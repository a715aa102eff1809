"""Tables on a line: their rows, then what declares their columns, which is put before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put, put_byte
from mckp.columns.declare import declare
from mckp.columns.infer_members import wide
from mckp.columns.native_rows import push_row
from mckp.columns.native_values import BLANK
from mckp.columns.native_work import (
    CHILD,
    LIMIT,
    LINE,
    MARK,
    NAME_END,
    NAME_START,
    NAMED,
    NOTED,
    ORIGIN,
    PRIOR,
    QUIET,
    SHAPE,
    SPLIT,
    TABLES,
    TOP,
    note,
    push_back,
)
from mckp.columns.shapes import FLAGS, LED
from mckp.columns.tape import AFTER, NAME
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape


@leaf
def table(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append the next row of a table, or what stands behind the last."""
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    if frame[SPLIT] >= 0:
        rotate(out, frame[ORIGIN], frame[SPLIT], n)
        work.shapes.state[0] = frame[MARK]
        work.state[TOP] = mine - 1
        n = put_byte(out, n, 125 if frame[NAMED] else 93)
        note(work, frame[NOTED], out, n)
        return n
    if frame[NAMED] and frame[PRIOR] >= 0:
        n = named(tape, work, frame[SHAPE], frame[PRIOR], out, frame[LINE], n)
    child: int = frame[CHILD]
    if child < frame[LIMIT]:
        if frame[PRIOR] >= 0:
            n = put_byte(out, n, 59)
        frame[CHILD], frame[PRIOR], frame[LINE] = tape.nodes[child, AFTER], child, n
        push_row(work, frame[SHAPE], child, wide(1))
    elif frame[ORIGIN] < 0:
        work.state[TOP] = mine - 1
        n = put_byte(out, n, 93)
    else:
        frame[SPLIT] = n
        work.state[TABLES] -= 1
        n = header(work, frame[SHAPE], frame[NAMED], out, n)
    return n


@leaf
def header(work: Work, record: int, named: int, out: Bytes, n: int) -> int:
    """Append what begins the header of rows; no lines stand below what it says."""
    push_back(work)
    work.state[QUIET] = 1
    work.state[TABLES] = 0
    return declare(work, record, named, out, n)


@leaf
def named(tape: Tape, work: Work, record: int, entry: int, out: Bytes, line: int, n: int) -> int:
    """Put the name of a row before it, or behind its first cell if its shape says so."""
    key = tape.nodes[entry, NAME]
    start, end = work.names[key, NAME_START], work.names[key, NAME_END]
    size = n + end - start + 1
    if size > out.size:
        return int(size)
    place = line
    if work.shapes.fields[record, FLAGS] & LED:
        while place < n and out[place] != BLANK:
            place += 1
    if place < n:
        for k in range(n - 1, place - 1, -1):
            out[k + size - n] = out[k]
    if place == line:
        put(out, line, tape.text, start, end)
        out[size - n + line - 1] = BLANK
    else:
        out[place] = BLANK
        put(out, place + 1, tape.text, start, end)
    return int(size)


@leaf
def rotate(out: Bytes, start: int, split: int, end: int) -> None:
    """Exchange two neighbouring pieces of what was written."""
    if end <= out.size:
        _reverse(out, start, split)
        _reverse(out, split, end)
        _reverse(out, start, end)


@leaf
def _reverse(out: Bytes, start: int, end: int) -> None:
    for k in range((end - start) // 2):
        out[start + k], out[end - 1 - k] = out[end - 1 - k], out[start + k]
