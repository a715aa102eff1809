"""The menu of a document in arrays; what it offers, and in which order, is `mckp.menu.data`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns import lines
from mckp.columns.buffer import put, put_byte
from mckp.columns.native import flow_line, rows
from mckp.columns.tape import ARRAY, OBJECT, STRING
from mckp.jit import njit
from mckp.menu.data import LARGE_ITEM, MOST_INLINE, OPEN_DEPTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.native import Work
    from mckp.columns.tape import Small, Tape

JSON: Final = 0
KV: Final = 1
CSV: Final = 2
TABLE: Final = 3
PROSE: Final = 4
FENCE: Final = 5
FLOW: Final = 6
ROWS: Final = 7
DERIVED: Final = 8
PHRASES: Final = 9

# Fields of a class.
ENTRY: Final = 0
PLACE: Final = 1
DEPTH: Final = 2
ABOVE: Final = 3
FIRST: Final = 4

# Fields of an option.
OWNER: Final = 0
FORMAT: Final = 1
UNIT: Final = 2
CHILDREN: Final = 3
SIZE: Final = 4
NEXT: Final = 5

LINE: Final = 0
"""The unit of an option that is a line of its parent; all others are blocks."""
BLOCK: Final = 1
"""The unit of a block without children."""
UNITS: Final = ("", "", "rows", "fields", "items")
IN_ROWS: Final = 2
IN_FIELDS: Final = 3
IN_ITEMS: Final = 4


class Menu(NamedTuple):
    """All that may be written of a document.

    Attributes
    ----------
    classes : array of int32, shape (classes, 5)
        The entry of the tape, its place in its container, how many containers stand around it
        (-1 if it is no more than a line or a row), the option above (-1 for the root), its
        first option. Parents stand before children; the children of an option are neighbours.
    options : array of int32, shape (options, 6)
        The class, the format, the unit, the first child, how many there are, and the next
        option of the class (-1 after the last).
    spans : array of int64, shape (options, 2)
        Where the text of each option stands in `text`.
    text : array of uint8
        The texts of all options.
    state : array of int64, shape (4,)
        How many classes, options and bytes there are, or should have had room for; the option
        added last.
    """

    classes: NDArray[np.int32]
    options: NDArray[np.int32]
    spans: NDArray[np.int64]
    text: Bytes
    state: Ints


class Scratch(NamedTuple):
    """Room that is used again for every block.

    Attributes
    ----------
    place_of_key : array of int32
        For each name its column in the table at hand; -1 in between.
    columns : array of int32
        The names of the columns.
    cells : array of int32
        The entries of one record.
    ends : array of int64
        Where the rows of a table end.
    """

    place_of_key: Small
    columns: Small
    cells: Small
    ends: Ints


@njit
def long_tables(tape: Tape) -> NDArray[np.bool_]:
    """Tell for each entry whether it is, or has as a member, a table too long for one line."""
    found = np.zeros(tape.kind.size, np.bool_)
    for entry in range(tape.kind.size - 1, -1, -1):
        if tape.kind[entry] > ARRAY:
            continue
        objects, below = 0, False
        child = entry + 1
        while child < tape.next[entry]:
            objects += tape.kind[child] == OBJECT
            below = below or found[child]
            child = tape.next[child]
        if tape.size[entry] > MOST_INLINE:
            found[entry] = objects > 0 if tape.kind[entry] == ARRAY else objects == tape.size[entry]
        else:
            found[entry] = tape.kind[entry] == OBJECT and below
    return found


@njit
def _add_class(menu: Menu, entry: int, place: int, depth: int, above: int) -> int:
    """Add a class without options."""
    mine = menu.state[0]
    menu.state[0] += 1
    if mine < menu.classes.shape[0]:
        row = menu.classes[mine]
        row[ENTRY], row[PLACE], row[DEPTH], row[ABOVE], row[FIRST] = entry, place, depth, above, -1
    return mine


@njit
def _add_option(menu: Menu, owner: int, format_: int, unit: int, start: int, end: int) -> int:
    """Add an option; the caller links it to the one before."""
    mine = menu.state[1]
    menu.state[1] += 1
    menu.state[2] = end
    if mine < menu.options.shape[0]:
        row = menu.options[mine]
        row[OWNER], row[FORMAT], row[UNIT], row[NEXT] = owner, format_, unit, -1
        row[CHILDREN], row[SIZE] = -1, 0
        menu.spans[mine, 0], menu.spans[mine, 1] = start, end
        if owner < menu.classes.shape[0]:
            before = menu.state[3]
            if menu.classes[owner, FIRST] < 0:
                menu.classes[owner, FIRST] = mine
            elif before < menu.options.shape[0]:
                menu.options[before, NEXT] = mine
    menu.state[3] = mine
    return mine


@njit
def _open(menu: Menu, option: int, size: int) -> int:
    """Say that an option has children, which are added next; return the first."""
    if option < menu.options.shape[0]:
        menu.options[option, CHILDREN], menu.options[option, SIZE] = menu.state[0], size
    return menu.state[0]


@njit
def _may_flow(tape: Tape, entry: int, long: NDArray[np.bool_], formats: int) -> bool:
    if not formats & (1 << FLOW) or tape.kind[entry] > ARRAY or not tape.size[entry]:
        return False
    tables = formats & ((1 << ROWS) | (1 << DERIVED)) and formats & (1 << KV)
    return not (tables and long[entry])


@njit
def _put_line(
    tape: Tape, entry: int, line: int, n: int, flows: bool, menu: Menu, work: Work
) -> int:
    """Finish a line that has its name and what stands behind it."""
    if flows:
        return flow_line(tape, entry, work, menu.text, line, n)
    return lines.put_member_value(tape, entry, menu.text, n)


@njit
def _line_format(tape: Tape, entry: int, flows: bool) -> int:
    if flows:
        return FLOW
    return JSON if tape.kind[entry] <= ARRAY else KV


@njit
def _member_line(
    tape: Tape, mine: int, long: NDArray[np.bool_], formats: int, menu: Menu, work: Work
) -> None:
    """Offer a member, or an item called by its index, as a line."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    line = menu.state[2]
    n = lines.put_title(tape, entry, place, menu.text, line)
    spells = formats & (1 << FLOW) and tape.inner[entry] >= 0
    flows = _may_flow(tape, entry, long, formats)
    if not flows:
        n = put_byte(menu.text, put_byte(menu.text, n, 58), 32)
    flows = flows or spells > 0
    n = _put_line(tape, entry, line, n, flows, menu, work)
    _add_option(menu, mine, _line_format(tape, entry, flows), LINE, line, n)


