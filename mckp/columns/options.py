"""The menu of a document in arrays: its classes and options, as rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.columns.lines import FORMATS
from mckp.columns.tape import AFTER, LENGTH
from mckp.jit import leaf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
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
NAMES: Final = (*map(bytes.decode, FORMATS), "phrases")
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


@leaf
def add_class(menu: Menu, entry: int, place: int, depth: int, above: int) -> int:
    """Add a class without options."""
    mine = menu.state[0]
    menu.state[0] += 1
    if mine < menu.classes.shape[0]:
        row = menu.classes[mine]
        row[ENTRY], row[PLACE], row[DEPTH], row[ABOVE], row[FIRST] = entry, place, depth, above, -1
    return int(mine)


@leaf
def add_recipe(menu: Menu, owner: int, format_: int, unit: int, source: int) -> int:
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
    return int(mine)


@leaf
def add_option(menu: Menu, owner: int, format_: int, unit: int, start: int, end: int) -> int:
    """Add an option whose text was written."""
    mine = add_recipe(menu, owner, format_, unit, TEXT)
    menu.state[2] = end
    if mine < menu.options.shape[0]:
        menu.spans[mine, 0], menu.spans[mine, 1] = start, end
    return mine


@leaf
def open_option(menu: Menu, option: int, size: int) -> int:
    """Say that an option has children, which are added next; return the first."""
    if option < menu.options.shape[0]:
        menu.options[option, CHILDREN], menu.options[option, SIZE] = menu.state[0], size
    return int(menu.state[0])


@leaf
def add_children(tape: Tape, entry: int, option: int, menu: Menu) -> int:
    """Add a class for each child of a container, none of which can be opened; return the first."""
    size = tape.nodes[entry, LENGTH]
    first = open_option(menu, option, size)
    child = entry + 1
    for place in range(size):
        add_class(menu, child, place, -1, option)
        child = tape.nodes[child, AFTER]
    return first


@leaf
def list_columns(menu: Menu, columns: Small, count: int) -> None:
    """Keep the columns of a table."""
    start = menu.state[4]
    menu.state[4] += count
    for i in range(count if menu.state[4] <= menu.columns.size else 0):
        menu.columns[start + i] = columns[i]
