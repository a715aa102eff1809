"""The menu of a document in arrays; what it offers, and in which order, is `mckp.menu.data`'s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns import lines
from mckp.columns.buffer import put, put_byte
from mckp.columns.native import flow_line, rows
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    BEGIN,
    END,
    INNER,
    KIND,
    LENGTH,
    OBJECT,
    START,
    STOP,
    STRING,
)
from mckp.jit import leaf, njit
from mckp.menu.data import LARGE_ITEM, MOST_INLINE, OPEN_DEPTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.lines import Texts
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
SOURCE: Final = 6
COLUMNS: Final = 7
WIDTH: Final = 8

# How the text of an option is made: it stands in `Menu.text`, or follows from the tape.
TEXT: Final = 0
DOCUMENT: Final = 1
MEMBER: Final = 2
ITEM: Final = 3
CSV_ROW: Final = 4
TABLE_ROW: Final = 5

LINE: Final = 0
"""The unit of an option that is a line of its parent; all others are blocks."""
BLOCK: Final = 1
"""The unit of a block without children."""
NAMES: Final = tuple(map(bytes.decode, lines.FORMATS)) + ("phrases",)
"""The names of the formats, by number."""
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
    options : array of int32, shape (options, 9)
        The class, the format, the unit, the first child, how many there are, the next
        option of the class (-1 after the last), how its text is made, and for what heads a
        table of the standard formats its columns: the first in `columns`, and how many.
    spans : array of int32, shape (options, 2)
        Where the text of an option stands in `text`, if it does.
    text : array of uint8
        The texts that do not simply follow from the tape.
    columns : array of int32
        Names of columns.
    state : array of int64, shape (5,)
        How many classes, options and bytes there are, the option added last, and how many
        columns there are; or how many should have had room.
    """

    classes: NDArray[np.int32]
    options: NDArray[np.int32]
    spans: NDArray[np.int32]
    text: Bytes
    columns: Small
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
    texts : Texts
        Where texts of values and names stand.
    long : array of bool
        For each entry whether it is, or has as a member, a table too long for one line.
    head : array of int64, shape (1,)
        The option whose columns `place_of_key` holds, once the menu is complete; else -1.
    """

    place_of_key: Small
    columns: Small
    cells: Small
    ends: Ints
    texts: Texts
    long: NDArray[np.bool_]
    head: Ints


@njit
def long_tables(tape: Tape) -> NDArray[np.bool_]:
    """Tell for each entry whether it is, or has as a member, a table too long for one line."""
    found = np.zeros(tape.nodes.shape[0], np.bool_)
    for entry in range(tape.nodes.shape[0] - 1, -1, -1):
        if tape.nodes[entry, KIND] > ARRAY:
            continue
        objects, below = 0, False
        child = entry + 1
        while child < tape.nodes[entry, AFTER]:
            objects += tape.nodes[child, KIND] == OBJECT
            below = below or found[child]
            child = tape.nodes[child, AFTER]
        if tape.nodes[entry, LENGTH] > MOST_INLINE:
            found[entry] = (
                objects > 0
                if tape.nodes[entry, KIND] == ARRAY
                else objects == tape.nodes[entry, LENGTH]
            )
        else:
            found[entry] = tape.nodes[entry, KIND] == OBJECT and below
    return found


@leaf
def _add_class(menu: Menu, entry: int, place: int, depth: int, above: int) -> int:
    """Add a class without options."""
    mine = menu.state[0]
    menu.state[0] += 1
    if mine < menu.classes.shape[0]:
        row = menu.classes[mine]
        row[ENTRY], row[PLACE], row[DEPTH], row[ABOVE], row[FIRST] = entry, place, depth, above, -1
    return mine


@leaf
def _add_recipe(menu: Menu, owner: int, format_: int, unit: int, source: int) -> int:
    """Add an option whose text follows from the tape; link it to the one before."""
    mine = menu.state[1]
    menu.state[1] += 1
    if mine < menu.options.shape[0]:
        row = menu.options[mine]
        row[OWNER], row[FORMAT], row[UNIT], row[NEXT] = owner, format_, unit, -1
        row[CHILDREN], row[SIZE], row[SOURCE], row[COLUMNS], row[WIDTH] = -1, 0, source, 0, 0
        if owner < menu.classes.shape[0]:
            before = menu.state[3]
            if menu.classes[owner, FIRST] < 0:
                menu.classes[owner, FIRST] = mine
            elif before < menu.options.shape[0]:
                menu.options[before, NEXT] = mine
    menu.state[3] = mine
    return mine


@leaf
def _add_option(menu: Menu, owner: int, format_: int, unit: int, start: int, end: int) -> int:
    """Add an option whose text was written."""
    mine = _add_recipe(menu, owner, format_, unit, TEXT)
    menu.state[2] = end
    if mine < menu.options.shape[0]:
        menu.spans[mine, 0], menu.spans[mine, 1] = start, end
    return mine


@leaf
def _open(menu: Menu, option: int, size: int) -> int:
    """Say that an option has children, which are added next; return the first."""
    if option < menu.options.shape[0]:
        menu.options[option, CHILDREN], menu.options[option, SIZE] = menu.state[0], size
    return menu.state[0]


@leaf
def _may_flow(tape: Tape, scratch: Scratch, entry: int, formats: int) -> bool:
    if (
        not formats & (1 << FLOW)
        or tape.nodes[entry, KIND] > ARRAY
        or not tape.nodes[entry, LENGTH]
    ):
        return False
    tables = formats & ((1 << ROWS) | (1 << DERIVED)) and formats & (1 << KV)
    return not (tables and scratch.long[entry])


@leaf
def _line_format(tape: Tape, entry: int, flows: bool) -> int:
    if flows:
        return FLOW
    return JSON if tape.nodes[entry, KIND] <= ARRAY else KV


@leaf
def _member_line(
    tape: Tape, mine: int, formats: int, menu: Menu, work: Work, scratch: Scratch
) -> None:
    """Offer a member, or an item called by its index, as a line."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    opens = _may_flow(tape, scratch, entry, formats)
    flows = opens or _may_spell(tape, entry, formats)
    if not flows:
        _add_recipe(menu, mine, _line_format(tape, entry, flows), LINE, MEMBER)
        return
    line = menu.state[2]
    n = lines.put_title(tape, scratch.texts, entry, place, menu.text, line)
    if not opens:
        n = put_byte(menu.text, put_byte(menu.text, n, 58), 32)
    n = flow_line(tape, entry, work, menu.text, line, n)
    _add_option(menu, mine, FLOW, LINE, line, n)