@njit
def _items(
    tape: Tape, mine: int, long: NDArray[np.bool_], formats: int, menu: Menu, work: Work
) -> None:
    """Offer an array as a list with each item on a line."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    line = menu.state[2]
    n = _put_head(tape, mine, depth, menu, line)
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, KV, IN_ITEMS, line, n)
    last = menu.state[3]
    first = _open(menu, option, tape.size[entry])
    child = entry + 1
    for place in range(tape.size[entry]):
        _add_class(menu, child, place, -1, option)
        child = tape.next[child]
    child = entry + 1
    for place in range(tape.size[entry]):
        line = menu.state[2]
        n = put_byte(menu.text, put_byte(menu.text, line, 45), 32)
        flows = _may_flow(tape, child, long, formats)
        flows = flows or (formats & (1 << FLOW) and tape.inner[child] >= 0)
        n = _put_line(tape, child, line, n, flows, menu, work)
        _add_option(menu, first + place, _line_format(tape, child, flows), LINE, line, n)
        child = tape.next[child]
    menu.state[3] = last


@njit
def _put_head(tape: Tape, mine: int, depth: int, menu: Menu, n: int) -> int:
    """Append a header with the size of the container, or nothing behind a name."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    brackets = 91 if tape.kind[entry] == ARRAY else 123
    return lines.put_header(tape, entry, place, depth, brackets, tape.size[entry], menu.text, n)


