"""Lines of the standard formats, as `mckp.encoders` writes them one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import put, put_byte, put_number
from mckp.columns.tape import ARRAY, OBJECT, STRING
from mckp.columns.words import is_bare, is_bare_key, looks_spelled
from mckp.encoders.csv import MOST_EMPTY
from mckp.jit import njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Small, Tape

_COMMA: Final = 44
_QUOTE: Final = 34
_PIPE: Final = 124
_FEED: Final = 10
_BLANK: Final = 32
_STOP: Final = 46
_TICK: Final = 96

DASHES: Final = np.frombuffer(b" --- |", np.uint8)
FORMATS: Final = (b"json", b"kv", b"csv", b"table", b"prose", b"fence", b"flow", b"rows", b"derived")
WORDS: Final = np.frombuffer(b"".join(FORMATS), np.uint8)
PLACES: Final = np.cumsum([0, *map(len, FORMATS)])


@njit
def value_span(tape: Tape, entry: int) -> tuple[int, int]:
    """Return where the text of a value stands: the content of a bare string, else its JSON."""
    if tape.kind[entry] == STRING:
        begin, stop = tape.begin[entry], tape.stop[entry]
        if is_bare(tape.text, begin, stop):
            return begin, stop
    return tape.start[entry], tape.end[entry]


@njit
def put_key(tape: Tape, key: int, out: Bytes, n: int) -> int:
    """Append a member's name as it stands before a colon and in headings."""
    begin, stop = tape.key_begin[key], tape.key_stop[key]
    if is_bare_key(tape.text, begin, stop):
        return put(out, n, tape.text, begin, stop)
    return put(out, n, tape.text, tape.key_start[key], tape.key_end[key])


@njit
def put_title(tape: Tape, entry: int, place: int, out: Bytes, n: int) -> int:
    """Append a member's name, or an item's index."""
    if tape.key[entry] < 0:
        return put_number(out, n, place)
    return put_key(tape, tape.key[entry], out, n)


@njit
def put_member_value(tape: Tape, entry: int, out: Bytes, n: int) -> int:
    """Append a value and a line feed; what looks like a spelling of JSON is quoted."""
    begin, stop = value_span(tape, entry)
    if begin != tape.start[entry] and looks_spelled(tape.text, begin, stop):
        begin, stop = tape.start[entry], tape.end[entry]
    return put_byte(out, put(out, n, tape.text, begin, stop), _FEED)


@njit
def put_header(
    tape: Tape, entry: int, place: int, depth: int, brackets: int, size: int, out: Bytes, n: int
) -> int:
    """Append a header without its format: marks, name, and the size in its brackets.

    `brackets` is the byte that opens them, or 0 for none.
    """
    if depth:
        for _ in range(depth):
            n = put_byte(out, n, 35)
        n = put_title(tape, entry, place, out, put_byte(out, n, _BLANK))
    if brackets:
        n = put_number(out, put_byte(out, n, brackets), size)
        n = put_byte(out, n, brackets + (1 if brackets == 40 else 2))
    return n


@njit
def put_format(number: int, out: Bytes, n: int) -> int:
    """Append a blank, the name of a format, and a line feed."""
    n = put(out, put_byte(out, n, _BLANK), WORDS, PLACES[number], PLACES[number + 1])
    return put_byte(out, n, _FEED)


@njit
def columns_of(tape: Tape, array: int, place_of_key: Small, columns: Small) -> int:
    """List the union of the names of an array's objects; -1 if that makes no table.

    `place_of_key` holds -1 for every name, and the places of the columns afterwards;
    `forget` makes it anew.
    """
    count = filled = 0
    entry = array + 1
    while entry < tape.next[array]:
        if tape.kind[entry] != OBJECT:
            forget(place_of_key, columns, count)
            return -1
        member = entry + 1
        while member < tape.next[entry]:
            key = tape.key[member]
            if place_of_key[key] < 0:
                place_of_key[key] = count
                columns[count] = key
                count += 1
            filled += 1
            member = tape.next[member]
        entry = tape.next[entry]
    if not count or count * tape.size[array] > MOST_EMPTY * filled + 1000:
        forget(place_of_key, columns, count)
        return -1
    return count


@njit
def forget(place_of_key: Small, columns: Small, count: int) -> None:
    """Undo what `columns_of` noted."""
    for i in range(count):
        place_of_key[columns[i]] = -1


@njit
def place_members(tape: Tape, record: int, place_of_key: Small, cells: Small, count: int) -> None:
    """Put the members of a record at the places of their columns, -1 where there is none."""
    cells[:count] = -1
    member = record + 1
    while member < tape.next[record]:
        cells[place_of_key[tape.key[member]]] = member
        member = tape.next[member]


