"""The menu of a document in arrays: its classes and options, as rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.lines import FORMATS
from mckp.columns.tape import AFTER, LENGTH
from mckp.jit import leaf

if TYPE_CHECKING:
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
NARROW: Final = 10
"""Not a format: that a document is a smaller version, of which less is offered."""
UNLINED: Final = 11
"""Not a format: that members have no lines of their own, though ``kv`` is a format."""

# Fields of a class.
ENTRY: Final = 0
PLACE: Final = 1
DEPTH: Final = 2
ABOVE: Final = 3
FIRST: Final = 4
_CLASS: Final = 5

# Fields of an option.
OWNER: Final = 0
CHILDREN: Final = 1
"""The first child; for a row of a table of the standard formats, where its columns are listed."""
SIZE: Final = 2
NEXT: Final = 3
_FIELDS: Final = 4

# Fields of what an option is.
FORMAT: Final = 0
UNIT: Final = 1
SOURCE: Final = 2
_KINDS: Final = 3

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


@borrowed
class Menu(NamedTuple):
    """All that may be written of a document.

    Attributes
    ----------
    classes : array of int32, shape (classes, 5)
        The entry of the tape, its place in its container, how many containers stand around it
        (-1 if it is no more than a line or a row), the option above (-1 for the root), its
        first option. Parents stand before children; the children of an option are neighbours.
    options : array of int32, shape (options, 4)
        The class, the first child, how many there are, the next option of the class (-1 after
        the last).
    kinds : array of uint8, shape (options, 3)
        The format, the unit, and how the text is made.
    spans : array of int32, shape (options, 2)
        Where the text of an option stands in `text`, if it does.
    text : array of uint8
        The texts that do not simply follow from the tape.
    columns : array of int32
        For each table of the standard formats how many columns it has, then their names.
    state : array of int64, shape (10,)
        How many classes, options and bytes there are, the option added last, and how much of
        `columns` is taken; or how many should have had room. Then the same as it was before
        the last class that was looked at.
    """

    classes: NDArray[np.int32]
    options: NDArray[np.int32]
    kinds: Bytes
    spans: NDArray[np.int32]
    text: Bytes
    columns: Small
    state: Ints

    @property
    def is_short(self) -> bool:
        """Whether there was not enough room."""
        return bool(is_short(self))

    def taken(self) -> Menu:
        """Return the menu without the room that nothing took."""
        classes, options, size, _, columns = self.state[:5].tolist()
        return Menu(
            self.classes[:classes],
            self.options[:options],
            self.kinds[:options],
            self.spans[:options],
            self.text[:size],
            self.columns[:columns],
            self.state,
        )


def room_for(rows: int, size: int, columns: int) -> Menu:
    """Return an empty menu with room for so many classes and options, bytes, and columns."""
    return Menu(
        np.empty((rows, _CLASS), np.int32),
        np.empty((rows, _FIELDS), np.int32),
        np.empty((rows, _KINDS), np.uint8),
        np.empty((rows, 2), np.int32),
        np.empty(size, np.uint8),
        np.empty(columns, np.int32),
        np.zeros(10, np.int64),
    )


@leaf
def is_short(menu: Menu) -> bool:
    """Whether there was not enough room."""
    state = menu.state
    return bool(
        state[0] > menu.classes.shape[0]
        or state[1] > menu.options.shape[0]
        or state[2] > menu.text.size
        or state[4] > menu.columns.size
    )


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
        row[OWNER], row[CHILDREN], row[SIZE], row[NEXT] = owner, -1, 0, -1
        kind = menu.kinds[mine]
        kind[FORMAT], kind[UNIT], kind[SOURCE] = format_, unit, source
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
def list_columns(menu: Menu, columns: Small, count: int) -> int:
    """Keep the columns of a table; return where they are listed."""
    start: int = menu.state[4]
    menu.state[4] += count + 1
    if menu.state[4] <= menu.columns.size:
        menu.columns[start] = count
        for i in range(count):
            menu.columns[start + 1 + i] = columns[i]
    return start