@leaf
def _may_spell(tape: Tape, entry: int, formats: int) -> bool:
    return bool(formats & (1 << FLOW)) and tape.nodes[entry, INNER] >= 0


@leaf
def _items(tape: Tape, mine: int, formats: int, menu: Menu, work: Work, scratch: Scratch) -> None:
    """Offer an array as a list with each item on a line."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    line = menu.state[2]
    n = _put_head(tape, scratch.texts, mine, depth, menu, line)
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, KV, IN_ITEMS, line, n)
    first = _add_children(tape, entry, option, menu)
    child = entry + 1
    for place in range(tape.nodes[entry, LENGTH]):
        flows = _may_flow(tape, scratch, child, formats) or _may_spell(tape, child, formats)
        if flows:
            line = menu.state[2]
            n = put_byte(menu.text, put_byte(menu.text, line, 45), 32)
            n = flow_line(tape, child, work, menu.text, line, n)
            _add_option(menu, first + place, FLOW, LINE, line, n)
        else:
            _add_recipe(menu, first + place, _line_format(tape, child, flows), LINE, ITEM)
        child = tape.nodes[child, AFTER]
    menu.state[3] = option


@leaf
def _add_children(tape: Tape, entry: int, option: int, menu: Menu) -> int:
    """Add a class for each child of a container, none of which can be opened; return the first."""
    size = tape.nodes[entry, LENGTH]
    first = _open(menu, option, size)
    child = entry + 1
    for place in range(size):
        _add_class(menu, child, place, -1, option)
        child = tape.nodes[child, AFTER]
    return first


@leaf
def _put_head(tape: Tape, texts: Texts, mine: int, depth: int, menu: Menu, n: int) -> int:
    """Append a header with the size of the container, or nothing behind a name."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    brackets = 91 if tape.nodes[entry, KIND] == ARRAY else 123
    return lines.put_header(
        tape, texts, entry, place, depth, brackets, tape.nodes[entry, LENGTH], menu.text, n
    )


