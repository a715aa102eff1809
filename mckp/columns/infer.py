"""From records to the shape that writes them best: the twin is `mckp.encoders.infer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.infer_fit import fits_plainly, in_order
from mckp.columns.infer_members import by_key, objects_of, values_of, wide
from mckp.columns.infer_text import unlink, with_text
from mckp.columns.shapes import (
    CONSTANT,
    COUNT,
    FIRST,
    FLAGS,
    GROUP,
    ITEMS,
    KEY,
    LED,
    MORE,
    NEXT,
    OPTIONAL,
    PLAIN,
    RECORD,
    TYPE,
    WIDTH,
    WORD,
)
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    END,
    KEY_BEGIN,
    KEY_STOP,
    KIND,
    LENGTH,
    NUMBER,
    SAME,
    START,
    STRING,
)
from mckp.columns.words import is_word
from mckp.encoders.infer import DEEPEST, NAME_LENGTH
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.infer_members import Members
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Small, Tape

RARE: Final = 1
"""Flags of `columns_of`: rare members may go without a column."""
ANYWAY: Final = 2
"""Columns are wanted even if they save nothing."""
USUAL: Final = 4
"""Objects with odd names do not count."""
TEXT: Final = 8
"""Free text needs no quotation marks."""
INLINE: Final = 16
"""The rows, which have such text, stand within a line."""
NUMBERS: Final = 32
"""The first column is one of digits, if there is one."""
ORDERED: Final = 64
"""Members must be read back in their order."""


@njit
def record_shape(
    tape: Tape, values: Small, inline: bool, ordered: bool, depth: int, shapes: Shapes
) -> int:
    """Return the shape of an array's items as rows of a table, or -1 if none pays.

    It is compiled anew for each constant that it is called with.

    Parameters
    ----------
    tape : Tape
        The document.
    values : array of int32
        The items.
    inline : bool
        Whether the rows stand within a line, rather than on lines of their own.
    ordered : bool
        Whether members must be read back in their order.
    depth : int
        In how many columns of other tables the table stands.
    shapes : Shapes
        Where the shape is put.
    """
    entries = values.astype(np.int64)
    if values.size >= 2 and _count_arrays(tape.nodes, entries) == values.size:
        return new_shape(shapes, wide(PLAIN), wide(-1))
    objects = row_objects(tape.nodes, entries)
    style = RARE | TEXT | (INLINE if inline else 0) | (ORDERED if ordered else NUMBERS)
    return columns_of(tape, objects, wide(style), wide(depth), wide(-1), shapes)


@leaf
def _count_arrays(nodes: Small, values: Ints) -> int:
    count = 0
    for entry in values:
        count += nodes[entry, KIND] == ARRAY
    return count


@njit
def row_objects(nodes: Small, values: Ints) -> Ints:
    """Return the objects that are not empty, none at all if they are too few among values."""
    objects = objects_of(nodes, values, wide(1))
    pays = objects.size >= 2 and 2 * objects.size >= values.size
    return objects if pays else objects[:0]


@leaf
def new_shape(shapes: Shapes, kind: int, key: int) -> int:
    """Put a shape into the arena and return it, or -1 if there is no room."""
    place = wide(shapes.state[0])
    if place == shapes.fields.shape[0]:
        shapes.state[1] = 1
        return -1
    for field in range(WIDTH):
        shapes.fields[place, field] = -1
    shapes.fields[place, TYPE] = kind
    shapes.fields[place, KEY] = key
    shapes.fields[place, FLAGS] = 0
    shapes.fields[place, COUNT] = 0
    shapes.state[0] = place + 1
    return place


@njit
def columns_of(
    tape: Tape, objects: Ints, style: int, depth: int, without: int, shapes: Shapes
) -> int:
    """Return the columns of objects as a group, or -1 if they save nothing.

    Parameters
    ----------
    tape : Tape
        The document.
    objects : array of int64
        The objects.
    style : int
        Sum of the flags above.
    depth : int
        In how many columns of other tables the objects stand.
    without : int
        The number of a name that is passed over, or -1.
    shapes : Shapes
        Where the group is put, in front of all that is below it.
    """
    if objects.size == 0:
        return -1
    members = by_key(tape, objects, without)
    if style & USUAL:
        usual = _usual(tape, objects, members)
        if usual.size < objects.size:
            objects, members = usual, by_key(tape, usual, without)
    total = objects.size
    kept = _kept(tape, members, total, style)
    group = new_shape(shapes, wide(GROUP), wide(-1)) if kept.size else wide(-1)
    if group < 0:
        return -1
    if kept.size < members.names.size:
        shapes.fields[group, FLAGS] |= MORE
    before = wide(-1)
    for place in kept:
        values = members.values[members.starts[place] : members.starts[place + 1]]
        kind, inner = _plan(tape.nodes, values, total, depth)
        column = record = wide(-1)
        if kind == CONSTANT:
            record = values[0]
        elif inner.size:
            below = USUAL if kind == GROUP else RARE | TEXT | INLINE | NUMBERS
            record = columns_of(tape, inner, wide(below), depth + 1, wide(-1), shapes)
        if record < 0:
            kind = WORD
        elif kind == GROUP:
            column = record
            if inner.size < total or not _all_fit(tape, inner, column, shapes):
                shapes.fields[column, FLAGS] |= OPTIONAL
        if column < 0:
            column = new_shape(shapes, wide(kind), wide(-1))
        if shapes.state[1]:
            shapes.state[0] = group
            return -1
        shapes.fields[column, KEY] = members.names[place]
        if kind != GROUP:
            shapes.fields[column, RECORD] = record
        _link(shapes, group, before, column)
        before = column
    if not _has_cells(shapes, group):
        first = shapes.fields[group, FIRST]
        shapes.fields[first, TYPE] = WORD
        shapes.fields[first, FIRST] = shapes.fields[first, RECORD] = -1
    if style & ORDERED and not _all_in_order(tape, objects, group, shapes):
        shapes.state[0] = group
        return -1
    if style & NUMBERS:
        _numbers_first(tape, members, total, group, shapes)
    if style & TEXT:
        with_text(tape, members, total, group, style & INLINE, style & ORDERED, shapes)
    return group


@njit
def _all_in_order(tape: Tape, objects: Ints, group: int, shapes: Shapes) -> bool:
    nodes = tape.nodes
    for entry in objects:  # noqa: SIM110
        if not in_order(nodes, shapes.fields, group, entry):
            return False
    return True


@leaf
def _link(shapes: Shapes, group: int, before: int, column: int) -> None:
    """Put a column behind another, or make it the first of a group."""
    if before < 0:
        shapes.fields[group, FIRST] = column
    else:
        shapes.fields[before, NEXT] = column


@njit
def _usual(tape: Tape, objects: Ints, members: Members) -> Ints:
    """Return objects without those whose odd names would cost the others more than it saves.

    A column costs a sign where it lacks; an object that does not fit is written in full.
    """
    full = 2
    for place in range(members.names.size):
        key: int = members.names[place]
        full += _cost(tape.text, tape.keys[key, KEY_BEGIN], tape.keys[key, KEY_STOP])
    kept = np.ones(objects.size, np.uint8)
    for place in range(members.names.size):
        first, last = members.starts[place], members.starts[place + 1]
        if objects.size - (last - first) > (last - first) * full:
            for i in range(first, last):
                kept[members.rows[i]] = 0
    usual = np.empty_like(objects)
    n = 0
    for row in range(objects.size):
        if kept[row]:
            usual[n] = objects[row]
            n += 1
    return usual[:n]


@leaf
def _cost(text: Bytes, begin: int, stop: int) -> int:
    """Return the tokens that a name is taken for."""
    characters = 0
    for place in range(begin, stop):
        characters += text[place] & 0xC0 != 0x80
    return 1 + characters // NAME_LENGTH


@njit
def _kept(tape: Tape, members: Members, total: int, style: int) -> Ints:
    """Return the places of the names that are columns, none if they save nothing."""
    kept = np.empty(members.names.size, np.int64)
    n = saved = absent = 0
    for place in range(kept.size):
        count = members.starts[place + 1] - members.starts[place]
        key: int = members.names[place]
        cost = _cost(tape.text, tape.keys[key, KEY_BEGIN], tape.keys[key, KEY_STOP])
        # A column costs a sign where it lacks.
        if not style & RARE or total - count <= (count - 1) * (cost + 1) + 1:
            kept[n] = place
            n += 1
            saved += (count - 1) * cost
            absent += total - count
    return kept[:n] if style & ANYWAY or saved >= absent + 2 else kept[:0]


@njit
def _plan(nodes: Small, values: Ints, total: int, depth: int) -> tuple[int, Ints]:
    """Return what a column may be, given the values that are there, and the objects in it."""
    none = values[:0]
    if values.size == total and total > 1 and _all_same(nodes, values):
        return CONSTANT, none
    if depth == DEEPEST:
        return WORD, none
    if 2 * _count_arrays(nodes, values) > values.size:
        return ITEMS, row_objects(nodes, items_of(nodes, values))
    return GROUP, row_objects(nodes, values)


@leaf
def _all_same(nodes: Small, values: Ints) -> bool:
    for entry in values:  # noqa: SIM110
        if nodes[entry, SAME] != nodes[values[0], SAME]:
            return False
    return True


@njit
def items_of(nodes: Small, values: Ints) -> Ints:
    """Return the items of all arrays among values."""
    size = 0
    for entry in values:
        if nodes[entry, KIND] == ARRAY:
            size += nodes[entry, LENGTH]
    items = np.empty(size, np.int64)
    n = 0
    for entry in values:
        if nodes[entry, KIND] == ARRAY:
            child = entry + 1
            while child < nodes[entry, AFTER]:
                items[n] = child
                n += 1
                child = nodes[child, AFTER]
    return items


@leaf
def _all_fit(tape: Tape, objects: Ints, group: int, shapes: Shapes) -> bool:
    nodes = tape.nodes
    for entry in objects:  # noqa: SIM110
        if not fits_plainly(nodes, shapes.fields, group, entry):
            return False
    return True


@leaf
def _has_cells(shapes: Shapes, group: int) -> bool:
    """Whether a row of a group has a cell."""
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return False
    while column >= 0:
        kind = shapes.fields[column, TYPE]
        if kind == GROUP:
            if shapes.fields[column, FLAGS] & OPTIONAL or _has_cells(shapes, column):
                return True
        elif kind != CONSTANT:
            return True
        column = wide(shapes.fields[column, NEXT])
    return False


@njit
def _numbers_first(tape: Tape, members: Members, rows: int, group: int, shapes: Shapes) -> None:
    """Let a shape begin with a column of digits, if there is one.

    A blank before a word belongs to the word's token, before digits it is one of its own;
    the first cell of a row has none.
    """
    before = wide(-1)
    column = wide(shapes.fields[group, FIRST])
    while column >= 0:
        if shapes.fields[column, TYPE] == WORD:
            values = values_of(members, shapes.fields[column, KEY])
            if values.size == rows and _all_digits(tape, values):
                unlink(shapes, group, before, column)
                shapes.fields[column, NEXT] = shapes.fields[group, FIRST]
                shapes.fields[group, FIRST] = column
                shapes.fields[group, FLAGS] |= LED
                return
        before, column = column, wide(shapes.fields[column, NEXT])


@leaf
def _all_digits(tape: Tape, values: Ints) -> bool:
    """Whether all values begin with a digit when they are written as words, or are -0.0."""
    text = tape.text
    for place in range(values.size):
        entry: int = values[place]
        start, end = tape.spans[entry, START], tape.spans[entry, END]
        if tape.nodes[entry, KIND] == STRING:
            if not (48 <= text[start + 1] <= 57 and is_word(text, start + 1, end - 1)):
                return False
        elif tape.nodes[entry, KIND] != NUMBER or (
            text[start] == 45 and not _is_zero(text, start + 1, end)
        ):
            return False
    return True


@leaf
def _is_zero(text: Bytes, start: int, end: int) -> bool:
    """Whether a number has no digit but 0 in front of its exponent."""
    for place in range(start, end):
        if 49 <= text[place] <= 57:
            return False
        if text[place] | 32 == 101:
            break
    return True
