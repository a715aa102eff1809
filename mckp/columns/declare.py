"""How a table declares its columns, as `mckp.encoders.column_writer` does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put, put_byte, put_number
from mckp.columns.infer_members import wide
from mckp.columns.infer_template import put_template
from mckp.columns.native_values import BLANK, TABULATOR, value
from mckp.columns.native_work import (
    COLUMN,
    FRAME,
    GAP,
    HEAD,
    NAME_END,
    NAME_START,
    NAMED,
    SHAPE,
    TOP,
    WRITTEN,
    push,
)
from mckp.columns.quoting import quote
from mckp.columns.shapes import (
    BELOW,
    CONSTANT,
    COUNT,
    DERIVED,
    FIRST,
    FLAGS,
    GROUP,
    ITEMS,
    KEY,
    LAST,
    LED,
    MORE,
    NEXT,
    OPTIONAL,
    PLAIN,
    RECORD,
    TAB,
    TAGGED,
    TYPE,
)
from mckp.columns.tape import BEGIN, STOP
from mckp.columns.words import is_word
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.native_work import Work
    from mckp.columns.tape import Tape


@leaf
def declare(work: Work, record: int, named: int, out: Bytes, n: int) -> int:
    """Append what begins the header of rows, and put a frame for the rest of it on the stack."""
    kind = work.shapes.fields[record, TYPE]
    if kind == PLAIN:
        return put_byte(out, put_byte(out, n, 91), 93)
    frame = work.frames[push(work)]
    frame[FRAME] = HEAD
    frame[COLUMN], frame[SHAPE] = work.shapes.fields[record, FIRST], record
    frame[NAMED], frame[WRITTEN], frame[GAP] = named, 0, 0
    return put_byte(out, n, 60 if kind == TAGGED else 123)


@leaf
def head(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Append columns, or the groups of a tagged shape, up to the next that is nested."""
    fields = work.shapes.fields
    mine = work.state[TOP]
    frame = work.frames[work.state[TOP]]
    flags = fields[frame[SHAPE], FLAGS]
    is_tagged = fields[frame[SHAPE], TYPE] == TAGGED
    while True:
        if frame[NAMED] and frame[WRITTEN] == (flags & LED != 0):
            n = put_byte(out, _gap(frame, wide(BLANK), out, n), 64)
            frame[NAMED] = 0
        column = frame[COLUMN]
        if column < 0:
            break
        frame[COLUMN] = fields[column, NEXT]
        n = _gap(frame, wide(TABULATOR if fields[column, TYPE] == TAB else BLANK), out, n)
        n = put_tag(tape, work, column, out, n) if is_tagged else _name(tape, work, column, out, n)
        n = _column(tape, work, column, out, n)
        if work.state[TOP] != mine:
            return n
    work.state[TOP] = mine - 1
    if flags & MORE:
        n = put_byte(out, _gap(frame, wide(0), out, n), 42)
    elif frame[GAP] == TABULATOR:
        n = put_byte(out, n, TABULATOR)
    return put_byte(out, n, 62 if is_tagged else 125)


@leaf
def _gap(frame: Ints, after: int, out: Bytes, n: int) -> int:
    """Append what stands behind the column before, and note what will behind the next."""
    gap = frame[GAP]
    frame[GAP] = after
    frame[WRITTEN] += 1
    return put_byte(out, n, gap) if gap else n


@leaf
def _name(tape: Tape, work: Work, column: int, out: Bytes, n: int) -> int:
    key = work.shapes.fields[column, KEY]
    return put(out, n, tape.text, work.names[key, NAME_START], work.names[key, NAME_END])


@leaf
def put_tag(tape: Tape, work: Work, group: int, out: Bytes, n: int) -> int:
    """Append the tag of rows of a group."""
    entry: int = work.shapes.fields[group, KEY]
    if entry < 0:
        return put_byte(out, n, 64 - entry)
    return put(out, n, tape.text, tape.spans[entry, BEGIN], tape.spans[entry, STOP])


@leaf
def _word(out: Bytes, start: int, n: int) -> int:
    """Let what was written last be a word."""
    return n if n <= out.size and is_word(out, start, n) else quote(out, start, n, n)


@leaf
def _column(tape: Tape, work: Work, column: int, out: Bytes, n: int) -> int:
    """Append all that is to be known of a column beside its name."""
    fields = work.shapes.fields
    kind = fields[column, TYPE]
    if kind == LAST:
        return put_byte(out, n, 62)
    if kind == DERIVED:
        n = put_byte(out, n, 126)
        return _word(out, n, put_template(tape, work.shapes, column, out, n))
    if kind == CONSTANT:
        return value(tape, work, wide(fields[column, RECORD]), out, put_byte(out, n, 61))
    if kind in (ITEMS, BELOW):
        n = put_number(out, put_byte(out, n, 91), wide(fields[column, COUNT]))
        n = put_byte(out, n, 93)
        if kind == BELOW:
            n = put_byte(out, n, 62)
    if kind >= GROUP and kind <= BELOW and fields[column, FLAGS] & OPTIONAL:
        n = put_byte(out, n, 63)
    if kind == GROUP:
        return declare(work, column, wide(0), out, n)
    if kind == ITEMS or (kind == BELOW and fields[column, RECORD] >= 0):
        return declare(work, wide(fields[column, RECORD]), wide(0), out, n)
    return put_byte(out, put_byte(out, n, 123), 125) if kind == BELOW else n
