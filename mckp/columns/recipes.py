"""The texts of options that follow from the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns import lines
from mckp.columns.buffer import put, put_byte
from mckp.columns.options import (
    CHILDREN,
    CSV_ROW,
    DOCUMENT,
    ENTRY,
    ITEM,
    MEMBER,
    OWNER,
    PLACE,
    SOURCE,
    TEXT,
)
from mckp.columns.tape import END, START
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Tape


@leaf
def put_option(tape: Tape, menu: Menu, scratch: Scratch, option: int, out: Bytes, n: int) -> int:
    """Append the text of an option, without its children."""
    source = menu.kinds[option, SOURCE]
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
    width = place_row(tape, menu, scratch, option)
    if source == CSV_ROW:
        return lines.put_csv_row(tape, scratch.texts, scratch.cells, width, out, n)
    return lines.put_table_row(tape, scratch.texts, scratch.cells, width, out, n)


@leaf
def place_row(tape: Tape, menu: Menu, scratch: Scratch, option: int) -> int:
    """Put the members of a row of a table into `scratch.cells`; return how many columns it has."""
    start = menu.options[option, CHILDREN]
    width = int(menu.columns[start])
    if start != scratch.listed[0]:
        scratch.listed[0] = start
        for i in range(width):
            scratch.place_of_key[menu.columns[start + 1 + i]] = i
    entry = menu.classes[menu.options[option, OWNER], ENTRY]
    lines.place_members(tape, entry, scratch.place_of_key, scratch.cells, width)
    return width