@njit
def _opened(tape: Tape, mine: int, menu: Menu) -> None:
    """Offer a container whose members or items are classes that may be blocks."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    depth = menu.classes[mine, DEPTH]
    line = menu.state[2]
    is_array = tape.kind[entry] == ARRAY
    if is_array or depth == 0:
        n = _put_head(tape, mine, depth, menu, line)
    else:
        n = lines.put_header(tape, entry, place, depth, 0, 0, menu.text, line)
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, KV, IN_ITEMS if is_array else IN_FIELDS, line, n)
    _open(menu, option, tape.size[entry])
    child = entry + 1
    for number in range(tape.size[entry]):
        _add_class(menu, child, number, depth + 1, option)
        child = tape.next[child]


@njit
def _has_large_items(tape: Tape, entry: int) -> bool:
    """Whether the items of an array are worth opening one by one."""
    start, end = tape.start[entry], tape.end[entry]
    least = LARGE_ITEM * tape.size[entry]
    if end - start < least:
        return False
    child = entry + 1
    while child < tape.next[entry] and (tape.kind[child] > ARRAY or not tape.size[child]):
        child = tape.next[child]
    if child >= tape.next[entry]:
        return False
    characters = 0
    for i in range(start, end):
        characters += (tape.text[i] & 0xC0) != 0x80
        if characters >= least:
            return True
    return False


@njit
def _rows_below(tape: Tape, mine: int, option: int, format_: int, ends: Ints, menu: Menu) -> None:
    """Add the rows of a table, whose texts end where `ends` says, the first behind its start."""
    entry = menu.classes[mine, ENTRY]
    last = menu.state[3]
    size = tape.size[entry]
    first = _open(menu, option, size)
    child = entry + 1
    for place in range(size):
        _add_class(menu, child, place, -1, option)
        child = tape.next[child]
    end = menu.state[2]
    for place in range(size):
        _add_option(menu, first + place, format_, LINE, ends[place], ends[place + 1])
    menu.state[2] = max(end, menu.state[2])
    menu.state[3] = last


@njit
def _native(
    tape: Tape, mine: int, layout: int, format_: int, ends: Ints, menu: Menu, work: Work
) -> bool:
    """Offer a table whose header explains its rows, if it fits and pays."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    start = menu.state[2]
    n = rows(tape, entry, layout, work, menu.text, start, ends[1:])
    if n < 0:
        return False
    ends[0] = start
    head = n
    columns = ends[tape.size[entry]]
    n = _put_head(tape, mine, depth, menu, n)
    if n + head - columns <= menu.text.size:
        n = put(menu.text, n, menu.text, columns, head)
    else:
        n += head - columns
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, format_, IN_ROWS, head, n)
    _rows_below(tape, mine, option, format_, ends, menu)
    return True


@njit
def _standard_table(
    tape: Tape, mine: int, format_: int, scratch: Scratch, count: int, menu: Menu
) -> None:
    """Offer records as a table whose columns were listed before."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    line = menu.state[2]
    n = lines.put_format(format_, menu.text, _put_head(tape, mine, depth, menu, line))
    if format_ == CSV:
        n = lines.put_csv_head(tape, scratch.columns, count, menu.text, n)
    else:
        n = lines.put_table_head(tape, scratch.columns, count, menu.text, n)
    option = _add_option(menu, mine, format_, IN_ROWS, line, n)
    child = entry + 1
    scratch.ends[0] = n
    for place in range(tape.size[entry]):
        lines.place_members(tape, child, scratch.place_of_key, scratch.cells, count)
        if format_ == CSV:
            n = lines.put_csv_row(tape, scratch.cells, count, menu.text, n)
        else:
            n = lines.put_table_row(tape, scratch.cells, count, menu.text, n)
        scratch.ends[place + 1] = n
        child = tape.next[child]
    _rows_below(tape, mine, option, format_, scratch.ends, menu)


@njit
def _text_block(tape: Tape, mine: int, format_: int, menu: Menu) -> None:
    """Offer a string of several lines as it stands."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    begin, stop = tape.begin[entry], tape.stop[entry]
    feeds = lines.count_feeds(tape.text, begin, stop)
    if not feeds:
        return
    line = menu.state[2]
    n = lines.put_header(
        tape, entry, menu.classes[mine, PLACE], depth, 40, feeds + 1, menu.text, line
    )
    n = lines.put_format(format_, menu.text, n)
    if format_ == FENCE:
        n = lines.put_fenced(tape.text, begin, stop, menu.text, n)
    else:
        n = put_byte(menu.text, put(menu.text, n, tape.text, begin, stop), 10)
    _add_option(menu, mine, format_, BLOCK, line, n)


