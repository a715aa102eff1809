"""Names in flow notation: of members, of rows, and the tags of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import hashed
from mckp.columns.read_columns import FIRST, HASH, NEXT, tag_end
from mckp.columns.read_words import DECLINED, MARKS, digits_end, name_at, put_member
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.read_columns import Table


@leaf
def is_named(text: Bytes, place: int, end: int) -> bool:
    """Whether the columns of rows that have names begin at a place, with their number."""
    stop = digits_end(text, place, end)
    if stop == place or stop >= end or text[stop] != 123:
        return False
    stop += 1
    if stop < end and text[stop] != 64:
        _, _, stop = name_at(text, stop, end)
        if stop < 0 or stop >= end or text[stop] != 32:
            return False
        stop += 1
    return stop + 1 < end and text[stop] == 64 and text[stop + 1] in (32, 125)


@leaf
def tagged(text: Bytes, place: int, end: int, cols: Table, record: int) -> tuple[int, int]:
    """Return the group that the tag at a place stands for, or `DECLINED`, and the place behind."""
    stop = tag_end(text, place, end)
    if stop == place or stop >= end or text[stop] != 32:
        return DECLINED, place
    h = hashed(text, place, stop, 0)
    group = cols[record, FIRST]
    while group >= 0 and cols[group, HASH] != h:
        group = cols[group, NEXT]
    return group, stop + 1


@leaf
def put_name(
    text: Bytes, place: int, end: int, out: Bytes, n: int, marks: Ints, st: Ints
) -> tuple[int, int]:
    """Append the name of a member, and mark it; return the place behind and the size."""
    first, last, place = name_at(text, place, end)
    top = st[MARKS]
    if place < 0 or top >= marks.size:
        return place, DECLINED
    marks[top] = hashed(text, first, last, 0)
    st[MARKS] = top + 1
    return place, put_member(text, first, last, out, n)


@leaf
def put_pair(
    text: Bytes, place: int, end: int, out: Bytes, n: int, marks: Ints, st: Ints
) -> tuple[int, int]:
    """Append a name in flow notation, up to its value."""
    place, n = put_name(text, place, end, out, n, marks, st)
    if n < 0 or place >= end:
        return place, DECLINED
    if text[place] == 91 or text[place] == 123:
        return place, n
    return place + 1, n if text[place] == 32 else DECLINED
