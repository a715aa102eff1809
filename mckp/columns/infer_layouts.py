"""Layouts beside the plain table: the twin is `mckp.encoders.layouts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.infer import (
    ANYWAY,
    NUMBERS,
    RARE,
    TEXT,
    columns_of,
    items_of,
    new_shape,
    row_objects,
)
from mckp.columns.infer_members import by_key, no_places, objects_of, values_of, wide
from mckp.columns.infer_text import append
from mckp.columns.shapes import BELOW, FLAGS, KEY, OPTIONAL, RECORD, TAGGED
from mckp.columns.tape import AFTER, ARRAY, BEGIN, KIND, LENGTH, NAME, OBJECT, SAME, STOP, STRING
from mckp.columns.words import is_word
from mckp.encoders.layouts import MOST_TAGS
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.infer_members import Members
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Small, Tape

_MIX: Final = 1000003


@njit
def tagged_shape(tape: Tape, values: Small, shapes: Shapes) -> int:
    """Return shapes for records that have too little in common for one, or -1."""
    objects = objects_of(tape.nodes, values.astype(np.int64), wide(1))
    if objects.size < values.size or objects.size < 4:
        return -1
    members = by_key(tape, objects, wide(-1))
    names_of = _names_of(members, objects.size)
    most = min(MOST_TAGS, objects.size // 2)
    tags, tag_of = _by_value(tape, objects, members, names_of, most)
    if tags.size == 0:
        tags, tag_of = _letters(names_of, most), names_of
    tagged = new_shape(shapes, wide(TAGGED), wide(-1)) if tags.size else wide(-1)
    for place in range(tags.size):
        rows = objects[tag_of == place]
        group = columns_of(tape, rows, wide(ANYWAY | TEXT), wide(0), wide(-1), shapes)
        if group < 0:
            break
        shapes.fields[group, KEY] = tags[place]
        append(shapes, tagged, group)
    if shapes.state[1] and tagged >= 0:
        shapes.state[0] = tagged
        return -1
    return tagged


@njit
def _by_value(
    tape: Tape, objects: Ints, members: Members, names_of: Ints, most: int
) -> tuple[Ints, Ints]:
    """Return the values of the member that tells names apart, and the place of each record's.

    There are none if no member does.
    """
    tags = np.empty(most, np.int64)
    tag_of = np.empty(objects.size, np.int64)
    # The first names are those of the first object.
    for place in range(tape.nodes[objects[0], LENGTH]):
        values = members.values[members.starts[place] : members.starts[place + 1]]
        if values.size < objects.size:
            continue
        if not _all_tags(tape.text, tape.nodes, tape.spans, values):
            continue
        count = _tell_apart(tape.nodes, values, names_of, tags, tag_of)
        if count > 1:
            return tags[:count], tag_of
    return tags[:0], tag_of


@leaf
def _all_tags(text: Bytes, nodes: Small, spans: Small, values: Ints) -> bool:
    for row in range(values.size):
        entry: int = values[row]
        if nodes[entry, KIND] != STRING:
            return False
        first, last = spans[entry, BEGIN], spans[entry, STOP]
        if first == last or 48 <= text[first] <= 57:
            return False
        for place in range(first, last):
            c = text[place]
            if not (c == 95 or 48 <= c <= 57 or 97 <= c | 32 <= 122):
                return False
        if not is_word(text, first, last):
            return False
    return True


@njit
def _tell_apart(nodes: Small, values: Ints, names_of: Ints, tags: Ints, tag_of: Ints) -> int:
    """Find the tag of each record and return how many tags there are, or 0.

    There are too many tags for the room, or records of one tag have different names.
    """
    names = np.empty_like(tags)
    count = 0
    for row in range(values.size):
        tag = 0
        while tag < count and nodes[tags[tag], SAME] != nodes[values[row], SAME]:
            tag += 1
        if tag == tags.size:
            return 0
        if tag == count:
            tags[tag], names[tag] = values[row], names_of[row]
            count += 1
        if names[tag] != names_of[row]:
            return 0
        tag_of[row] = tag
    return count


@njit
def _letters(names_of: Ints, most: int) -> Ints:
    """Return made-up tags for sets of names, none if they are too many, or one."""
    count = names_of.max() + 1
    return -1 - np.arange(count if 1 < count <= most else 0)


@njit
def _names_of(members: Members, rows: int) -> Ints:
    """Return, for each object, the place of its set of names among the different ones."""
    first = np.zeros(rows + 1, np.int64)
    for row in members.rows:
        first[row + 1] += 1
    for row in range(rows):
        first[row + 1] += first[row]
    names = np.empty(members.values.size, np.int64)
    ends = first[:-1].copy()
    for place in range(members.names.size):
        for i in range(members.starts[place], members.starts[place + 1]):
            row = members.rows[i]
            names[ends[row]] = place
            ends[row] += 1
    return _sets(names, first)


@njit
def _sets(names: Ints, first: Ints) -> Ints:
    """Return numbers of sets, in order of first appearance; equal ones have equal numbers."""
    rows = first.size - 1
    number = np.empty(rows, np.int64)
    example = np.empty(rows, np.int64)
    table = no_places(rows)
    count = 0
    for row in range(rows):
        mine = names[first[row] : first[row + 1]]
        h = 0
        for name in mine:
            h = (h * _MIX + name) & 0xFFFFFFFFFF
        slot = (h ^ h >> 20) & (table.size - 1)
        while table[slot] >= 0:
            other = example[table[slot]]
            if _equal(mine, names[first[other] : first[other + 1]]):
                break
            slot = (slot + 1) & (table.size - 1)
        if table[slot] < 0:
            table[slot] = count
            example[count] = row
            count += 1
        number[row] = table[slot]
    return number


@leaf
def _equal(left: Ints, right: Ints) -> bool:
    if left.size != right.size:
        return False
    for i in range(left.size):  # noqa: SIM110
        if left[i] != right[i]:
            return False
    return True


@njit
def below_shape(tape: Tape, values: Small, shapes: Shapes) -> int:
    """Return a shape for records with lines below them, which may be a tree, or -1."""
    objects = objects_of(tape.nodes, values.astype(np.int64), wide(1))
    if objects.size == 0 or objects.size < values.size:
        return -1
    members = by_key(tape, objects, wide(-1))
    key = _largest(tape.nodes, members)
    if key < 0:
        return -1
    mark = shapes.state[0]
    items = items_of(tape.nodes, values_of(members, key))
    is_tree = _has_lists(tape.nodes, items, key)
    child = wide(-1)
    if is_tree:
        objects = _nodes(tape.nodes, objects, key)
    else:
        rows = row_objects(tape.nodes, items)
        child = columns_of(tape, rows, wide(RARE | TEXT | NUMBERS), wide(0), wide(-1), shapes)
    group = wide(-1)
    if objects.size > 1 and (is_tree or child >= 0):
        group = columns_of(tape, objects, wide(RARE | TEXT), wide(0), key, shapes)
    if group >= 0:
        optional = values_of(by_key(tape, objects, wide(-1)), key).size < objects.size
        _add_below(shapes, group, key, child, optional)
    if group < 0 or shapes.state[1]:
        shapes.state[0] = mark
        return -1
    return group


@leaf
def _add_below(shapes: Shapes, group: int, key: int, record: int, optional: int) -> None:
    """Let a shape have rows below its own."""
    below = new_shape(shapes, wide(BELOW), key)
    if below >= 0:
        shapes.fields[below, RECORD] = record
        shapes.fields[below, FLAGS] = OPTIONAL * optional
        append(shapes, group, below)


@leaf
def _largest(nodes: Small, members: Members) -> int:
    """Return the name under which arrays of objects have most items, or -1."""
    best = most = first = -1
    for place in range(members.names.size):
        count, seen = 0, -1
        for i in range(members.starts[place], members.starts[place + 1]):
            entry = members.values[i]
            if _is_table(nodes, entry):
                count += nodes[entry, LENGTH]
                seen = entry if seen < 0 else seen
        if seen >= 0 and (count > most or (count == most and seen < first)):
            best, most, first = int(members.names[place]) + 0, count, seen
    return best


@leaf
def _is_table(nodes: Small, entry: int) -> bool:
    """Whether a value is an array of objects that is not empty."""
    item = entry + 1
    if nodes[entry, KIND] != ARRAY or item == nodes[entry, AFTER]:
        return False
    while item < nodes[entry, AFTER]:
        if nodes[item, KIND] != OBJECT:
            return False
        item = nodes[item, AFTER]
    return True


@leaf
def _has_lists(nodes: Small, items: Ints, key: int) -> bool:
    """Whether a member of an object among items is an array that is not empty."""
    for entry in items:
        child = entry + 1
        while nodes[entry, KIND] == OBJECT and child < nodes[entry, AFTER]:
            if nodes[child, NAME] == key and nodes[child, KIND] == ARRAY and nodes[child, LENGTH]:
                return True
            child = nodes[child, AFTER]
    return False


@njit
def _nodes(nodes: Small, objects: Ints, key: int) -> Ints:
    """Return the objects of a tree, in the order of the twin: the last first."""
    most = 0
    for entry in objects:
        most += nodes[entry, AFTER] - entry
    stack, found = np.empty(most, np.int64), np.empty(most, np.int64)
    stack[: objects.size] = objects
    top, n = objects.size, 0
    while top:
        top -= 1
        node = stack[top]
        found[n] = node
        n += 1
        child = node + 1
        while child < nodes[node, AFTER]:
            if nodes[child, NAME] == key and nodes[child, KIND] == ARRAY:
                item = child + 1
                while item < nodes[child, AFTER]:
                    if nodes[item, KIND] == OBJECT:
                        stack[top] = item
                        top += 1
                    item = nodes[item, AFTER]
            child = nodes[child, AFTER]
    return found[:n]