@njit
def _sentence(tape: Tape, mine: int, menu: Menu) -> None:
    """Offer a flat container as one sentence."""
    entry = menu.classes[mine, ENTRY]
    if not lines.is_flat(tape, entry):
        return
    line = menu.state[2]
    n = _put_head(tape, mine, menu.classes[mine, DEPTH], menu, line)
    n = lines.put_sentence(tape, entry, menu.text, lines.put_format(PROSE, menu.text, n))
    _add_option(menu, mine, PROSE, BLOCK, line, n)


@njit
def _blocks(
    tape: Tape,
    mine: int,
    long: NDArray[np.bool_],
    formats: int,
    menu: Menu,
    work: Work,
    scratch: Scratch,
) -> None:
    """Offer a value as a block under a header of its own."""
    entry = menu.classes[mine, ENTRY]
    kind = tape.kind[entry]
    if menu.classes[mine, DEPTH] >= OPEN_DEPTH or kind > STRING:
        return
    if kind == STRING:
        if formats & (1 << PROSE):
            _text_block(tape, mine, PROSE, menu)
        if formats & (1 << FENCE):
            _text_block(tape, mine, FENCE, menu)
        return
    if not tape.size[entry]:
        return
    has_rows = False
    for layout in range(5):
        format_ = ROWS if layout < 3 else DERIVED
        if formats & (1 << format_):
            has_rows |= _native(tape, mine, layout, format_, scratch.ends, menu, work)
    if formats & (1 << KV):
        if kind == OBJECT:
            _opened(tape, mine, menu)
        else:
            if not has_rows:
                _items(tape, mine, long, formats, menu, work)
            if _has_large_items(tape, entry):
                _opened(tape, mine, menu)
    if kind == ARRAY and not has_rows and formats & ((1 << CSV) | (1 << TABLE)):
        count = lines.columns_of(tape, entry, scratch.place_of_key, scratch.columns)
        if count > 0:
            for format_ in (CSV, TABLE):
                if formats & (1 << format_):
                    _standard_table(tape, mine, format_, scratch, count, menu)
            lines.forget(scratch.place_of_key, scratch.columns, count)
    if formats & (1 << PROSE):
        _sentence(tape, mine, menu)


@njit
def _document(
    tape: Tape, long: NDArray[np.bool_], formats: int, menu: Menu, work: Work
) -> None:
    """Offer the document as compact JSON, and as one line of flow notation."""
    root = _add_class(menu, 0, 0, 0, -1)
    n = put(menu.text, 0, tape.text, tape.start[0], tape.end[0])
    _add_option(menu, root, JSON, LINE, 0, n)
    if _may_flow(tape, 0, long, formats):
        end = flow_line(tape, 0, work, menu.text, n, n)
        alone = end <= menu.text.size and lines.count_feeds(menu.text, n, end) == 1
        _add_option(menu, root, FLOW, LINE, n, end - alone)
        menu.state[2] = end


@njit
def offer(tape: Tape, formats: int, menu: Menu, work: Work) -> None:
    """Fill a menu; compact JSON is among the formats, whose numbers are bits of `formats`.

    `menu.state` says how much room was needed; with less the menu is void.
    """
    most = 0
    for entry in range(tape.kind.size):
        most = max(most, tape.size[entry])
    scratch = Scratch(
        np.full(tape.key_start.size, -1, np.int32),
        np.empty(tape.key_start.size, np.int32),
        np.empty(tape.key_start.size, np.int32),
        np.empty(most + 1, np.int64),
    )
    long = long_tables(tape)
    _document(tape, long, formats, menu, work)
    mine = 0
    while mine < min(menu.state[0], menu.classes.shape[0]):
        if menu.classes[mine, DEPTH] >= 0:
            if mine:
                _member_line(tape, mine, long, formats, menu, work)
            _blocks(tape, mine, long, formats, menu, work, scratch)
        if menu.state[1] > menu.options.shape[0] or menu.state[2] > menu.text.size:
            return
        mine += 1
