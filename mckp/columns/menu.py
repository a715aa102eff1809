"""What is offered for a document, and in which order, is as in `mckp.menu.data`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.columns import lines
from mckp.columns.buffer import put, put_byte
from mckp.columns.native import derives, flow_line, rows
from mckp.columns.native_work import SHORT
from mckp.columns.options import (
    ABOVE,
    BLOCK,
    CHILDREN,
    CSV,
    CSV_ROW,
    DEPTH,
    DERIVED,
    DOCUMENT,
    ENTRY,
    FENCE,
    FIRST,
    FLOW,
    IN_FIELDS,
    IN_ITEMS,
    IN_ROWS,
    ITEM,
    JSON,
    KV,
    LINE,
    MEMBER,
    NARROW,
    NEXT,
    OWNER,
    PLACE,
    PROSE,
    ROWS,
    SIZE,
    TABLE,
    TABLE_ROW,
    UNLINED,
    add_children,
    add_class,
    add_option,
    add_recipe,
    is_short,
    list_columns,
    open_option,
)
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
from mckp.jit import leaf
from mckp.menu.data import LARGE_ITEM, OPEN_DEPTH

if TYPE_CHECKING:
    from mckp.columns.buffer import Ints
    from mckp.columns.lines import Texts
    from mckp.columns.native_work import Work
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Tape

BEGUN: Final = -1
"""In place of the class that is looked at next: none was looked at."""
DONE: Final = -2
"""Likewise: all were looked at."""


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
        add_recipe(menu, mine, _line_format(tape, entry, flows), LINE, MEMBER)
        return
    line = menu.state[2]
    n = lines.put_title(tape, scratch.texts, entry, place, menu.text, line)
    if not opens:
        n = put_byte(menu.text, put_byte(menu.text, n, 58), 32)
    n = flow_line(tape, entry, work, menu.text, line, n)
    add_option(menu, mine, FLOW, LINE, line, n)


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
    option = add_option(menu, mine, KV, IN_ITEMS, line, n)
    first = add_children(tape, entry, option, menu)
    child = entry + 1
    for place in range(tape.nodes[entry, LENGTH]):
        flows = _may_flow(tape, scratch, child, formats) or _may_spell(tape, child, formats)
        if flows:
            line = menu.state[2]
            n = put_byte(menu.text, put_byte(menu.text, line, 45), 32)
            n = flow_line(tape, child, work, menu.text, line, n)
            add_option(menu, first + place, FLOW, LINE, line, n)
        else:
            add_recipe(menu, first + place, _line_format(tape, child, flows), LINE, ITEM)
        child = tape.nodes[child, AFTER]
    menu.state[3] = option


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
    option = add_option(menu, mine, KV, IN_ITEMS if is_array else IN_FIELDS, line, n)
    open_option(menu, option, tape.nodes[entry, LENGTH])
    child = entry + 1
    for number in range(tape.nodes[entry, LENGTH]):
        add_class(menu, child, number, depth + 1, option)
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
    first = add_children(tape, entry, option, menu)
    for place in range(tape.nodes[entry, LENGTH]):
        add_option(menu, first + place, format_, LINE, ends[place], ends[place + 1])
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
    columns: Any = ends[tape.nodes[entry, LENGTH]]
    n = _put_head(tape, scratch.texts, mine, depth, menu, n)
    if n + head - columns <= menu.text.size:
        n = put(menu.text, n, menu.text, columns, head)
    else:
        n += head - columns
    n = put_byte(menu.text, n, 10)
    option = add_option(menu, mine, format_, IN_ROWS, head, n)
    _rows_below(tape, mine, option, format_, ends, menu)
    return True


@leaf
def _standard_table(
    tape: Tape, mine: int, format_: int, scratch: Scratch, count: int, listed: int, menu: Menu
) -> None:
    """Offer records as a table whose columns were listed before, at a place in the menu."""
    entry, depth = menu.classes[mine, ENTRY], menu.classes[mine, DEPTH]
    line = menu.state[2]
    n = lines.put_format(
        format_, menu.text, _put_head(tape, scratch.texts, mine, depth, menu, line)
    )
    if format_ == CSV:
        n = lines.put_csv_head(tape, scratch.texts, scratch.columns, count, menu.text, n)
    else:
        n = lines.put_table_head(tape, scratch.texts, scratch.columns, count, menu.text, n)
    option = add_option(menu, mine, format_, IN_ROWS, line, n)
    first = add_children(tape, entry, option, menu)
    source = CSV_ROW if format_ == CSV else TABLE_ROW
    for place in range(tape.nodes[entry, LENGTH]):
        row = add_recipe(menu, first + place, format_, LINE, source)
        if row < menu.options.shape[0]:
            menu.options[row, CHILDREN] = listed
    menu.state[3] = option


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
    add_option(menu, mine, format_, BLOCK, line, n)


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
    add_option(menu, mine, PROSE, BLOCK, line, n)


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
    # Most shapes have no such columns, and there is no need to find them twice.
    derived = 3 if formats & (1 << DERIVED) else 0
    if formats & (1 << ROWS):
        for layout in range(3):
            has_rows |= _native(tape, mine, layout, ROWS, menu, work, scratch)
            if derived & (1 << layout) and not derives(tape, entry, work):
                derived ^= 1 << layout
    for layout in range(2):
        if derived & (1 << layout):
            has_rows |= _native(tape, mine, layout + 3, DERIVED, menu, work, scratch)
    if (
        formats & (1 << KV)
        and not formats & (1 << UNLINED)
        and not (has_rows and formats & (1 << NARROW))
    ):
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
            listed = list_columns(menu, scratch.columns, count)
            for format_ in (CSV, TABLE):
                if formats & (1 << format_):
                    _standard_table(tape, mine, format_, scratch, count, listed, menu)
            lines.forget(scratch.place_of_key, scratch.columns, count)
    if formats & (1 << PROSE):
        _sentence(tape, mine, menu, scratch)


@leaf
def _document(tape: Tape, formats: int, menu: Menu, work: Work, scratch: Scratch) -> None:
    """Offer the document as compact JSON, and as one line of flow notation.

    Smaller versions are offered as JSON only if there is nothing else; a note stands below them.
    """
    root = add_class(menu, 0, 0, 0, -1)
    narrow = formats & (1 << NARROW) != 0
    if not narrow:
        add_recipe(menu, root, JSON, LINE, DOCUMENT)
    if _may_flow(tape, scratch, 0, formats):
        end = flow_line(tape, 0, work, menu.text, 0, 0)
        alone = end <= menu.text.size and lines.count_feeds(menu.text, 0, end) == 1
        add_option(menu, root, FLOW, LINE, 0, end - (alone and not narrow))
        menu.state[2] = end


@leaf
def _following(menu: Menu, mine: int) -> int:
    """Return the class that is looked at behind another: below it first, then beside it."""
    option = menu.classes[mine, FIRST]
    while option >= 0:
        first = menu.options[option, CHILDREN]
        if menu.options[option, SIZE] and menu.classes[first, DEPTH] >= 0:
            return int(first)
        option = menu.options[option, NEXT]
    while mine > 0:
        above = menu.classes[mine, ABOVE]
        mine += 1
        if mine < menu.options[above, CHILDREN] + menu.options[above, SIZE]:
            return mine
        mine = int(menu.options[above, OWNER])
    return DONE


@leaf
def offer(
    tape: Tape, formats: int, menu: Menu, work: Work, scratch: Scratch, mine: int, limit: int
) -> int:
    """Fill a menu from a class on, `BEGUN` at first; return the class to go on with, or `DONE`.

    All that is offered below a class is offered before what stands behind it. Compact JSON is among
    the formats, whose numbers are bits of `formats`. From `limit` bytes of texts on the next class
    has to wait. Where room is short, what was offered for the class that is returned is void, and
    the second half of `menu.state` says what was there before it.
    """
    while mine != DONE:
        for i in range(5):
            menu.state[i + 5] = menu.state[i]
        if mine == BEGUN:
            _document(tape, formats, menu, work, scratch)
        else:
            if mine:
                _member_line(tape, mine, formats, menu, work, scratch)
            _blocks(tape, mine, formats, menu, work, scratch)
            if not mine and menu.classes[0, FIRST] < 0:
                add_recipe(menu, 0, JSON, LINE, DOCUMENT)
        if work.state[SHORT] or is_short(menu):
            return mine
        mine = 0 if mine == BEGUN else _following(menu, mine)
        if menu.state[2] >= limit:
            return mine
    return mine
