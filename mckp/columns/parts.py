"""What the texts of options are made of where they follow from the tape, each part once.

A part is noted as units the first time that it stands in a text, some options at a time; once
these are counted, only its tokens are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.atoms import Atoms, json_units
from mckp.columns.buffer import put, put_byte
from mckp.columns.lines import put_csv_row, shown
from mckp.columns.options import (
    CSV_ROW,
    DOCUMENT,
    ENTRY,
    MEMBER,
    OWNER,
    SOURCE,
    TABLE_ROW,
    TEXT,
)
from mckp.columns.recipes import place_row
from mckp.columns.tape import ARRAY, KIND, NAME, NUMBER
from mckp.columns.units import (
    BORDER,
    FEED,
    LAST_BORDER,
    NOTHING,
    Units,
    close_unit,
    first_joint,
    is_alnum,
    is_digit,
    last_joint,
    put_after,
    unit_after,
    unit_of,
)
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape

# Where a value stands: behind a blank at the end of a line, in a table, at the end of a row of
# a table, behind a comma, at the beginning of a record.
LINE: Final = 0
CELL: Final = 1
LAST_CELL: Final = 2
COMMA: Final = 3
RECORD: Final = 4
_PLACES: Final = 5
_FIXED_PARTS: Final = 6

NONE: Final = -1
"""In place of a unit."""

# In place of tokens, of which there is always one: not noted, noted, and a cell that merges with
# the comma behind it.
_UNKNOWN: Final = 0
_NOTED: Final = -1
_UNFIT: Final = -2

# Columns of `Parts.noted`, behind three units.
CONTAINER: Final = 3
SLOT: Final = 4

# Places in `Parts.state`: how much is noted, how many numbers values have, and where in
# `Parts.tokens` names begin, and what stands in many texts.
COUNT: Final = 0
_NUMBERS: Final = 1
TITLES: Final = 2
FIXED: Final = 3

AT_ONCE: Final = 1 << 14
"""Parts that are noted before they are counted."""


@borrowed
class Parts(NamedTuple):
    """What texts are made of.

    Attributes
    ----------
    tokens : array of int32
        Tokens of each value in each place that it may stand in; of each name and a colon, on a
        line; of a line feed, a hyphen, a border, a colon, an absent cell, and one at the end of a
        row.
    noted : array of int32, shape (at once, 5)
        Units of what is to be counted, -1 for none; for a container that has more than is in them
        its number, else -1; and where in `tokens` it belongs.
    state : array of int64, shape (4,)
        See above.
    """

    tokens: Small
    noted: Small
    state: Ints


def parts_for(tape: Tape, numbers: int, *, tables: bool, at_once: int = AT_ONCE) -> Parts:
    """Return room for the parts of a document, of which none is noted.

    Parameters
    ----------
    numbers : int
        How many numbers its values have; see `mckp.columns.atoms.Atoms`.
    tables : bool
        Whether it may stand in tables of the standard formats.
    """
    names = len(tape.keys)
    titles = numbers * (_PLACES if tables else 1)
    at_once = min(at_once, titles) + names + _FIXED_PARTS
    return Parts(
        np.zeros(titles + names + _FIXED_PARTS, np.int32),
        np.empty((at_once, 5), np.int32),
        np.array([0, numbers, titles, titles + names], np.int64),
    )


@leaf
def _note_part(parts: Parts, slot: int) -> int:
    """Note a part that has no units yet; return where."""
    mine = parts.state[COUNT]
    parts.state[COUNT] = mine + 1
    parts.tokens[slot] = _NOTED
    line = parts.noted[mine]
    line[0] = line[1] = line[2] = line[CONTAINER] = NONE
    line[SLOT] = slot
    return int(mine)


@leaf
def slot_of(atoms: Atoms, parts: Parts, entry: int, place: int) -> int:
    """Return where the tokens of a value in a place are."""
    return int(place * parts.state[_NUMBERS] + atoms.number[entry])


@leaf
def _after(place: int) -> int:
    if place == LINE:
        return FEED
    return BORDER if place == CELL else LAST_BORDER


@leaf
def _note_scalar(text: Bytes, start: int, end: int, place: int, line: Small, units: Units) -> None:
    """Note the units of a value that stands behind a blank, or of a cell of CSV."""
    joint = first_joint(text, start, end)
    before = 44 if place == COMMA else 32
    apart = place != RECORD and start < end and is_digit(text[start])
    head = start if apart else joint
    stop = end if start < end and is_alnum(text[end - 1]) else last_joint(text, start, end)
    if place >= COMMA:
        stop = end
    elif stop <= head and not (stop == end and start < end):
        n = put_byte(units.text, units.state[1], before)
        n = put(units.text, n, text, start, end)
        line[0] = close_unit(units, put_after(_after(place), units.text, n))
        return
    if place == RECORD:
        line[0] = unit_of(units, text, start, head)
    else:
        line[0] = unit_after(units, before, text, start, head)
    if head < stop:
        line[1] = unit_of(units, text, head, stop)
    if place < COMMA:
        n = put(units.text, units.state[1], text, stop, end)
        line[2] = close_unit(units, put_after(_after(place), units.text, n))


@leaf
def _has_any(text: Bytes, start: int, end: int, byte: int, other: int) -> bool:
    for i in range(start, end):  # noqa: SIM110
        if text[i] == byte or text[i] == other:
            return True
    return False


@leaf
def _note_piped(text: Bytes, start: int, end: int, place: int, line: Small, units: Units) -> None:
    """Note the one unit of a cell that holds what borders are made of."""
    n = put_byte(units.text, units.state[1], 32)
    for i in range(start, end):
        if text[i] == 124:
            n = put_byte(units.text, n, 92)
        n = put_byte(units.text, n, text[i])
    line[0] = close_unit(units, put_after(_after(place), units.text, n))


@leaf
def _note(
    tape: Tape, scratch: Scratch, atoms: Atoms, entry: int, place: int, parts: Parts, units: Units
) -> None:
    """Note a value in a place, unless it was."""
    slot = slot_of(atoms, parts, entry, place)
    if parts.tokens[slot] != _UNKNOWN:
        return
    start, end = shown(tape, scratch.texts, entry, place == LINE)
    if place >= COMMA:
        plain = end > start and is_alnum(tape.text[end - 1])
        slash = place == RECORD and plain and tape.text[start] in (47, 62)
        if not plain or slash or _has_any(tape.text, start, end, 44, 34):
            parts.tokens[slot] = _UNFIT
            return
    line = parts.noted[_note_part(parts, slot)]
    if place in (CELL, LAST_CELL) and _has_any(tape.text, start, end, 124, 124):
        _note_piped(tape.text, start, end, place, line, units)
    elif tape.nodes[entry, KIND] <= ARRAY:
        _note_json(tape, atoms, entry, 32, _after(place), line, units)
    elif tape.nodes[entry, KIND] == NUMBER and place != RECORD and tape.text[start] == 45:
        line[0] = unit_after(units, 44 if place == COMMA else 32, tape.text, start, start + 1)
        line[1] = unit_of(units, tape.text, start + 1, end)
        if place < COMMA:
            line[2] = close_unit(units, put_after(_after(place), units.text, units.state[1]))
    else:
        _note_scalar(tape.text, start, end, place, line, units)


@leaf
def _note_json(
    tape: Tape, atoms: Atoms, entry: int, before: int, after: int, line: Small, units: Units
) -> None:
    """Note the units at both ends of the JSON of a container, or that of all of it."""
    line[0], line[1] = json_units(tape, atoms, entry, before, after, units)
    if line[1] != NONE:
        line[CONTAINER] = atoms.number[entry]


@leaf
def place_of(column: int, width: int, is_csv: bool) -> int:
    """Return the place of a cell of a row."""
    if is_csv:
        return COMMA if column else RECORD
    return CELL if column < width - 1 else LAST_CELL


@leaf
def _note_row(
    tape: Tape,
    menu: Menu,
    scratch: Scratch,
    atoms: Atoms,
    option: int,
    parts: Parts,
    units: Units,
) -> int:
    """Note the cells of a row of a table; return the unit of all of it where they do not fit."""
    width = place_row(tape, menu, scratch, option)
    is_csv = menu.kinds[option, SOURCE] == CSV_ROW
    fits = True
    for i in range(width):
        entry = scratch.cells[i]
        place = place_of(i, width, is_csv)
        if entry < 0:
            fits = fits and not is_csv
            continue
        _note(tape, scratch, atoms, entry, place, parts, units)
        fits = fits and parts.tokens[slot_of(atoms, parts, entry, place)] != _UNFIT
    if fits:
        return NONE
    n = put_csv_row(tape, scratch.texts, scratch.cells, width, units.text, units.state[1])
    return close_unit(units, n)


@leaf
def _note_title(tape: Tape, scratch: Scratch, name: int, parts: Parts, units: Units) -> None:
    """Note the name of a member and a colon, unless they were."""
    slot = parts.state[TITLES] + name
    if parts.tokens[slot] == _UNKNOWN:
        start, end = scratch.texts.names[name, 0], scratch.texts.names[name, 1]
        n = put_byte(units.text, put(units.text, units.state[1], tape.text, start, end), 58)
        parts.noted[_note_part(parts, slot), 0] = close_unit(units, n)


@leaf
def _note_fixed(parts: Parts, units: Units) -> None:
    """Note what stands in many texts, unless it was."""
    slot = parts.state[FIXED]
    if parts.tokens[slot] != _UNKNOWN:
        return
    n = put_after(FEED, units.text, units.state[1])
    parts.noted[_note_part(parts, slot), 0] = close_unit(units, n)
    for i, byte in enumerate((45, 124, 58)):
        n = put_byte(units.text, units.state[1], byte)
        parts.noted[_note_part(parts, slot + 1 + i), 0] = close_unit(units, n)
    for i, after in enumerate((BORDER, LAST_BORDER)):
        n = put_byte(units.text, units.state[1], 32)
        n = put_after(after, units.text, n)
        parts.noted[_note_part(parts, slot + 4 + i), 0] = close_unit(units, n)


@leaf
def note(
    tape: Tape,
    menu: Menu,
    scratch: Scratch,
    atoms: Atoms,
    parts: Parts,
    units: Units,
    own: Small,
    first: int,
    last: int,
) -> int:
    """Note what the texts of options are made of, as much as there is room for.

    Parameters
    ----------
    own : array of int32
        For a row of a table with a unit of its own this one is set, for other rows -1.
    first, last : int
        Which options.

    Returns
    -------
    int
        The option to go on with.
    """
    _note_fixed(parts, units)
    room = parts.noted.shape[0] - tape.keys.shape[0] - 1
    option = first
    while option < last and parts.state[COUNT] <= room:
        source = menu.kinds[option, SOURCE]
        if source in (CSV_ROW, TABLE_ROW):
            own[option] = _note_row(tape, menu, scratch, atoms, option, parts, units)
        elif source != TEXT:
            entry = menu.classes[menu.options[option, OWNER], ENTRY]
            name = tape.nodes[entry, NAME]
            if source == DOCUMENT:
                mine = _note_part(parts, slot_of(atoms, parts, entry, LINE))
                _note_json(tape, atoms, entry, 0, NOTHING, parts.noted[mine], units)
            elif source == MEMBER and name >= 0:
                _note_title(tape, scratch, name, parts, units)
            # Looked up here, for a call that takes so many arrays takes longer.
            if parts.tokens[slot_of(atoms, parts, entry, LINE)] == _UNKNOWN:
                _note(tape, scratch, atoms, entry, LINE, parts, units)
        option += 1
    return option


@leaf
def forget_noted(parts: Parts) -> None:
    """Take back what was noted and could not be counted."""
    for i in range(parts.state[COUNT]):
        parts.tokens[parts.noted[i, SLOT]] = _UNKNOWN
    parts.state[COUNT] = 0