@leaf
def _opened(tape: Tape, mine: int, menu: Menu, scratch: Scratch) -> None:
    """Offer a container whose members or items are classes that may be blocks."""
    entry, place = menu.classes[mine, ENTRY], menu.classes[mine, PLACE]
    depth = menu.classes[mine, DEPTH]
    line = menu.state[2]
    is_array = tape.nodes[entry, KIND] == ARRAY
    if is_array or depth == 0:
        n = _put_head(tape, scratch.texts, mine, depth, menu, line)
    else:
        n = lines.put_header(tape, scratch.texts, entry, place, depth, 0, 0, menu.text, line)
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, KV, IN_ITEMS if is_array else IN_FIELDS, line, n)
    _open(menu, option, tape.nodes[entry, LENGTH])
    child = entry + 1
    for number in range(tape.nodes[entry, LENGTH]):
        _add_class(menu, child, number, depth + 1, option)
        child = tape.nodes[child, AFTER]


@leaf
def _has_large_items(tape: Tape, entry: int) -> bool:
    """Whether the items of an array are worth opening one by one."""
    start, end = tape.spans[entry, START], tape.spans[entry, END]
    least = LARGE_ITEM * tape.nodes[entry, LENGTH]
    if end - start < least:
        return False
    child = entry + 1
    while child < tape.nodes[entry, AFTER] and (
        tape.nodes[child, KIND] > ARRAY or not tape.nodes[child, LENGTH]
    ):
        child = tape.nodes[child, AFTER]
    if child >= tape.nodes[entry, AFTER]:
        return False
    characters = 0
    for i in range(start, end):
        characters += (tape.text[i] & 0xC0) != 0x80
        if characters >= least:
            return True
    return False


@leaf
def _rows_below(tape: Tape, mine: int, option: int, format_: int, ends: Ints, menu: Menu) -> None:
    """Add the rows of a table, whose texts end where `ends` says, the first behind its start."""
    entry, end = menu.classes[mine, ENTRY], menu.state[2]
    first = _add_children(tape, entry, option, menu)
    for place in range(tape.nodes[entry, LENGTH]):
        _add_option(menu, first + place, format_, LINE, ends[place], ends[place + 1])
    menu.state[2], menu.state[3] = end, option


@leaf
def _native(
    tape: Tape, mine: int, layout: int, format_: int, menu: Menu, work: Work, scratch: Scratch
) -> bool:
    """Offer a table whose header explains its rows, if it fits and pays."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    start, ends = menu.state[2], scratch.ends
    n = rows(tape, entry, layout, work, menu.text, start, ends[1:])
    if n < 0:
        return False
    ends[0] = start
    head = n
    columns = ends[tape.nodes[entry, LENGTH]]
    n = _put_head(tape, scratch.texts, mine, depth, menu, n)
    if n + head - columns <= menu.text.size:
        n = put(menu.text, n, menu.text, columns, head)
    else:
        n += head - columns
    n = put_byte(menu.text, n, 10)
    option = _add_option(menu, mine, format_, IN_ROWS, head, n)
    _rows_below(tape, mine, option, format_, ends, menu)
    return True


@leaf
def _standard_table(
    tape: Tape, mine: int, format_: int, scratch: Scratch, count: int, menu: Menu
) -> None:
    """Offer records as a table whose columns were listed before."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    line = menu.state[2]
    n = lines.put_format(
        format_, menu.text, _put_head(tape, scratch.texts, mine, depth, menu, line)
    )
    if format_ == CSV:
        n = lines.put_csv_head(tape, scratch.texts, scratch.columns, count, menu.text, n)
    else:
        n = lines.put_table_head(tape, scratch.texts, scratch.columns, count, menu.text, n)
    option = _add_option(menu, mine, format_, IN_ROWS, line, n)
    if option < menu.options.shape[0]:
        menu.options[option, COLUMNS], menu.options[option, WIDTH] = menu.state[4] - count, count
    first = _add_children(tape, entry, option, menu)
    source = CSV_ROW if format_ == CSV else TABLE_ROW
    for place in range(tape.nodes[entry, LENGTH]):
        _add_recipe(menu, first + place, format_, LINE, source)
    menu.state[3] = option


