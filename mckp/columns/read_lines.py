"""Blocks of lines, ``key: value`` or ``- item``; the way of `encoders.kv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import hashed, put, put_byte
from mckp.columns.read_flow import A_VALUE
from mckp.columns.read_json import put_read
from mckp.columns.read_tables import NO_HINT, hint_at
from mckp.columns.read_words import (
    ASKED,
    CURSOR,
    DECLINED,
    END,
    MARKS,
    NO_ROOM,
    POS,
    REFUSED,
    STORE,
    WANTED,
    close,
    digits_end,
    has_twice,
    line_end,
    number_of,
    put_member,
    string_end,
    whole,
)
from mckp.columns.words import is_bare_key, looks_spelled
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints

BRACKET: Final = 0
"""What is known of a block of lines that is open."""
SIZE: Final = 1
KEPT: Final = 2
BASE: Final = 3
MISSING: Final = 4
TOTAL: Final = 5
SEALED: Final = 6
"""Whether it has items without indices, so that no block may follow below."""
SECTION: Final = 7


@leaf
def _ask(place: int, end: int, st: Ints) -> None:
    """Ask for a value in flow notation, up to the end of a line."""
    st[POS], st[END], st[WANTED], st[ASKED] = place, end, A_VALUE, 1


@leaf
def _value(
    text: Bytes,
    place: int,
    end: int,
    out: Bytes,
    n: int,
    marks: Ints,
    st: Ints,
) -> int:
    """Append the value at the end of a line, or ask for it."""
    if place == end:
        return DECLINED
    if not looks_spelled(text, place, end):
        size = put_read(text, place, end, out, n, marks, st[MARKS])
        if size != REFUSED or text[place] == 34:
            return size if size >= 0 else DECLINED
    _ask(place, end, st)
    return n


@leaf
def key_at(text: Bytes, place: int, end: int, behind: int) -> tuple[int, int, int]:
    """Return where the content of a name begins and ends, and the place behind, or `DECLINED`.

    A bare name ends in front of a quotation mark, a bracket, or the byte `behind`.
    """
    if place < end and text[place] == 34:
        stop = string_end(text, place, end)
        return place + 1, stop - 1, stop
    stop = place
    while stop < end and text[stop] not in (34, 91, 123) and text[stop] != behind:
        stop += 1
    return place, stop, stop if is_bare_key(text, place, stop) else DECLINED


@leaf
def put_key(
    text: Bytes, first: int, last: int, out: Bytes, n: int, section: Ints, marks: Ints, st: Ints
) -> int:
    """Begin a member, or an item by its index."""
    top = st[MARKS]
    if top + 2 > marks.size:
        return DECLINED
    section[KEPT] += 1
    if section[BRACKET] == 123:
        marks[top] = hashed(text, first, last, 0)
        st[MARKS] = top + 1
        return put_member(text, first, last, out, n)
    if digits_end(text, first, last) != last or first == last:
        return DECLINED
    marks[top], marks[top + 1] = number_of(text, first, last), n
    st[MARKS] = top + 2
    is_plain = text[first] != 48 or last == first + 1
    return n if is_plain and marks[top] < section[SIZE] else DECLINED


@leaf
def _member(
    text: Bytes,
    place: int,
    end: int,
    out: Bytes,
    n: int,
    marks: Ints,
    st: Ints,
    section: Ints,
) -> int:
    """Append the member, or the item by its index, that a line is, or ask for its value."""
    first, last, stop = key_at(text, place, end, whole(58))
    if stop < 0 or stop >= end or text[stop] == 34:
        return DECLINED
    n = put_key(text, first, last, out, n, section, marks, st)
    if n < 0:
        return n
    if text[stop] == 91 or text[stop] == 123:
        _ask(stop, end, st)
        return n
    if text[stop] != 58 or stop + 1 >= end or text[stop + 1] != 32:
        return DECLINED
    return _value(text, stop + 2, end, out, n, marks, st)


@leaf
def _is_item(text: Bytes, place: int) -> bool:
    return place + 1 < text.size and text[place] == 45 and text[place + 1] == 32


@leaf
def open_section(
    text: Bytes, out: Bytes, n: int, bracket: int, size: int, st: Ints, section: Ints
) -> int:
    """Begin a block of lines."""
    section[:] = 0
    section[BRACKET], section[SIZE] = bracket, size
    section[BASE], section[MISSING] = st[MARKS], NO_HINT
    section[SEALED] = 1 if bracket == 91 and _is_item(text, st[CURSOR]) else 0
    return put_byte(out, n, bracket)


@leaf
def read_lines(
    text: Bytes,
    out: Bytes,
    n: int,
    marks: Ints,
    st: Ints,
    section: Ints,
) -> int:
    """Append the members or items of a block that have lines, and take the hint behind them.

    Stops where a value in flow notation is to be read first; see ``st[ASKED]``.
    """
    items = section[SEALED] != 0
    while st[CURSOR] < text.size:
        place = st[CURSOR]
        if items:
            if not _is_item(text, place):
                break
        elif text[place] == 35:
            break
        if text[place] == 62 and place + 1 < text.size and text[place + 1] == 32:
            break
        end = line_end(text, place)
        st[CURSOR] = end + 1
        if items:
            section[KEPT] += 1
            n = _value(text, place + 2, end, out, n, marks, st)
        else:
            n = _member(text, place, end, out, n, marks, st, section)
        if n < 0 or n > out.size:
            return n if n < 0 else NO_ROOM
        if st[ASKED]:
            return n
    if st[CURSOR] < text.size:
        section[MISSING], section[TOTAL], st[CURSOR] = _after_lines(text, st[CURSOR])
    return n


@leaf
def _after_lines(text: Bytes, place: int) -> tuple[int, int, int]:
    """Return what the hint at a place says, and the next line; the place itself if none is."""
    missing, total, after = hint_at(text, place)
    return missing, total, place if missing == NO_HINT else after


@leaf
def _merged(out: Bytes, n: int, base: int, store: Bytes, marks: Ints, st: Ints) -> int:
    """Put items into the order of their indices: those with lines, then those with blocks."""
    top, s = st[MARKS], st[STORE]
    start = base
    while start < top and (start == base or marks[start] > marks[start - 2]):
        start += 2
    for mark in range(start + 2, top, 2):
        if marks[mark] <= marks[mark - 2]:
            return DECLINED
    if start == top:
        return n
    first = marks[base + 1]
    if n > out.size or s + n - first > store.size:
        return NO_ROOM
    left, right = base, start
    while left < start or right < top:
        if left < start and right < top and marks[left] == marks[right]:
            return DECLINED
        if right == top or (left < start and marks[left] < marks[right]):
            mark, left = left, left + 2
        else:
            mark, right = right, right + 2
        end = marks[mark + 3] if mark + 2 < top else n
        s = put(store, s, out, marks[mark + 1], end)
    return put(out, first, store, st[STORE], s)


@leaf
def close_section(out: Bytes, n: int, store: Bytes, marks: Ints, st: Ints, section: Ints) -> int:
    """Check a block of lines that is complete, and close it."""
    missing = section[MISSING]
    total = section[KEPT] + max(0, missing)
    if (missing != NO_HINT and section[TOTAL] != total) or (
        section[SIZE] >= 0 and section[SIZE] != total
    ):
        return DECLINED
    if section[BRACKET] == 123:
        if has_twice(marks, section[BASE], st[MARKS]):
            return DECLINED
    elif st[MARKS] > section[BASE]:
        n = _merged(out, n, section[BASE], store, marks, st)
        if n < 0:
            return n
    st[MARKS] = section[BASE]
    return close(out, n, section[BRACKET] + 2)
