"""Tokens of every option: units that are counted once, and sums of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns.atoms import Atoms, json_tokens, json_units
from mckp.columns.buffer import put, put_byte
from mckp.columns.lines import put_csv_row, shown
from mckp.columns.options import (
    CSV_ROW,
    DOCUMENT,
    ENTRY,
    ITEM,
    MEMBER,
    OWNER,
    PLACE,
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
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes
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

_UNKNOWN: Final = -2
_NONE: Final = -1
_UNFIT: Final = -3
"""In place of a unit: a cell that merges with the comma behind it."""


class Parts(NamedTuple):
    """Which units the options of a menu are made of.

    Attributes
    ----------
    values : array of int32, shape (places, numbers, 3)
        Units of each value in each place it may stand in: those at its ends and the one
        between; -1 for none, -2 for values that never stand there. For a container those at
        the ends of its JSON. Without tables there is no place but a line.
    titles : array of int32
        For each name the unit of it and a colon; -2 for names of no line.
    own : array of int32
        For each option a unit of its own: what stands before its value, or all of it; else -1.
    fixed : array of int32, shape (6,)
        Units of a line feed, a hyphen, a border, a colon, an absent cell, and one at the end of
        a row.
    """

    values: NDArray[np.int32]
    titles: Small
    own: Small
    fixed: Small


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
    line[0] = line[1] = line[2] = _NONE
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
    line[1] = line[2] = _NONE


@leaf
def _note(
    tape: Tape, scratch: Scratch, atoms: Atoms, entry: int, place: int, parts: Parts, units: Units
) -> None:
    """Note the units of a value in a place."""
    is_container = tape.nodes[entry, KIND] <= ARRAY
    line = parts.values[place, atoms.number[entry]]
    if line[0] != _UNKNOWN:
        return
    start, end = shown(tape, scratch.texts, entry, place == LINE)
    if place >= COMMA:
        plain = end > start and is_alnum(tape.text[end - 1])
        slash = place == RECORD and plain and tape.text[start] in (47, 62)
        if not plain or slash or _has_any(tape.text, start, end, 44, 34):
            line[0] = _UNFIT
            return
    if place in (CELL, LAST_CELL) and _has_any(tape.text, start, end, 124, 124):
        _note_piped(tape.text, start, end, place, line, units)
    elif is_container:
        line[0], line[2] = json_units(tape, atoms, entry, 32, _after(place), units)
        line[1] = _NONE
    elif tape.nodes[entry, KIND] == NUMBER and place != RECORD and tape.text[start] == 45:
        line[0] = unit_after(units, 44 if place == COMMA else 32, tape.text, start, start + 1)
        line[1] = unit_of(units, tape.text, start + 1, end)
        line[2] = _NONE
        if place < COMMA:
            line[2] = close_unit(units, put_after(_after(place), units.text, units.state[1]))
    else:
        _note_scalar(tape.text, start, end, place, line, units)


@leaf
def _place(column: int, width: int, is_csv: bool) -> int:
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
) -> None:
    """Note the units of a row of a table."""
    width = place_row(tape, menu, scratch, option)
    is_csv = menu.kinds[option, SOURCE] == CSV_ROW
    fits = True
    for i in range(width):
        entry = scratch.cells[i]
        place = _place(i, width, is_csv)
        if entry < 0:
            fits = fits and not is_csv
            continue
        first = atoms.number[entry]
        if parts.values[place, first, 0] == _UNKNOWN:
            _note(tape, scratch, atoms, entry, place, parts, units)
        fits = fits and parts.values[place, first, 0] != _UNFIT
    if not fits:
        n = put_csv_row(tape, scratch.texts, scratch.cells, width, units.text, units.state[1])
        parts.own[option] = close_unit(units, n)


@leaf
def _note_title(tape: Tape, scratch: Scratch, name: int, units: Units) -> int:
    """Return the unit of the name of a member and a colon."""
    start, end = scratch.texts.names[name, 0], scratch.texts.names[name, 1]
    n = put(units.text, units.state[1], tape.text, start, end)
    return close_unit(units, put_byte(units.text, n, 58))


@leaf
def _note_fixed(fixed: Small, units: Units) -> None:
    fixed[0] = close_unit(units, put_after(FEED, units.text, units.state[1]))
    for i, byte in enumerate((45, 124, 58)):
        fixed[i + 1] = close_unit(units, put_byte(units.text, units.state[1], byte))
    for i, after in enumerate((BORDER, LAST_BORDER)):
        n = put_byte(units.text, units.state[1], 32)
        fixed[i + 4] = close_unit(units, put_after(after, units.text, n))


@njit
def parts_of(tape: Tape, menu: Menu, scratch: Scratch, atoms: Atoms, units: Units) -> Parts:
    """Return the units of all options of a menu whose texts follow from the tape."""
    places = 1
    for option in range(menu.kinds.shape[0]):
        if menu.kinds[option, SOURCE] >= CSV_ROW:
            places = _PLACES
            break
    parts = Parts(
        np.full((places, atoms.ends.shape[0], 3), _UNKNOWN, np.int32),
        np.full(tape.keys.shape[0], _UNKNOWN, np.int32),
        np.full(menu.options.shape[0], _NONE, np.int32),
        np.empty(6, np.int32),
    )
    _note_all(tape, menu, scratch, atoms, parts, units)
    return parts


@leaf
def _note_all(
    tape: Tape, menu: Menu, scratch: Scratch, atoms: Atoms, parts: Parts, units: Units
) -> None:
    _note_fixed(parts.fixed, units)
    for option in range(menu.options.shape[0]):
        source = menu.kinds[option, SOURCE]
        if source == TEXT:
            continue
        entry = menu.classes[menu.options[option, OWNER], ENTRY]
        if source == DOCUMENT:
            left, right = json_units(tape, atoms, entry, 0, NOTHING, units)
            line = parts.values[LINE, atoms.number[entry]]
            line[0], line[2] = left, right
        elif source in (CSV_ROW, TABLE_ROW):
            _note_row(tape, menu, scratch, atoms, option, parts, units)
        else:
            name = tape.nodes[entry, NAME]
            if source == MEMBER and name >= 0:
                if parts.titles[name] == _UNKNOWN:
                    parts.titles[name] = _note_title(tape, scratch, name, units)
                parts.own[option] = parts.titles[name]
            # Looked up here, for a call that takes so many arrays takes longer.
            if parts.values[LINE, atoms.number[entry], 0] == _UNKNOWN:
                _note(tape, scratch, atoms, entry, LINE, parts, units)


@leaf
def _value_tokens(
    tape: Tape, atoms: Atoms, tokens: Small, entry: int, place: int, parts: Parts
) -> int:
    line = parts.values[place, atoms.number[entry]]
    if tape.nodes[entry, KIND] <= ARRAY:
        return json_tokens(atoms, tokens, entry, line[0], line[2])
    found = tokens[line[0]]
    if line[1] >= 0:
        found += tokens[line[1]]
    return int(found + (tokens[line[2]] if line[2] >= 0 else 0))


@leaf
def _row_tokens(
    tape: Tape,
    menu: Menu,
    scratch: Scratch,
    atoms: Atoms,
    tokens: Small,
    option: int,
    parts: Parts,
) -> int:
    is_csv = menu.kinds[option, SOURCE] == CSV_ROW
    if parts.own[option] >= 0:
        return int(tokens[parts.own[option]])
    width = place_row(tape, menu, scratch, option)
    found = tokens[parts.fixed[0 if is_csv else 2]]
    for i in range(width):
        entry, place = scratch.cells[i], _place(i, width, is_csv)
        if entry < 0:
            found += tokens[parts.fixed[5 if place == LAST_CELL else 4]]
        else:
            found += _value_tokens(tape, atoms, tokens, entry, place, parts)
    return int(found)


@leaf
def _title_tokens(menu: Menu, tokens: Small, option: int, parts: Parts) -> int:
    if menu.kinds[option, SOURCE] == ITEM:
        return int(tokens[parts.fixed[1]])
    if parts.own[option] >= 0:
        return int(tokens[parts.own[option]])
    # One, two or three digits are a token in both vocabularies, and nothing else is.
    rest, groups = menu.classes[menu.options[option, OWNER], PLACE] // 1000, 1
    while rest:
        rest, groups = rest // 1000, groups + 1
    return int(groups + tokens[parts.fixed[3]])


@leaf
def add_up(
    tape: Tape,
    menu: Menu,
    scratch: Scratch,
    atoms: Atoms,
    parts: Parts,
    tokens: Small,
    own: Small,
) -> None:
    """Set the tokens of options whose texts follow from the tape.

    Parameters
    ----------
    tokens : array of int32
        Tokens of each unit.
    own : array of int32
        What is set.
    """
    for option in range(menu.options.shape[0]):
        source = menu.kinds[option, SOURCE]
        if source == TEXT:
            continue
        entry = menu.classes[menu.options[option, OWNER], ENTRY]
        if source == DOCUMENT:
            line = parts.values[LINE, atoms.number[entry]]
            own[option] = json_tokens(atoms, tokens, entry, line[0], line[2])
        elif source in (CSV_ROW, TABLE_ROW):
            own[option] = _row_tokens(tape, menu, scratch, atoms, tokens, option, parts)
        else:
            own[option] = _title_tokens(menu, tokens, option, parts) + _value_tokens(
                tape, atoms, tokens, entry, LINE, parts
            )