@njit
def _put_quoted(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    n = put_byte(out, n, _QUOTE)
    for i in range(start, end):
        if text[i] == _QUOTE:
            n = put_byte(out, n, _QUOTE)
        n = put_byte(out, n, text[i])
    return put_byte(out, n, _QUOTE)


@njit
def _put_csv(text: Bytes, start: int, end: int, first: bool, alone: bool, out: Bytes, n: int) -> int:
    special = first and (text[start] in (47, 62) if end > start else alone)
    for i in range(start, end):
        if special:
            break
        special = text[i] == _COMMA or text[i] == _QUOTE
    return _put_quoted(text, start, end, out, n) if special else put(out, n, text, start, end)


@njit
def put_csv_row(tape: Tape, cells: Small, count: int, out: Bytes, n: int) -> int:
    """Append one record."""
    for i in range(count):
        start = end = 0
        if cells[i] >= 0:
            start, end = value_span(tape, cells[i])
        if i:
            n = put_byte(out, n, _COMMA)
        n = _put_csv(tape.text, start, end, i == 0, count == 1, out, n)
    return put_byte(out, n, _FEED)


@njit
def put_csv_head(tape: Tape, columns: Small, count: int, out: Bytes, n: int) -> int:
    """Append the record of names."""
    for i in range(count):
        start, end = tape.key_begin[columns[i]], tape.key_stop[columns[i]]
        if not is_bare_key(tape.text, start, end):
            start, end = tape.key_start[columns[i]], tape.key_end[columns[i]]
        if i:
            n = put_byte(out, n, _COMMA)
        n = _put_csv(tape.text, start, end, i == 0, count == 1, out, n)
    return put_byte(out, n, _FEED)


@njit
def _put_cell(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    for i in range(start, end):
        if text[i] == _PIPE:
            n = put_byte(out, n, 92)
        n = put_byte(out, n, text[i])
    return n


@njit
def put_table_row(tape: Tape, cells: Small, count: int, out: Bytes, n: int) -> int:
    """Append one row between its borders."""
    n = put_byte(out, n, _PIPE)
    for i in range(count):
        n = put_byte(out, n, _BLANK)
        if cells[i] >= 0:
            start, end = value_span(tape, cells[i])
            n = _put_cell(tape.text, start, end, out, n)
        n = put_byte(out, put_byte(out, n, _BLANK), _PIPE)
    return put_byte(out, n, _FEED)


@njit
def put_table_head(tape: Tape, columns: Small, count: int, out: Bytes, n: int) -> int:
    """Append the row of names and the row of dashes."""
    n = put_byte(out, n, _PIPE)
    for i in range(count):
        start, end = tape.key_begin[columns[i]], tape.key_stop[columns[i]]
        if not is_bare_key(tape.text, start, end):
            start, end = tape.key_start[columns[i]], tape.key_end[columns[i]]
        n = _put_cell(tape.text, start, end, out, put_byte(out, n, _BLANK))
        n = put_byte(out, put_byte(out, n, _BLANK), _PIPE)
    n = put_byte(out, put_byte(out, n, _FEED), _PIPE)
    for _ in range(count):
        n = put(out, n, DASHES, 0, DASHES.size)
    return put_byte(out, n, _FEED)


@njit
def is_flat(tape: Tape, entry: int) -> bool:
    """Whether a container holds something, and nothing but scalars."""
    if not tape.size[entry] or tape.next[entry] != entry + 1 + tape.size[entry]:
        return False
    for child in range(entry + 1, tape.next[entry]):
        if tape.kind[child] <= ARRAY:
            return False
    return True


@njit
def _has_is(text: Bytes, start: int, end: int) -> bool:
    """Whether `` is `` stands in a name or, but for its last blank, at its end."""
    for i in range(start, end - 2):
        if text[i] == _BLANK and text[i + 1] == 105 and text[i + 2] == 115:
            if i + 3 == end or text[i + 3] == _BLANK:
                return True
    return False


@njit
def _put_prose_key(tape: Tape, key: int, out: Bytes, n: int) -> int:
    begin, stop = tape.key_begin[key], tape.key_stop[key]
    if is_bare_key(tape.text, begin, stop) and not _has_is(tape.text, begin, stop):
        return put(out, n, tape.text, begin, stop)
    return put(out, n, tape.text, tape.key_start[key], tape.key_end[key])


@njit
def put_sentence(tape: Tape, entry: int, out: Bytes, n: int) -> int:
    """Append a flat container as one sentence."""
    for child in range(entry + 1, tape.next[entry]):
        if child > entry + 1:
            n = put_byte(out, put_byte(out, n, 59), _BLANK)
        if tape.kind[entry] == OBJECT:
            n = _put_prose_key(tape, tape.key[child], out, n)
            n = put_byte(out, n, _BLANK)
            n = put_byte(out, put_byte(out, n, 105), 115)
            n = put_byte(out, n, _BLANK)
        begin, stop = value_span(tape, child)
        plain = begin == tape.start[child] or tape.text[stop - 1] != _STOP
        for i in range(begin, stop if plain and begin != tape.start[child] else begin):
            plain = plain and tape.text[i] != 59
        if not plain:
            begin, stop = tape.start[child], tape.end[child]
        n = put(out, n, tape.text, begin, stop)
    return put_byte(out, put_byte(out, n, _STOP), _FEED)


@njit
def count_feeds(text: Bytes, start: int, end: int) -> int:
    """Count the line feeds of a text."""
    feeds = 0
    for i in range(start, end):
        feeds += text[i] == _FEED
    return feeds


@njit
def _ticks_for(text: Bytes, start: int, end: int) -> int:
    longest = run = 0
    for i in range(start, end):
        run = run + 1 if text[i] == _TICK else 0
        longest = max(longest, run)
    return max(3, longest + 1)


@njit
def put_fenced(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    """Append a text between two fences longer than any run of backticks in it."""
    ticks = _ticks_for(text, start, end)
    for _ in range(ticks):
        n = put_byte(out, n, _TICK)
    n = put(out, put_byte(out, n, _FEED), text, start, end)
    n = put_byte(out, n, _FEED)
    for _ in range(ticks):
        n = put_byte(out, n, _TICK)
    return put_byte(out, n, _FEED)
