"""The members of many objects side by side, and those of one object by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns.tape import AFTER, KIND, LENGTH, NAME, OBJECT
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Ints
    from mckp.columns.tape import Small, Tape

FEW: Final = 24
"""Members of an object among which a name is looked for one by one."""

_MIX: Final = 2654435761


class Members(NamedTuple):
    """The values of each name that objects have, names in order of first appearance.

    Attributes
    ----------
    names : array of int32
        The numbers of the names.
    starts : array of int64
        Where the values of each name begin in the arrays below, and where the last end.
    values : array of int64
        The entries, those of one name in the order of the objects.
    rows : array of int64
        The place of the object that has each value.
    places : array of int32
        A hash table of places in `names`; -1 where there is none.
    """

    names: Small
    starts: Ints
    values: Ints
    rows: Ints
    places: Small


@leaf
def wide(number: int) -> int:
    """Return a number as a variable of 64 bits.

    Numba compiles a function for each type that it is called with, and has types for 32 bits
    and for every single constant.
    """
    return int(number) + 0


@leaf
def _slot(places: Small, names: Small, key: int) -> int:
    """Return where the place of a name is in a hash table, or would be."""
    mask = places.size - 1
    slot = ((int(key) * _MIX) >> 15) & mask
    while places[slot] >= 0 and names[places[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@leaf
def _entry_slot(index: Small, nodes: Small, key: int) -> int:
    """Return where the member of a name stands in an index of members, or would stand."""
    mask = index.size - 1
    slot = ((int(key) * _MIX) >> 15) & mask
    while index[slot] >= 0 and nodes[index[slot], NAME] != key:
        slot = (slot + 1) & mask
    return slot


@njit
def by_key(tape: Tape, objects: Ints, without: int) -> Members:
    """Return the members of objects by their names, but for those of one name."""
    nodes = tape.nodes
    most = 0
    for entry in objects:
        most += tape.nodes[entry, LENGTH]
    place_of = np.empty(most, np.int64)
    values, rows = np.empty_like(place_of), np.empty_like(place_of)
    names = np.empty(min(most, tape.keys.shape[0]), np.int32)
    places = no_places(names.size)
    count = n = 0
    for row in range(objects.size):
        place = 0
        child: int = objects[row] + 1
        end = nodes[objects[row], AFTER]
        while child < end:
            key: int = nodes[child, NAME]
            if key != without:
                # Members mostly stand in the order of those of the object before.
                if place >= count or names[place] != key:
                    slot = _slot(places, names, key)
                    if places[slot] < 0:
                        places[slot] = count
                        names[count] = key
                        count += 1
                    place = int(places[slot]) + 0
                place_of[n], values[n], rows[n] = place, child, row
                place += 1
                n += 1
            child = nodes[child, AFTER]
    return _sorted(names[:count], places, place_of[:n], values[:n], rows[:n])


@njit
def no_places(count: int) -> Small:
    """Return an empty hash table for so many places."""
    size = 4
    while size < 2 * count:
        size *= 2
    return np.full(size, -1, np.int32)


@njit
def _sorted(names: Small, places: Small, place_of: Ints, values: Ints, rows: Ints) -> Members:
    """Return members, which are in the order of the objects, in that of their names."""
    starts = np.zeros(names.size + 1, np.int64)
    for place in place_of:
        starts[place + 1] += 1
    for place in range(names.size):
        starts[place + 1] += starts[place]
    ends = starts[:-1].copy()
    values_sorted, rows_sorted = np.empty_like(values), np.empty_like(rows)
    for i in range(values.size):
        to = ends[place_of[i]]
        values_sorted[to], rows_sorted[to] = values[i], rows[i]
        ends[place_of[i]] = to + 1
    return Members(names, starts, values_sorted, rows_sorted, places)


@njit
def values_of(members: Members, key: int) -> Ints:
    """Return the values of a name, none if no object has it."""
    place = members.places[_slot(members.places, members.names, key)]
    if place < 0:
        return members.values[:0]
    return members.values[members.starts[place] : members.starts[place + 1]]


@njit
def objects_of(nodes: Small, values: Ints, fewest: int) -> Ints:
    """Return the objects among values that have so many members."""
    found = np.empty_like(values)
    n = 0
    for entry in values:
        if nodes[entry, KIND] == OBJECT and nodes[entry, LENGTH] >= fewest:
            found[n] = entry
            n += 1
    return found[:n]


@njit
def index_of(tape: Tape, entry: int) -> Small:
    """Return a hash table of the members of an object, which is empty if they are few."""
    return index_in(tape.nodes, entry, tape.nodes[entry, LENGTH])


@njit
def index_in(nodes: Small, entry: int, size: int) -> Small:
    """Return the same, given the nodes of a tape: a whole tape takes time to hand over."""
    if size <= FEW:
        return nodes[:0, NAME]
    index = no_places(size)
    child = entry + 1
    while child < nodes[entry, AFTER]:
        index[_entry_slot(index, nodes, nodes[child, NAME])] = child
        child = nodes[child, AFTER]
    return index


@leaf
def member(tape: Tape, entry: int, key: int, hint: int, index: Small) -> int:
    """Return the member of an object that has a name, or -1.

    Parameters
    ----------
    tape : Tape
        The document.
    entry : int
        The object.
    key : int
        The number of the name.
    hint : int
        The member that is expected to have it, or the end of the object; behind the one found
        before is a good place.
    index : array of int32
        What `index_of` returns for the object.
    """
    return member_in(tape.nodes, entry, key, hint, index)


@leaf
def member_in(nodes: Small, entry: int, key: int, hint: int, index: Small) -> int:
    """Return the same, given the nodes of a tape."""
    end = nodes[entry, AFTER]
    if hint < end and nodes[hint, NAME] == key:
        return hint
    if index.size:
        return int(index[_entry_slot(index, nodes, key)]) + 0
    child = hint
    while child < end:
        if nodes[child, NAME] == key:
            return child
        child = nodes[child, AFTER]
    child = entry + 1
    while child < hint:
        if nodes[child, NAME] == key:
            return child
        child = nodes[child, AFTER]
    return -1
