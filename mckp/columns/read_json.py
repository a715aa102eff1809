"""Compact JSON in an encoded text: checked, and taken over as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import hashed, put, put_byte
from mckp.columns.read_words import (
    DECLINED,
    REFUSED,
    has_twice,
    literal,
    put_string,
    string_end,
)
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints

DEEPEST: Final = 200
"""Brackets within one another, as in `mckp.jsontext.MAX_DEPTH`."""


@leaf
def _verdict(text: Bytes, place: int, end: int) -> int:
    """Say of what is not compact JSON whether it may be JSON with blanks in it."""
    first = place
    while place < end and text[place] in (32, 9, 10, 13):
        place += 1
    if place in (first, end):
        return REFUSED
    return DECLINED if text[place] in (44, 58, 93, 125) else REFUSED


@leaf
def _member_end(text: Bytes, place: int, end: int, marks: Ints, top: int) -> int:
    """Return the place behind the name and colon at a place, and mark the name."""
    if place >= end or text[place] != 34:
        return DECLINED if place < end and text[place] <= 32 else REFUSED
    stop = string_end(text, place, end)
    if stop < 0:
        return DECLINED
    if stop >= end or text[stop] != 58:
        return _verdict(text, stop, end)
    marks[top] = hashed(text, place + 1, stop - 1, 0)
    return stop + 1


@leaf
def _scalar_end(text: Bytes, place: int, end: int) -> int:
    """Return the place behind the scalar at a place."""
    if text[place] == 34:
        return string_end(text, place, end)
    stop = place
    while stop < end and (
        48 <= text[stop] <= 57 or 97 <= text[stop] | 32 <= 122 or text[stop] in (43, 45, 46)
    ):
        stop += 1
    if stop == place:
        return DECLINED if text[place] <= 32 else REFUSED
    found = literal(text, place, stop)
    return stop if found == 1 else REFUSED if found == 0 else DECLINED


@leaf
def json_end(text: Bytes, place: int, end: int, marks: Ints, top: int) -> int:
    """Return the place behind the compact JSON value at a place.

    `REFUSED` says that there is certainly no JSON, `DECLINED` that there may be: with blanks,
    with escapes or numbers out of the ordinary, or with a name that stands twice.
    """
    # Each open bracket is a mark of where the one around it is, and of its own kind; the names
    # of its members are the marks behind it.
    depth, here = 0, -1
    while True:
        if place >= end or top + 2 > marks.size:
            return REFUSED if place >= end else DECLINED
        c = text[place]
        if c == 123 or c == 91:
            depth += 1
            if depth > DEEPEST:
                return DECLINED
            marks[top] = here * 2 + (1 if c == 123 else 0)
            here = top
            top += 1
            place += 1
            if place >= end or text[place] != c + 2:
                if c == 123:
                    place = _member_end(text, place, end, marks, top)
                    top += 1
                    if place < 0:
                        return place
                continue
        else:
            place = _scalar_end(text, place, end)
            if place < 0:
                return place
        while here >= 0:
            is_object = marks[here] & 1
            if place >= end:
                return REFUSED
            c = text[place]
            if c == 44:
                place += 1
                if is_object:
                    place = _member_end(text, place, end, marks, top)
                    top += 1
                    if place < 0:
                        return place
                break
            if c != 93 + 32 * is_object:
                return _verdict(text, place, end)
            if is_object and has_twice(marks, here + 1, top):
                return DECLINED
            place += 1
            depth -= 1
            top = here
            here = marks[here] >> 1
        if here < 0:
            return place


@leaf
def put_json(text: Bytes, start: int, end: int, out: Bytes, n: int, marks: Ints, top: int) -> int:
    """Append a piece that is all compact JSON, and a comma; or say that it is not."""
    stop = json_end(text, start, end, marks, top)
    if stop < 0:
        return stop
    if stop != end:
        return DECLINED if text[stop] <= 32 else REFUSED
    return put_byte(out, put(out, n, text, start, end), 44)


@leaf
def put_read(text: Bytes, start: int, end: int, out: Bytes, n: int, marks: Ints, top: int) -> int:
    """Append what `scalars.read_value` makes of a piece that is not empty, and a comma."""
    c = text[start]
    if c == 34 or c == 91 or c == 123:
        return put_json(text, start, end, out, n, marks, top)
    found = literal(text, start, end)
    if found < 0:
        return DECLINED
    if found:
        return put_byte(out, put(out, n, text, start, end), 44)
    return put_string(text, start, end, out, n)
