"""Single cells of rows, as `mckp.encoders.native` writes them one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put_byte
from mckp.columns.infer_fit import fits
from mckp.columns.infer_members import index_of, member, wide
from mckp.columns.native_values import bare, marked, stands_bare
from mckp.columns.shapes import FIRST, FLAGS, GROUP, ITEMS, KEY, NEXT, OPTIONAL, TAB, TYPE, WORD
from mckp.columns.tape import BEGIN, END, KIND, LITERAL, OBJECT, START, STOP, STRING
from mckp.columns.words import is_text
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.native_values import Span
    from mckp.columns.native_work import Work
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Tape


@leaf
def plain(tape: Tape, work: Work, entry: int, free: int, inline: int) -> Span:
    """Return where a cell stands that is bare, or of free text; nothing for all others.

    `entry` is -1 if there is no value.
    """
    if entry < 0:
        return wide(0), wide(0)
    if free == TAB and tape.nodes[entry, KIND] == STRING:
        return _free(tape, work, entry, inline)
    return bare(tape, work, entry)


@leaf
def _free(tape: Tape, work: Work, entry: int, inline: int) -> Span:
    begin, stop = wide(tape.spans[entry, BEGIN]), wide(tape.spans[entry, STOP])
    if is_text(tape.text, begin, stop, inline != 0):
        return begin, stop
    if not stands_bare(tape, work, entry):
        return begin, begin
    # Within a line, text ends at a closing bracket, even at that of a word like a{b}.
    if inline != 0 and _has_closing(tape.text, begin, stop):
        return wide(tape.spans[entry, START]), wide(tape.spans[entry, END])
    return begin, stop


@leaf
def other(tape: Tape, work: Work, entry: int, out: Bytes, n: int) -> int:
    """Append any other cell."""
    return marked(tape, work, entry, out, n) if entry >= 0 else put_byte(out, n, 45)


@leaf
def _has_closing(source: Bytes, start: int, end: int) -> bool:
    for place in range(start, end):  # noqa: SIM110
        if source[place] in (93, 125):
            return True
    return False


@njit
def opens(tape: Tape, shapes: Shapes, group: int, entry: int, inline: bool) -> int:
    """Whether the first cell of an object tells that it is there: 1, 0, or -1 if it has none.

    A cell that looks like no value, like null, or like what stands for something else would say
    that the object, which is marked as optional, is not.
    """
    fields = shapes.fields
    index = index_of(tape, entry)
    column = wide(fields[group, FIRST])
    while column >= 0:
        kind = fields[column, TYPE]
        if kind in (WORD, TAB, ITEMS, GROUP):
            found = wide(member(tape, entry, fields[column, KEY], entry + 1, index))
            if kind != GROUP:
                return int(_tells(tape, found, kind == TAB, inline))
            if fields[column, FLAGS] & OPTIONAL and (
                found < 0
                or tape.nodes[found, KIND] != OBJECT
                or not fits(tape, shapes, column, found)
            ):
                return 0
            inner = opens(tape, shapes, column, found, inline)
            if inner >= 0:
                return inner
        column = wide(fields[column, NEXT])
    return -1


@leaf
def _tells(tape: Tape, entry: int, free: bool, inline: bool) -> bool:
    """Whether a cell, of free text perhaps, looks like none of what stands for no object."""
    if entry < 0:
        return False
    source = tape.text
    if tape.nodes[entry, KIND] == LITERAL:
        return bool(source[tape.spans[entry, START]] != 110)
    begin, stop = tape.spans[entry, BEGIN], tape.spans[entry, STOP]
    if not free or tape.nodes[entry, KIND] != STRING:
        return True
    if not is_text(source, begin, stop, inline != 0):
        return True
    c = source[begin]
    if c == 45:
        return not _ends_cell(source, begin + 1, stop)
    if c == 110 and stop - begin > 4 and source[begin + 1] == 117:
        is_null = source[begin + 2] == 108 and source[begin + 3] == 108
        return not (is_null and _ends_cell(source, begin + 4, stop))
    return c not in (59, 61, 93, 125)


@leaf
def _ends_cell(source: Bytes, place: int, end: int) -> bool:
    return bool(place == end or source[place] in (9, 32, 59, 93, 125))
