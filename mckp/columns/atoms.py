"""The tokens of the JSON of every container, from one walk over the document.

Compact JSON is read as *atoms*, contents of strings and numbers, between *clumps* of all else:
marks, literals, and words at the edges of strings that would merge with the marks. Counts add up
at every edge of an atom, so that sums over a document give those of each container in it but
for the clumps at its two ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mckp.columns.buffer import put, put_byte
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    END,
    KEY_END,
    KEY_START,
    KIND,
    NAME,
    NUMBER,
    SAME,
    START,
    STRING,
)
from mckp.columns.units import (
    Units,
    close_unit,
    first_joint,
    is_alnum,
    is_digit,
    last_joint,
    put_after,
    unit_of,
)
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape


class Atoms(NamedTuple):
    """The atoms of a document in order, and which of them each container holds.

    Attributes
    ----------
    places : array of int32, shape (atoms, 2)
        Where each one begins and ends in the JSON of the document.
    units : array of int32, shape (atoms, 3)
        The units of the clump before it, of its first word, and of the rest; -1 for none.
    first, behind : arrays of int32
        For each entry the first atom of its JSON, and the first one behind it.
    """

    places: Small
    units: Small
    first: Small
    behind: Small


@leaf
def _edges(text: Bytes, start: int, end: int) -> tuple[int, int, int]:
    """Return where the atom of a string begins, its first word ends, and it ends itself.

    `start` and `end` are those of its JSON without quotation marks. An atom is empty where
    nothing of the string can be counted apart.
    """
    if start == end:
        return start, start, start
    joint = first_joint(text, start, end)
    begin = start if is_alnum(text[start]) else joint
    stop = end if is_alnum(text[end - 1]) else last_joint(text, start, end)
    if stop <= begin:
        return start, start, start
    return begin, min(max(joint, begin), stop), stop


@leaf
def _known_edges(text: Bytes, start: int, end: int, known: Small, row: int, units: Units) -> None:
    """Note where the atom of a string is, as distances from its start, and its units."""
    begin, joint, stop = _edges(text, start, end)
    line = known[row]
    line[0], line[1], line[2] = begin - start, stop - start, -1
    line[3] = -1
    if stop > begin:
        if joint > begin:
            line[2] = unit_of(units, text, begin, joint)
        if stop > joint:
            line[3] = unit_of(units, text, joint, stop)


@njit
def find_atoms(tape: Tape, units: Units) -> Atoms:
    """Return the atoms of a document, whose units are added to those that there are."""
    last = tape.nodes[0, AFTER]
    most = last + tape.nodes.shape[0] + 1
    atoms = Atoms(
        np.empty((most, 2), np.int32),
        np.empty((most, 3), np.int32),
        np.empty(tape.nodes.shape[0], np.int32),
        np.empty(tape.nodes.shape[0], np.int32),
    )
    values = np.empty((last, 4), np.int32)
    names = np.empty((tape.keys.shape[0], 4), np.int32)
    for name in range(tape.keys.shape[0]):
        start, end = tape.keys[name, KEY_START] + 1, tape.keys[name, KEY_END] - 1
        _known_edges(tape.text, start, end, names, name, units)
    count = _walk(tape, last, values, names, atoms, units)
    return Atoms(atoms.places[:count], atoms.units[:count], atoms.first, atoms.behind)


@leaf
def _walk(tape: Tape, last: int, values: Small, names: Small, atoms: Atoms, units: Units) -> int:
    count, done = 0, 0
    for entry in range(last):
        name, kind = tape.nodes[entry, NAME], tape.nodes[entry, KIND]
        start, end = tape.spans[entry, START], tape.spans[entry, END]
        if name >= 0:
            # A colon stands between, and two quotation marks around the name.
            size = tape.keys[name, KEY_END] - tape.keys[name, KEY_START]
            count, done = _add(tape.text, start - size, names[name], atoms, count, done, units)
        atoms.first[entry] = count
        if kind == STRING:
            first = tape.nodes[entry, SAME]
            if first == entry:
                _known_edges(tape.text, start + 1, end - 1, values, entry, units)
            count, done = _add(tape.text, start + 1, values[first], atoms, count, done, units)
        elif kind == NUMBER:
            first = tape.nodes[entry, SAME]
            mark: Any = tape.text[start]
            sign = 0 if is_digit(mark) else 1
            if first == entry:
                line = values[entry]
                line[0], line[1], line[2] = sign, end - start, -1
                line[3] = unit_of(units, tape.text, start + sign, end)
            count, done = _add(tape.text, start, values[first], atoms, count, done, units)
        if kind > ARRAY:
            atoms.behind[entry] = count
    _close(tape, last, atoms)
    return count


@leaf
def _add(
    text: Bytes, start: int, edges: Small, atoms: Atoms, count: int, done: int, units: Units
) -> tuple[int, int]:
    """Add an atom, unless it is empty; `done` is where the one before ends."""
    if edges[1] <= edges[0]:
        return count, done
    begin = start + edges[0]
    atoms.places[count, 0], atoms.places[count, 1] = begin, start + edges[1]
    row = atoms.units[count]
    row[0], row[1], row[2] = unit_of(units, text, done, begin), edges[2], edges[3]
    return count + 1, start + edges[1]


@leaf
def _close(tape: Tape, last: int, atoms: Atoms) -> None:
    """Note for each container which atoms are behind it."""
    for entry in range(last - 1, -1, -1):
        if tape.nodes[entry, KIND] > ARRAY:
            continue
        behind, child = atoms.first[entry], entry + 1
        while child < tape.nodes[entry, AFTER]:
            behind = atoms.behind[child]
            child = tape.nodes[child, AFTER]
        atoms.behind[entry] = behind


@njit
def sums(atoms: Atoms, tokens: Ints) -> Ints:
    """Return the tokens of all atoms up to each one, and of the clumps before them.

    Parameters
    ----------
    atoms : Atoms
        The atoms.
    tokens : array of int64
        Tokens of each unit.
    """
    found = np.empty(atoms.places.shape[0], np.int64)
    total = 0
    for i in range(found.size):
        for k in range(3):
            if atoms.units[i, k] >= 0:
                total += tokens[atoms.units[i, k]]
        found[i] = total
    return found


@leaf
def json_units(
    tape: Tape, atoms: Atoms, entry: int, before: int, after: int, units: Units
) -> tuple[int, int]:
    """Return the units at both ends of the JSON of a value, within other text.

    Parameters
    ----------
    before : int
        The byte before it; 0 if there is none.
    after : int
        What stands behind it, as for `mckp.columns.units.put_after`.

    Returns
    -------
    int, int
        The second is -1 if the first one is all of it.
    """
    start, end = tape.spans[entry, START], tape.spans[entry, END]
    first, behind = atoms.first[entry], atoms.behind[entry]
    n = units.state[1]
    if before:
        n = put_byte(units.text, n, before)
    # A quotation mark alone before a letter merges with it.
    if first == behind or tape.nodes[entry, KIND] > ARRAY:
        n = put(units.text, n, tape.text, start, end)
        return close_unit(units, put_after(after, units.text, n)), -1
    n = put(units.text, n, tape.text, start, atoms.places[first, 0])
    left = close_unit(units, n)
    n = put(units.text, units.state[1], tape.text, atoms.places[behind - 1, 1], end)
    return left, close_unit(units, put_after(after, units.text, n))


@leaf
def json_tokens(atoms: Atoms, total: Ints, tokens: Ints, entry: int, left: int, right: int) -> int:
    """Return the tokens of the JSON of a value from the units at both its ends."""
    found = tokens[left]
    if right < 0:
        return int(found)
    first, last = atoms.first[entry], atoms.behind[entry] - 1
    clump = atoms.units[first, 0]
    found += tokens[right] + total[last] - tokens[clump]
    return int(found - (total[first - 1] if first else 0))