@leaf
def _list_columns(menu: Menu, columns: Small, count: int) -> None:
    """Keep the columns of a table."""
    start = menu.state[4]
    menu.state[4] += count
    for i in range(count if menu.state[4] <= menu.columns.size else 0):
        menu.columns[start + i] = columns[i]


@leaf
def _text_block(tape: Tape, mine: int, format_: int, menu: Menu, scratch: Scratch) -> None:
    """Offer a string of several lines as it stands."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    begin, stop = tape.spans[entry, BEGIN], tape.spans[entry, STOP]
    feeds = lines.count_feeds(tape.text, begin, stop)
    if not feeds:
        return
    line = menu.state[2]
    n = lines.put_header(
        tape, scratch.texts, entry, menu.classes[mine, PLACE], depth, 40, feeds + 1, menu.text, line
    )
    n = lines.put_format(format_, menu.text, n)
    if format_ == FENCE:
        n = lines.put_fenced(tape.text, begin, stop, menu.text, n)
    else:
        n = put_byte(menu.text, put(menu.text, n, tape.text, begin, stop), 10)
    _add_option(menu, mine, format_, BLOCK, line, n)


@leaf
def _sentence(tape: Tape, mine: int, menu: Menu, scratch: Scratch) -> None:
    """Offer a flat container as one sentence."""
    entry = menu.classes[mine, ENTRY]
    if not lines.is_flat(tape, entry):
        return
    line = menu.state[2]
    n = _put_head(tape, scratch.texts, mine, menu.classes[mine, DEPTH], menu, line)
    n = lines.put_sentence(
        tape, scratch.texts, entry, menu.text, lines.put_format(PROSE, menu.text, n)
    )
    _add_option(menu, mine, PROSE, BLOCK, line, n)


@leaf
def _blocks(
    tape: Tape,
    mine: int,
    formats: int,
    menu: Menu,
    work: Work,
    scratch: Scratch,
) -> None:
    """Offer a value as a block under a header of its own."""
    entry = menu.classes[mine, ENTRY]
    kind = tape.nodes[entry, KIND]
    if menu.classes[mine, DEPTH] >= OPEN_DEPTH or kind > STRING:
        return
    if kind == STRING:
        if formats & (1 << PROSE):
            _text_block(tape, mine, PROSE, menu, scratch)
        if formats & (1 << FENCE):
            _text_block(tape, mine, FENCE, menu, scratch)
        return
    if not tape.nodes[entry, LENGTH]:
        return
    has_rows = False
    for layout in range(5):
        format_ = ROWS if layout < 3 else DERIVED
        if formats & (1 << format_):
            has_rows |= _native(tape, mine, layout, format_, menu, work, scratch)
    if formats & (1 << KV):
        if kind == OBJECT:
            _opened(tape, mine, menu, scratch)
        else:
            if not has_rows:
                _items(tape, mine, formats, menu, work, scratch)
            if _has_large_items(tape, entry):
                _opened(tape, mine, menu, scratch)
    if kind == ARRAY and not has_rows and formats & ((1 << CSV) | (1 << TABLE)):
        count = lines.columns_of(tape, entry, scratch.place_of_key, scratch.columns)
        if count > 0:
            _list_columns(menu, scratch.columns, count)
            for format_ in (CSV, TABLE):
                if formats & (1 << format_):
                    _standard_table(tape, mine, format_, scratch, count, menu)
            lines.forget(scratch.place_of_key, scratch.columns, count)
    if formats & (1 << PROSE):
        _sentence(tape, mine, menu, scratch)


@leaf
def _document(tape: Tape, formats: int, menu: Menu, work: Work, scratch: Scratch) -> None:
    """Offer the document as compact JSON, and as one line of flow notation."""
    root = _add_class(menu, 0, 0, 0, -1)
    _add_recipe(menu, root, JSON, LINE, DOCUMENT)
    if _may_flow(tape, scratch, 0, formats):
        end = flow_line(tape, 0, work, menu.text, 0, 0)
        alone = end <= menu.text.size and lines.count_feeds(menu.text, 0, end) == 1
        _add_option(menu, root, FLOW, LINE, 0, end - alone)
        menu.state[2] = end


@njit
def scratch_for(tape: Tape) -> Scratch:
    """Return room for the blocks of a document."""
    most = 0
    for entry in range(tape.nodes.shape[0]):
        most = max(most, tape.nodes[entry, LENGTH])
    return Scratch(
        np.full(tape.keys.shape[0], -1, np.int32),
        np.empty(tape.keys.shape[0], np.int32),
        np.empty(tape.keys.shape[0], np.int32),
        np.empty(most + 1, np.int64),
        lines.texts_of(tape),
        long_tables(tape),
        np.full(1, -1, np.int64),
    )


@leaf
def offer(tape: Tape, formats: int, menu: Menu, work: Work, scratch: Scratch) -> None:
    """Fill a menu; compact JSON is among the formats, whose numbers are bits of `formats`.

    `menu.state` says how much room was needed; with less the menu is void.
    """
    _document(tape, formats, menu, work, scratch)
    mine = 0
    while mine < min(menu.state[0], menu.classes.shape[0]):
        if menu.classes[mine, DEPTH] >= 0:
            if mine:
                _member_line(tape, mine, formats, menu, work, scratch)
            _blocks(tape, mine, formats, menu, work, scratch)
        if menu.state[1] > menu.options.shape[0] or menu.state[2] > menu.text.size:
            return
        mine += 1


@leaf
def put_option(tape: Tape, menu: Menu, scratch: Scratch, option: int, out: Bytes, n: int) -> int:
    """Append the text of an option, without its children."""
    source = menu.options[option, SOURCE]
    if source == TEXT:
        return put(out, n, menu.text, menu.spans[option, 0], menu.spans[option, 1])
    owner = menu.options[option, OWNER]
    entry, place = menu.classes[owner, ENTRY], menu.classes[owner, PLACE]
    if source == DOCUMENT:
        return put(out, n, tape.text, tape.spans[entry, START], tape.spans[entry, END])
    if source == MEMBER:
        n = lines.put_title(tape, scratch.texts, entry, place, out, n)
        n = put_byte(out, put_byte(out, n, 58), 32)
        return lines.put_member_value(tape, scratch.texts, entry, out, n)
    if source == ITEM:
        n = put_byte(out, put_byte(out, n, 45), 32)
        return lines.put_member_value(tape, scratch.texts, entry, out, n)
    width = place_row(tape, menu, scratch, owner)
    if source == CSV_ROW:
        return lines.put_csv_row(tape, scratch.texts, scratch.cells, width, out, n)
    return lines.put_table_row(tape, scratch.texts, scratch.cells, width, out, n)


@leaf
def place_row(tape: Tape, menu: Menu, scratch: Scratch, owner: int) -> int:
    """Put the members of a row of a table into `scratch.cells`; return how many columns it has."""
    head = menu.classes[owner, ABOVE]
    start, width = menu.options[head, COLUMNS], menu.options[head, WIDTH]
    if head != scratch.head[0]:
        scratch.head[0] = head
        for i in range(width):
            scratch.place_of_key[menu.columns[start + i]] = i
    lines.place_members(
        tape, menu.classes[owner, ENTRY], scratch.place_of_key, scratch.cells, width
    )
    return width
