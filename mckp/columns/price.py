"""Tokens of options whose texts follow from the tape: sums of those of their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.atoms import BEFORE, UPTO, Atoms
from mckp.columns.options import (
    CSV_ROW,
    DOCUMENT,
    ENTRY,
    ITEM,
    OWNER,
    PLACE,
    SOURCE,
    TABLE_ROW,
    TEXT,
)
from mckp.columns.parts import (
    CONTAINER,
    COUNT,
    FIXED,
    LAST_CELL,
    LINE,
    NONE,
    SLOT,
    TITLES,
    Parts,
    place_of,
    slot_of,
)
from mckp.columns.recipes import place_row
from mckp.columns.tape import NAME
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape


@leaf
def _settle(atoms: Atoms, parts: Parts, tokens: Small) -> None:
    """Set the tokens of what was noted."""
    for i in range(parts.state[COUNT]):
        line = parts.noted[i]
        found = tokens[line[0]]
        for k in range(1, 3):
            if line[k] != NONE:
                found += tokens[line[k]]
        if line[CONTAINER] != NONE:
            ends = atoms.ends[line[CONTAINER]]
            found += ends[UPTO] - ends[BEFORE]
        parts.tokens[line[SLOT]] = found
    parts.state[COUNT] = 0


@leaf
def _row_tokens(
    tape: Tape, menu: Menu, scratch: Scratch, atoms: Atoms, option: int, parts: Parts
) -> int:
    width = place_row(tape, menu, scratch, option)
    is_csv, fixed = menu.kinds[option, SOURCE] == CSV_ROW, parts.state[FIXED]
    found = parts.tokens[fixed if is_csv else fixed + 2]
    for i in range(width):
        entry, place = scratch.cells[i], place_of(i, width, is_csv)
        if entry < 0:
            found += parts.tokens[fixed + (5 if place == LAST_CELL else 4)]
        else:
            found += parts.tokens[slot_of(atoms, parts, entry, place)]
    return int(found)


@leaf
def _title_tokens(tape: Tape, menu: Menu, option: int, parts: Parts) -> int:
    """Return the tokens of what stands before the value of a member or an item."""
    if menu.kinds[option, SOURCE] == ITEM:
        return int(parts.tokens[parts.state[FIXED] + 1])
    owner = menu.options[option, OWNER]
    name = tape.nodes[menu.classes[owner, ENTRY], NAME]
    if name >= 0:
        return int(parts.tokens[parts.state[TITLES] + name])
    # One, two or three digits are a token in both vocabularies, and nothing else is.
    rest, groups = menu.classes[owner, PLACE] // 1000, 1
    while rest:
        rest, groups = rest // 1000, groups + 1
    return int(groups + parts.tokens[parts.state[FIXED] + 3])


@leaf
def add_up(
    tape: Tape,
    menu: Menu,
    scratch: Scratch,
    atoms: Atoms,
    parts: Parts,
    tokens: Small,
    own: Small,
    first: int,
    last: int,
) -> None:
    """Set the tokens of options whose texts follow from the tape, and were noted.

    Parameters
    ----------
    tokens : array of int32
        Tokens of each unit.
    own : array of int32
        What is set.
    first, last : int
        Which options.
    """
    _settle(atoms, parts, tokens)
    for option in range(first, last):
        source = menu.kinds[option, SOURCE]
        if source in (CSV_ROW, TABLE_ROW):
            if own[option] != NONE:
                own[option] = tokens[own[option]]
            else:
                own[option] = _row_tokens(tape, menu, scratch, atoms, option, parts)
        elif source != TEXT:
            entry = menu.classes[menu.options[option, OWNER], ENTRY]
            own[option] = parts.tokens[slot_of(atoms, parts, entry, LINE)]
            if source != DOCUMENT:
                own[option] += _title_tokens(tape, menu, option, parts)
