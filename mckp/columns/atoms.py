"""The tokens of the JSON of every container, from one walk over the document.

Compact JSON is read as *atoms*, contents of strings and numbers, between *clumps* of all else:
marks, literals, and words at the edges of strings that would merge with the marks. Counts add up
at every edge of an atom, so that sums over a document give those of each container in it but
for the clumps at its two ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
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
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape


@borrowed
class Atoms(NamedTuple):
    """What the tokens of containers follow from, and how far the walk over the document is.

    Atoms and clumps are noted some at a time, for all of them take more room than the tape.

    Attributes
    ----------
    number : array of int32
        For each entry the number of its value: containers and distinct scalars have one.
    ends : array of int32, shape (numbers, 4)
        For each container where its first atom begins, -1 if there is none, and where the last
        one ends; the tokens of all before the first atom, and of all up to the end of the last.
    known : array of int32, shape (numbers, 4)
        For each distinct scalar where its atom begins and stops behind its start, and its units.
    names : array of int32, shape (names, 4)
        Likewise.
    stack : array of int32
        The containers that the walk is in.
    units : array of int32, shape (at once, 3)
        The units of the clump before an atom, of its first word, and of the rest; -1 for none.
    owed : array of int32, shape (at once, 3)
        Ends to be set once the units are counted: the number, which end, and how many atoms
        stand before.
    state : array of int64, shape (6,)
        See below.
    """

    number: Small
    ends: Small
    known: Small
    names: Small
    stack: Small
    units: Small
    owed: Small
    state: Ints


# Fields of `Atoms.ends`.
BEGIN: Final = 0
STOP: Final = 1
BEFORE: Final = 2
UPTO: Final = 3

# Places in `Atoms.state`: the next entry, where the last atom ends, how many atoms are noted, how
# many containers the walk is in, how many of these have an atom, and how many ends are owed.
NEXT: Final = 0
_DONE: Final = 1
_COUNT: Final = 2
_DEPTH: Final = 3
_BEGUN: Final = 4
_OWED: Final = 5

AT_ONCE: Final = 1 << 16
"""Atoms that are noted before they are counted."""


def atoms_for(tape: Tape, at_once: int = AT_ONCE) -> Atoms:
    """Return room for the atoms of a document, of which none is noted."""
    number, last = np.empty(len(tape.nodes), np.int32), int(tape.nodes[0, AFTER])
    at_once = min(at_once, 2 * last + 4)
    count, names = numbered(tape.nodes, number), len(tape.keys)
    return Atoms(
        number,
        np.empty((count, 4), np.int32),
        np.empty((count, 4), np.int32),
        np.empty((names, 4), np.int32),
        np.empty(last, np.int32),
        np.empty((at_once, 3), np.int32),
        np.empty((4 * at_once, 3), np.int32),
        np.zeros(6, np.int64),
    )


@leaf
def numbered(nodes: Small, number: Small) -> int:
    """Number the values; return how many numbers there are."""
    count = 0
    for entry in range(number.size):
        first = nodes[entry, SAME]
        if nodes[entry, KIND] > ARRAY and first != entry:
            number[entry] = number[first]
        else:
            number[entry] = count
            count += 1
    return count


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


@leaf
def note_names(tape: Tape, atoms: Atoms, units: Units) -> None:
    """Note the atoms of the names of members."""
    for name in range(tape.keys.shape[0]):
        start, end = tape.keys[name, KEY_START] + 1, tape.keys[name, KEY_END] - 1
        _known_edges(tape.text, start, end, atoms.names, name, units)


@leaf
def walk(tape: Tape, atoms: Atoms, units: Units) -> None:
    """Note the next atoms, as many as there is room for, and their units."""
    state, number = atoms.state, atoms.number
    state[_COUNT] = state[_OWED] = 0
    entry, last = state[NEXT], tape.nodes[0, AFTER]
    while (
        entry < last
        and state[_COUNT] + 2 <= atoms.units.shape[0]
        and state[_OWED] + 2 * state[_DEPTH] + 4 <= atoms.owed.shape[0]
    ):
        name, kind = tape.nodes[entry, NAME], tape.nodes[entry, KIND]
        start, end = tape.spans[entry, START], tape.spans[entry, END]
        mine = int(number[entry])
        if name >= 0:
            # A colon stands between, and two quotation marks around the name.
            size = tape.keys[name, KEY_END] - tape.keys[name, KEY_START]
            _add(tape.text, start - size, atoms.names[name], atoms, units)
        if kind <= ARRAY:
            atoms.stack[state[_DEPTH]] = entry
            state[_DEPTH] += 1
            atoms.ends[mine, BEGIN] = -1
        elif kind == STRING:
            if tape.nodes[entry, SAME] == entry:
                _known_edges(tape.text, start + 1, end - 1, atoms.known, mine, units)
            _add(tape.text, start + 1, atoms.known[mine], atoms, units)
        elif kind == NUMBER:
            if tape.nodes[entry, SAME] == entry:
                sign = 0 if is_digit(int(tape.text[start])) else 1
                line = atoms.known[mine]
                line[0], line[1], line[2] = sign, end - start, -1
                line[3] = unit_of(units, tape.text, start + sign, end)
            _add(tape.text, start, atoms.known[mine], atoms, units)
        entry += 1
        _close(tape, atoms, entry)
    state[NEXT] = entry


@leaf
def _add(text: Bytes, start: int, edges: Small, atoms: Atoms, units: Units) -> None:
    """Note an atom, unless it is empty; those around it that had none begin with it."""
    if edges[1] <= edges[0]:
        return
    state = atoms.state
    begin, count = start + edges[0], state[_COUNT]
    row = atoms.units[count]
    row[0], row[1], row[2] = unit_of(units, text, state[_DONE], begin), edges[2], edges[3]
    for place in range(state[_BEGUN], state[_DEPTH]):
        mine = int(atoms.number[atoms.stack[place]])
        atoms.ends[mine, BEGIN] = begin
        _owe(atoms, mine, BEFORE)
    state[_BEGUN] = state[_DEPTH]
    state[_COUNT], state[_DONE] = count + 1, start + edges[1]


@leaf
def _owe(atoms: Atoms, mine: int, which: int) -> None:
    line = atoms.owed[atoms.state[_OWED]]
    line[0], line[1], line[2] = mine, which, atoms.state[_COUNT]
    atoms.state[_OWED] += 1


@leaf
def _close(tape: Tape, atoms: Atoms, entry: int) -> None:
    """Leave the containers that end before an entry."""
    state = atoms.state
    while state[_DEPTH] and tape.nodes[atoms.stack[state[_DEPTH] - 1], AFTER] <= entry:
        state[_DEPTH] -= 1
        state[_BEGUN] = min(state[_BEGUN], state[_DEPTH])
        mine = int(atoms.number[atoms.stack[state[_DEPTH]]])
        atoms.ends[mine, STOP] = state[_DONE]
        _owe(atoms, mine, UPTO)


@leaf
def settle(atoms: Atoms, tokens: Small, total: int) -> int:
    """Set the ends that are owed, where units were counted.

    Parameters
    ----------
    tokens : array of int32
        Tokens of each unit.
    total : int
        Tokens of all atoms and clumps before those noted.

    Returns
    -------
    int
        The same with those noted.
    """
    i = 0
    for k in range(atoms.state[_OWED]):
        line = atoms.owed[k]
        while i < line[2]:
            total += _all(atoms.units[i], tokens)
            i += 1
        clump = tokens[atoms.units[i, 0]] if line[1] == BEFORE else 0
        atoms.ends[line[0], line[1]] = total + clump
    while i < atoms.state[_COUNT]:
        total += _all(atoms.units[i], tokens)
        i += 1
    return total


@leaf
def _all(units: Small, tokens: Small) -> int:
    total = int(tokens[units[0]])
    for k in range(1, 3):
        if units[k] >= 0:
            total += tokens[units[k]]
    return int(total)


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
    ends = atoms.ends[atoms.number[entry]]
    n = units.state[1]
    if before:
        n = put_byte(units.text, n, before)
    # A quotation mark alone before a letter merges with it.
    if tape.nodes[entry, KIND] > ARRAY or ends[BEGIN] < 0:
        n = put(units.text, n, tape.text, start, end)
        return close_unit(units, put_after(after, units.text, n)), -1
    n = put(units.text, n, tape.text, start, ends[BEGIN])
    left = close_unit(units, n)
    n = put(units.text, units.state[1], tape.text, ends[STOP], end)
    return left, close_unit(units, put_after(after, units.text, n))
