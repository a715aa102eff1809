"""Lines of the standard formats, as `mckp.encoders` writes them one value at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.buffer import put, put_byte, put_number
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    BEGIN,
    END,
    KEY_END,
    KEY_START,
    KIND,
    LENGTH,
    NAME,
    OBJECT,
    SAME,
    START,
    STOP,
    STRING,
)
from mckp.columns.words import is_bare, key_span, looks_spelled
from mckp.encoders.csv import MOST_EMPTY
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
FORMATS: Final = (
    b"json",
    b"kv",
    b"csv",
    b"table",
    b"prose",
    b"fence",
    b"flow",
    b"rows",
    b"derived",
)
WORDS: Final = np.frombuffer(b"".join(FORMATS), np.uint8)
PLACES: Final = np.cumsum([0, *map(len, FORMATS)])


@borrowed
class Texts(NamedTuple):
    """Where the texts of values and names stand in the text of a tape.

    Attributes
    ----------
    bare : array of bool
        For each entry whether its text is the content of a string, else it is the JSON.
    names : array of int32, shape (names, 2)
        Where the text of each name stands.
    """

    bare: NDArray[np.bool_]
    names: Small


@njit
def texts_of(tape: Tape) -> Texts:
    """Find out for each distinct value and name whether it stands bare."""
    bare = np.zeros(tape.nodes.shape[0], np.bool_)
    names = np.empty((tape.keys.shape[0], 2), np.int32)
    _find_bare(tape, bare)
    _find_names(tape, names)
    return Texts(bare, names)


@leaf
def _find_bare(tape: Tape, bare: NDArray[np.bool_]) -> None:
    for entry in range(tape.nodes.shape[0]):
        first = tape.nodes[entry, SAME]
        if tape.nodes[entry, KIND] != STRING:
            continue
        if first != entry:
            bare[entry] = bare[first]
        else:
            begin, stop = tape.spans[entry, BEGIN], tape.spans[entry, STOP]
            bare[entry] = is_bare(tape.text, begin, stop)


@leaf
def _find_names(tape: Tape, names: Small) -> None:
    for name in range(tape.keys.shape[0]):
        names[name, 0], names[name, 1] = key_span(tape, name)


@leaf
def _span(tape: Tape, texts: Texts, entry: int) -> tuple[int, int]:
    """Return where the text of a value stands."""
    if texts.bare[entry]:
        return tape.spans[entry, BEGIN], tape.spans[entry, STOP]
    return tape.spans[entry, START], tape.spans[entry, END]


@leaf
def put_title(tape: Tape, texts: Texts, entry: int, place: int, out: Bytes, n: int) -> int:
    """Append a member's name, or an item's index."""
    if tape.nodes[entry, NAME] < 0:
        return put_number(out, n, place)
    name = tape.nodes[entry, NAME]
    return put(out, n, tape.text, texts.names[name, 0], texts.names[name, 1])


@leaf
def shown(tape: Tape, texts: Texts, entry: int, on_line: bool) -> tuple[int, int]:
    """Return where the text of a value stands; on a line what looks like JSON spelled is quoted."""
    begin, stop = _span(tape, texts, entry)
    if on_line and texts.bare[entry] and looks_spelled(tape.text, begin, stop):
        return tape.spans[entry, START], tape.spans[entry, END]
    return begin, stop


@leaf
def put_member_value(tape: Tape, texts: Texts, entry: int, out: Bytes, n: int) -> int:
    """Append a value and a line feed."""
    begin, stop = shown(tape, texts, entry, True)
    return put_byte(out, put(out, n, tape.text, begin, stop), _FEED)


@leaf
def put_header(
    tape: Tape,
    texts: Texts,
    entry: int,
    place: int,
    depth: int,
    brackets: int,
    size: int,
    out: Bytes,
    n: int,
) -> int:
    """Append a header without its format: marks, name, and the size in its brackets.

    `brackets` is the byte that opens them, or 0 for none.
    """
    if depth:
        for _ in range(depth):
            n = put_byte(out, n, 35)
        n = put_title(tape, texts, entry, place, out, put_byte(out, n, _BLANK))
    if brackets:
        n = put_number(out, put_byte(out, n, brackets), size)
        n = put_byte(out, n, brackets + (1 if brackets == 40 else 2))
    return n


@leaf
def put_format(number: int, out: Bytes, n: int) -> int:
    """Append a blank, the name of a format, and a line feed."""
    n = put(out, put_byte(out, n, _BLANK), WORDS, PLACES[number], PLACES[number + 1])
    return put_byte(out, n, _FEED)


@leaf
def columns_of(tape: Tape, array: int, place_of_key: Small, columns: Small) -> int:
    """List the union of the names of an array's objects; -1 if that makes no table.

    `place_of_key` holds -1 for every name, and the places of the columns afterwards;
    `forget` makes it anew.
    """
    count = filled = 0
    entry = array + 1
    while entry < tape.nodes[array, AFTER]:
        if tape.nodes[entry, KIND] != OBJECT:
            forget(place_of_key, columns, count)
            return -1
        member = entry + 1
        while member < tape.nodes[entry, AFTER]:
            key = tape.nodes[member, NAME]
            if place_of_key[key] < 0:
                place_of_key[key] = count
                columns[count] = key
                count += 1
            filled += 1
            member = tape.nodes[member, AFTER]
        entry = tape.nodes[entry, AFTER]
    if not count or count * tape.nodes[array, LENGTH] > MOST_EMPTY * filled + 1000:
        forget(place_of_key, columns, count)
        return -1
    return count


@leaf
def forget(place_of_key: Small, columns: Small, count: int) -> None:
    """Undo what `columns_of` noted."""
    for i in range(count):
        place_of_key[columns[i]] = -1


@leaf
def place_members(tape: Tape, record: int, place_of_key: Small, cells: Small, count: int) -> None:
    """Put the members of a record at the places of their columns, -1 where there is none."""
    cells[:count] = -1
    member = record + 1
    while member < tape.nodes[record, AFTER]:
        cells[place_of_key[tape.nodes[member, NAME]]] = member
        member = tape.nodes[member, AFTER]


@leaf
def _put_quoted(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    n = put_byte(out, n, _QUOTE)
    for i in range(start, end):
        if text[i] == _QUOTE:
            n = put_byte(out, n, _QUOTE)
        n = put_byte(out, n, text[i])
    return put_byte(out, n, _QUOTE)


@leaf
def _put_csv(
    text: Bytes, start: int, end: int, first: bool, alone: bool, out: Bytes, n: int
) -> int:
    special = first and (text[start] in (47, 62) if end > start else alone)
    for i in range(start, end):
        if special:
            break
        special = text[i] == _COMMA or text[i] == _QUOTE
    return _put_quoted(text, start, end, out, n) if special else put(out, n, text, start, end)


@leaf
def put_csv_row(tape: Tape, texts: Texts, cells: Small, count: int, out: Bytes, n: int) -> int:
    """Append one record."""
    for i in range(count):
        start = end = 0
        if cells[i] >= 0:
            start, end = _span(tape, texts, cells[i])
        if i:
            n = put_byte(out, n, _COMMA)
        n = _put_csv(tape.text, start, end, i == 0, count == 1, out, n)
    return put_byte(out, n, _FEED)


@leaf
def put_csv_head(tape: Tape, texts: Texts, columns: Small, count: int, out: Bytes, n: int) -> int:
    """Append the record of names."""
    for i in range(count):
        start, end = texts.names[columns[i], 0], texts.names[columns[i], 1]
        if i:
            n = put_byte(out, n, _COMMA)
        n = _put_csv(tape.text, start, end, i == 0, count == 1, out, n)
    return put_byte(out, n, _FEED)


@leaf
def _put_cell(text: Bytes, start: int, end: int, out: Bytes, n: int) -> int:
    for i in range(start, end):
        if text[i] == _PIPE:
            n = put_byte(out, n, 92)
        n = put_byte(out, n, text[i])
    return n


@leaf
def put_table_row(tape: Tape, texts: Texts, cells: Small, count: int, out: Bytes, n: int) -> int:
    """Append one row between its borders."""
    n = put_byte(out, n, _PIPE)
    for i in range(count):
        n = put_byte(out, n, _BLANK)
        if cells[i] >= 0:
            start, end = _span(tape, texts, cells[i])
            n = _put_cell(tape.text, start, end, out, n)
        n = put_byte(out, put_byte(out, n, _BLANK), _PIPE)
    return put_byte(out, n, _FEED)


@leaf
def put_table_head(tape: Tape, texts: Texts, columns: Small, count: int, out: Bytes, n: int) -> int:
    """Append the row of names and the row of dashes."""
    n = put_byte(out, n, _PIPE)
    for i in range(count):
        start, end = texts.names[columns[i], 0], texts.names[columns[i], 1]
        n = _put_cell(tape.text, start, end, out, put_byte(out, n, _BLANK))
        n = put_byte(out, put_byte(out, n, _BLANK), _PIPE)
    n = put_byte(out, put_byte(out, n, _FEED), _PIPE)
    for _ in range(count):
        n = put(out, n, DASHES, 0, DASHES.size)
    return put_byte(out, n, _FEED)


@leaf
def is_flat(tape: Tape, entry: int) -> bool:
    """Whether a container holds something, and nothing but scalars."""
    if (
        not tape.nodes[entry, LENGTH]
        or tape.nodes[entry, AFTER] != entry + 1 + tape.nodes[entry, LENGTH]
    ):
        return False
    for child in range(entry + 1, tape.nodes[entry, AFTER]):
        if tape.nodes[child, KIND] <= ARRAY:
            return False
    return True


@leaf
def _has_is(text: Bytes, start: int, end: int) -> bool:
    """Whether `` is `` stands in a name or, but for its last blank, at its end."""
    for i in range(start, end - 2):
        found = text[i] == _BLANK and text[i + 1] == 105 and text[i + 2] == 115
        if found and (i + 3 == end or text[i + 3] == _BLANK):
            return True
    return False


@leaf
def _put_prose_key(tape: Tape, texts: Texts, key: int, out: Bytes, n: int) -> int:
    begin, stop = texts.names[key, 0], texts.names[key, 1]
    if not _has_is(tape.text, begin, stop):
        return put(out, n, tape.text, begin, stop)
    return put(out, n, tape.text, tape.keys[key, KEY_START], tape.keys[key, KEY_END])


@leaf
def _ends_sentence(text: Bytes, start: int, end: int) -> bool:
    """Whether a bare string holds what would end its part of a sentence."""
    for i in range(start, end):
        if text[i] == 59:
            return True
    return bool(text[end - 1] == _STOP)


@leaf
def put_sentence(tape: Tape, texts: Texts, entry: int, out: Bytes, n: int) -> int:
    """Append a flat container as one sentence."""
    for child in range(entry + 1, tape.nodes[entry, AFTER]):
        if child > entry + 1:
            n = put_byte(out, put_byte(out, n, 59), _BLANK)
        if tape.nodes[entry, KIND] == OBJECT:
            n = _put_prose_key(tape, texts, tape.nodes[child, NAME], out, n)
            n = put_byte(out, n, _BLANK)
            n = put_byte(out, put_byte(out, n, 105), 115)
            n = put_byte(out, n, _BLANK)
        begin, stop = _span(tape, texts, child)
        if texts.bare[child] and _ends_sentence(tape.text, begin, stop):
            begin, stop = tape.spans[child, START], tape.spans[child, END]
        n = put(out, n, tape.text, begin, stop)
    return put_byte(out, put_byte(out, n, _STOP), _FEED)


@leaf
def count_feeds(text: Bytes, start: int, end: int) -> int:
    """Count the line feeds of a text."""
    feeds = 0
    for i in range(start, end):
        feeds += text[i] == _FEED
    return feeds


@leaf
def _ticks_for(text: Bytes, start: int, end: int) -> int:
    longest = run = 0
    for i in range(start, end):
        run = run + 1 if text[i] == _TICK else 0
        longest = max(longest, run)
    return max(3, longest + 1)


@leaf
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
