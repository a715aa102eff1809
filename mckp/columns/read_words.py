"""Scalars of an encoded text, turned into compact JSON with a comma behind each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import put, put_byte
from mckp.columns.words import is_literal, means_else, name_end, word_end
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints

    def whole(number: int) -> int:
        """Return a number as 64 bits, of which a compiler sees no more than that.

        Bytes are numbers of 8 bits, and for each constant that is an argument a function is
        compiled anew.
        """
        ...
else:
    whole = np.int64

DECLINED: Final = -1
"""The text is damaged, or of a kind that is left to the twin."""
NO_ROOM: Final = -2
"""The buffers are too small."""
REFUSED: Final = -3
"""What was read is certainly no JSON, not even with blanks or odd escapes in it."""

LONGEST_NUMBER: Final = 200
"""Characters of a number that is read here."""
LARGEST_EXPONENT: Final = 308
"""Ten to this is within a double."""
LONGEST_EXACT: Final = 15
"""Digits with which a fraction is the shortest text of its double."""

POS: Final = 0
"""Places of the state: where a line was read to."""
CURSOR: Final = 1
"""The beginning of the next line."""
STORE: Final = 2
"""How much of the store is taken: names and values of columns."""
COLS: Final = 3
"""How many columns are declared."""
MARKS: Final = 4
"""How many marks there are: hashes of names that may not stand twice, and places."""
SPENT: Final = 5
"""Bytes that were spelled out for what headers declare."""
WANTED: Final = 6
"""What `read_flow.flow` is to read; as an argument it would be compiled anew for each constant."""
GIVEN: Final = 7
"""The record that it is to read a row, or the columns, of."""
END: Final = 8
"""Where the line ends that it is to read."""
BRACKET: Final = 9
"""Of the block of rows that is being read: its bracket,"""
SIZE: Final = 10
"""the rows it declares,"""
ROWS: Final = 11
"""the rows read so far,"""
KEPT: Final = 12
"""how much of the store was taken before,"""
BASE: Final = 13
"""and where its marks begin."""
ASKED: Final = 14
"""Whether `read_flow.flow` has to read on before anything else."""
STATE: Final = 15
"""The size of the state."""


@leaf
def line_end(text: Bytes, place: int) -> int:
    """Return where the line at a place ends."""
    while place < text.size and text[place] != 10:
        place += 1
    return place


@leaf
def close(out: Bytes, n: int, byte: int) -> int:
    """Append a closing bracket in place of a comma, if there is one, and a comma."""
    if 0 < n <= out.size and out[n - 1] == 44:
        n -= 1
    return put_byte(out, put_byte(out, n, byte), 44)


@leaf
def put_escape(out: Bytes, n: int, c: int) -> int:
    n = put_byte(out, n, 92)
    if c == 34 or c == 92:
        return put_byte(out, n, c)
    if c == 8:
        return put_byte(out, n, 98)
    if c == 9:
        return put_byte(out, n, 116)
    if c == 10:
        return put_byte(out, n, 110)
    if c == 12:
        return put_byte(out, n, 102)
    if c == 13:
        return put_byte(out, n, 114)
    for byte in (117, 48, 48, 48 + (c >> 4), c & 15):
        n = put_byte(out, n, byte)
    if n <= out.size:
        out[n - 1] = 48 + (c & 15) if c & 15 < 10 else 87 + (c & 15)
    return n


@leaf
def _put_escaped(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    """Append a content as it stands between the quotation marks of JSON."""
    place = start
    while place < end:
        first = place
        while place < end and text[place] >= 32 and text[place] != 34 and text[place] != 92:
            place += 1
        n = put(out, n, text, first, place)
        if place < end:
            n = put_escape(out, n, whole(text[place]))
            place += 1
    return n


@leaf
def put_string(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    """Append a content as a string of JSON, and a comma."""
    if n + end - start + 3 > out.size:
        return n + end - start + 3
    out[n] = 34
    n += 1
    for place in range(start, end):
        c = text[place]
        if c < 32 or c == 34 or c == 92:
            n = _put_escaped(text, place, end, out, n)
            return put_byte(out, put_byte(out, n, 34), 44)
        out[n] = c
        n += 1
    out[n], out[n + 1] = 34, 44
    return n + 2


@leaf
def string_end(text: Bytes, start: int, end: int) -> int:
    """Return the place behind the string of JSON at a place, or `DECLINED`.

    Escapes are taken only as this library writes them, so that equal strings are equal bytes.
    """
    place = start + 1
    while place < end:
        c = text[place]
        if c == 34:
            return place + 1
        if c < 32:
            return DECLINED
        place += 1
        if c != 92:
            continue
        if place >= end:
            return DECLINED
        c = text[place]
        place += 1
        if c in (34, 92, 98, 102, 110, 114, 116):
            continue
        if c != 117 or place + 4 > end or text[place] != 48 or text[place + 1] != 48:
            return DECLINED
        high, low = text[place + 2], text[place + 3]
        if high != 48 and high != 49:
            return DECLINED
        if not (48 <= low <= 57 or 97 <= low <= 102):
            return DECLINED
        if high == 48 and low in (56, 57, 97, 99, 100):
            return DECLINED
        place += 4
    return DECLINED


@leaf
def literal(text: Bytes, start: int, end: int) -> int:
    """Return 1 for a literal, 0 for anything else, `DECLINED` for a number at its limits."""
    if not is_literal(text, start, end):
        return 0
    if text[start] > 57:
        return 1
    size = end - start
    if size > LONGEST_NUMBER or (size == 2 and text[start] == 45 and text[end - 1] == 48):
        return DECLINED
    point = start
    while point < end and (48 <= text[point] <= 57 or text[point] == 45):
        point += 1
    place = point
    while place < end and text[place] | 32 != 101:
        place += 1
    if place >= end or text[place + 1] == 45:
        return 1
    place += 2 if text[place + 1] == 43 else 1
    if end - place > 3:
        return DECLINED
    return 1 if point - start + number_of(text, place, end) <= LARGEST_EXPONENT else DECLINED


@leaf
def is_exact(text: Bytes, start: int, end: int) -> bool:
    """Whether a literal is certainly spelled as programs spell its value."""
    digits = zeros = 0
    point = -1
    for place in range(start, end):
        c = text[place]
        if c == 46:
            point = place
        elif c == 101 or c == 69:
            return bool(text[start] > 57)
        elif 48 <= c <= 57:
            if c == 48 and digits == 0:
                zeros += 1
            else:
                digits += 1
    if point < 0:
        return True
    if text[end - 1] == 48 and end - point > 2:
        return False
    return digits <= LONGEST_EXACT and (digits == 0 or zeros <= 3)


@leaf
def _put_lines(text: Bytes, start: int, end: int, out: Bytes, n: int, st: Ints) -> int:
    """Append the string whose lines stand below, as many as a word such as ``<3`` says."""
    if end - start > 12 or text[start] == 48:
        return DECLINED
    count = 0
    for place in range(start, end):
        count = count * 10 + whole(text[place]) - 48
    first = st[CURSOR]
    last = first
    for _ in range(count):
        if st[CURSOR] >= text.size:
            return DECLINED
        last = line_end(text, st[CURSOR])
        st[CURSOR] = last + 1
    return put_string(text, first, last, out, n)


@leaf
def put_scalar(
    text: Bytes, place: int, end: int, out: Bytes, n: int, spelled: bool, st: Ints
) -> tuple[int, int]:
    """Append the string or word of flow notation at a place; return the place behind, the size.

    Brackets and strings of JSON spelled out are the caller's. `spelled` says that the value
    stands in such a string, where a number has to be spelled as programs do.
    """
    if place >= end:
        return place, DECLINED
    if text[place] == 34:
        stop = string_end(text, place, end)
        if stop < 0:
            return place, DECLINED
        return stop, put_byte(out, put(out, n, text, place, stop), 44)
    stop = word_end(text, place, end)
    if stop == place:
        return place, DECLINED
    if not means_else(text, place, stop):
        return stop, put_string(text, place, stop, out, n)
    if text[place] == 60:
        return stop, _put_lines(text, place + 1, stop, out, n, st)
    if literal(text, place, stop) != 1 or (spelled and not is_exact(text, place, stop)):
        return stop, DECLINED
    return stop, put_byte(out, put(out, n, text, place, stop), 44)


@leaf
def name_at(text: Bytes, place: int, end: int) -> tuple[int, int, int]:
    """Return where the content of the name at a place begins and ends, and the place behind.

    The content is as in JSON: escaped. The place is `DECLINED` if there is no name.
    """
    if place < end and text[place] == 34:
        stop = string_end(text, place, end)
        return place + 1, stop - 1, stop
    stop = name_end(text, place, end)
    return place, stop, stop if stop > place else DECLINED


@leaf
def put_member(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    """Append the name of a member, which is escaped already, and a colon."""
    n = put(out, put_byte(out, n, 34), text, start, end)
    return put_byte(out, put_byte(out, n, 34), 58)


@leaf
def _sort(marks: Ints, start: int, end: int) -> None:
    """Sort marks in the way of D. L. Shell; NumPy's sort takes seconds to compile."""
    gap = whole(1)
    while gap < end - start:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(start + gap, end):
            mark, j = marks[i], i
            while j - gap >= start and marks[j - gap] > mark:
                marks[j] = marks[j - gap]
                j -= gap
            marks[j] = mark


@leaf
def has_twice(marks: Ints, start: int, end: int) -> bool:
    """Whether some mark stands twice, or may do; the marks lose their order."""
    if end - start < 2:
        return False
    _sort(marks, start, end)
    for i in range(start + 1, end):  # noqa: SIM110
        if marks[i] == marks[i - 1]:
            return True
    return False


@leaf
def digits_end(text: Bytes, place: int, end: int) -> int:
    """Return the place behind the 1 to 18 digits at a place; the place itself if there are none."""
    stop = place
    while stop < end and stop < place + 19 and 48 <= text[stop] <= 57:
        stop += 1
    return stop if stop <= place + 18 else place


@leaf
def number_of(text: Bytes, start: int, end: int) -> int:
    """Return the number that digits are."""
    number = 0
    for place in range(start, end):
        number = number * 10 + whole(text[place]) - 48
    return number
