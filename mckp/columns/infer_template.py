"""Templates of derived columns: what they say of a record, and how they are spelled.

A template is a chain of pieces in the arena of shapes, linked like columns: the column's `FIRST`
is its first piece. A piece of text stands in the tape's text from the offset in `RECORD` up to
the one in `COUNT`; a hole has the number of a name in `KEY`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put, put_byte, same_bytes
from mckp.columns.infer_members import index_of, member, wide
from mckp.columns.shapes import (
    COUNT,
    DERIVED,
    FIRST,
    FLAGS,
    GROUP,
    KEY,
    NEXT,
    OPTIONAL,
    RECORD,
    TYPE,
)
from mckp.columns.tape import BEGIN, END, KEY_BEGIN, KEY_STOP, KIND, NUMBER, START, STOP, STRING
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Tape

PIECE: Final = 10
"""Type of a shape that is text of a template."""
HOLE: Final = 11
"""Type of a shape that is a hole of a template."""


@leaf
def is_integer(text: Bytes, start: int, end: int) -> bool:
    """Whether a number has neither a fraction nor an exponent."""
    for place in range(start, end):  # noqa: SIM110
        if text[place] == 46 or text[place] | 32 == 101:
            return False
    return True


@leaf
def plain_text(tape: Tape, entry: int) -> tuple[int, int]:
    """Return where the text that stands in a hole for a value begins and ends in the tape's.

    It is empty for what has no plain text.
    """
    if tape.nodes[entry, KIND] == STRING:
        return wide(tape.spans[entry, BEGIN]), wide(tape.spans[entry, STOP])
    start, end = wide(tape.spans[entry, START]), wide(tape.spans[entry, END])
    is_plain = tape.nodes[entry, KIND] == NUMBER and is_integer(tape.text, start, end)
    return start, end if is_plain else start


@njit
def follows(tape: Tape, shapes: Shapes, column: int, entry: int) -> bool:
    """Whether a derived column's member of an object is what the template says of it."""
    text, fields = tape.text, shapes.fields
    index = index_of(tape, entry)
    value = member(tape, entry, fields[column, KEY], entry + 1, index)
    if value < 0 or tape.nodes[value, KIND] != STRING:
        return False
    place, stop = wide(tape.spans[value, BEGIN]), wide(tape.spans[value, STOP])
    part = wide(fields[column, FIRST])
    while part >= 0 and place >= 0:
        if fields[part, TYPE] == PIECE:
            begin, end = wide(fields[part, RECORD]), wide(fields[part, COUNT])
            place = _behind(text, place, stop, begin, end)
        else:
            key = wide(fields[part, KEY])
            source = wide(member(tape, entry, key, entry + 1, index))
            begin, end = plain_text(tape, source) if source >= 0 else (stop, stop)
            if begin < end:
                place = _behind(text, place, stop, begin, end)
            else:
                begin, end = wide(tape.keys[key, KEY_BEGIN]), wide(tape.keys[key, KEY_STOP])
                place = _behind_braces(text, place, stop, begin, end)
        part = wide(fields[part, NEXT])
    return bool(place == stop)


@leaf
def _behind(text: Bytes, place: int, stop: int, begin: int, end: int) -> int:
    """Return the place behind a copy of a piece of text, or -1 if there is none."""
    after = place + end - begin
    return after if after <= stop and same_bytes(text, place, after, text, begin, end) else -1


@leaf
def _behind_braces(text: Bytes, place: int, stop: int, begin: int, end: int) -> int:
    """Return the place behind a copy in braces, which a hole without text is, or -1."""
    after = place + end - begin + 2
    if after > stop or text[place] != 123 or text[after - 1] != 125:
        return -1
    return after if same_bytes(text, place + 1, after - 1, text, begin, end) else -1


@njit
def all_follow(tape: Tape, shapes: Shapes, group: int, entry: int) -> bool:
    """Whether all derived columns of an object, and of those within it, are as derived."""
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return True
    while column >= 0:
        kind = shapes.fields[column, TYPE]
        if kind == DERIVED and not follows(tape, shapes, column, entry):
            return False
        if kind == GROUP and not shapes.fields[column, FLAGS] & OPTIONAL:
            key = shapes.fields[column, KEY]
            below = wide(member(tape, entry, key, entry + 1, index_of(tape, entry)))
            if not all_follow(tape, shapes, column, below):
                return False
        column = wide(shapes.fields[column, NEXT])
    return True


@leaf
def put_template(tape: Tape, shapes: Shapes, column: int, out: Bytes, n: int) -> int:
    """Append the template of a derived column, names of holes in braces."""
    part = wide(shapes.fields[column, FIRST])
    while part >= 0:
        if shapes.fields[part, TYPE] == HOLE:
            key: int = shapes.fields[part, KEY]
            n = put_byte(out, n, wide(123))
            n = put(out, n, tape.text, tape.keys[key, KEY_BEGIN], tape.keys[key, KEY_STOP])
            n = put_byte(out, n, wide(125))
        else:
            begin, end = shapes.fields[part, RECORD], shapes.fields[part, COUNT]
            n = put(out, n, tape.text, wide(begin), wide(end))
        part = wide(shapes.fields[part, NEXT])
    return n
