"""Whether a record can be written in a shape: the twin is `mckp.encoders.fitting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.infer_members import FEW, index_in, member_in, wide
from mckp.columns.infer_template import all_follow
from mckp.columns.shapes import (
    BELOW,
    CONSTANT,
    FIRST,
    FLAGS,
    GROUP,
    ITEMS,
    KEY,
    LAST,
    MORE,
    NEXT,
    OPTIONAL,
    RECORD,
    TYPE,
)
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH, NAME, OBJECT, SAME
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.shapes import Fields, Shapes
    from mckp.columns.tape import Small, Tape


SEARCH: Final = 64
"""Columns that are passed in a search for members that have none."""


@leaf
def fits(tape: Tape, shapes: Shapes, group: int, entry: int) -> bool:
    """Whether an object can be written as cells of a shape."""
    if not fits_plainly(tape.nodes, shapes.fields, wide(group), wide(entry)):
        return False
    return bool(shapes.state[2] == 0 or all_follow(tape, shapes, wide(group), wide(entry)))


@leaf
def fits_plainly(nodes: Small, fields: Fields, group: int, entry: int) -> bool:
    """Whether an object can be written in a shape, whatever stands in columns that are derived."""
    size = nodes[entry, LENGTH]
    if size > FEW:
        return _fits_wide(nodes, fields, group, entry)
    more = fields[group, FLAGS] & MORE
    is_usual, found = not more, 0
    hint = wide(entry + 1)
    column = wide(fields[group, FIRST])
    while column >= 0:
        if not (more and fields[column, TYPE] <= LAST):
            value = wide(-1)
            if found < size:
                # Members mostly stand in the order of the columns.
                value = hint
                if hint >= nodes[entry, AFTER] or nodes[hint, NAME] != fields[column, KEY]:
                    if is_usual and _has_stranger(nodes, fields, group, entry):
                        return False
                    is_usual = False
                    value = member_in(nodes, entry, fields[column, KEY], hint, nodes[:0, NAME])
            if value >= 0:
                found += 1
                hint = wide(nodes[value, AFTER])
            if not _may_stand(nodes, fields, column, value):
                return False
            if _is_always_there(fields, column) and not fits_plainly(nodes, fields, column, value):
                return False
        column = wide(fields[column, NEXT])
    return bool(more or found == size)


@njit
def _fits_wide(nodes: Small, fields: Fields, group: int, entry: int) -> bool:
    """Tell the same of any object, in good time even if it has many members."""
    more = fields[group, FLAGS] & MORE
    if not more and _has_stranger(nodes, fields, group, entry):
        return False
    index = index_in(nodes, entry, nodes[entry, LENGTH])
    hint = entry + 1
    found = 0
    column = wide(fields[group, FIRST])
    while column >= 0:
        if not (more and fields[column, TYPE] <= LAST):
            value = member_in(nodes, entry, fields[column, KEY], hint, index)
            if value >= 0:
                found += 1
                hint = wide(nodes[value, AFTER])
            if not _may_stand(nodes, fields, column, value):
                return False
            if _is_always_there(fields, column) and not _fits_wide(nodes, fields, column, value):
                return False
        column = wide(fields[column, NEXT])
    return bool(more or found == nodes[entry, LENGTH])


@leaf
def _may_stand(nodes: Small, fields: Fields, column: int, value: int) -> bool:
    """Whether a column can hold a member, -1 for none; of an object it may be too little."""
    kind = fields[column, TYPE]
    if kind == CONSTANT:
        return bool(value >= 0 and nodes[value, SAME] == nodes[fields[column, RECORD], SAME])
    if kind == BELOW:
        return _lists(nodes, value, fields[column, FLAGS] & OPTIONAL)
    if _is_always_there(fields, column):
        return bool(value >= 0 and nodes[value, KIND] == OBJECT)
    return True


@leaf
def _is_always_there(fields: Fields, column: int) -> bool:
    return bool(fields[column, TYPE] == GROUP and not fields[column, FLAGS] & OPTIONAL)


@leaf
def _has_stranger(nodes: Small, fields: Fields, group: int, entry: int) -> bool:
    """Whether a short search finds a member without a column."""
    column = first = fields[group, FIRST]
    child = entry + 1
    effort = SEARCH
    while child < nodes[entry, AFTER]:
        start = column
        while fields[column, KEY] != nodes[child, NAME]:
            column = fields[column, NEXT] if fields[column, NEXT] >= 0 else first
            effort -= 1
            if column == start:
                return True
            if effort == 0:
                return False
        child = nodes[child, AFTER]
    return False


@leaf
def _lists(nodes: Small, value: int, optional: int) -> bool:
    """Whether a member, or that there is none, can be lines below the row."""
    if value < 0:
        return bool(optional)
    return bool(nodes[value, KIND] == ARRAY and not (optional and nodes[value, LENGTH] == 0))


@leaf
def tag_of(tape: Tape, shapes: Shapes, tagged: int, entry: int) -> int:
    """Return the shape among several in which a record is written, or -1 if it fits none."""
    group = wide(shapes.fields[tagged, FIRST])
    while group >= 0 and not fits(tape, shapes, group, entry):
        group = wide(shapes.fields[group, NEXT])
    return group


@njit
def in_order(nodes: Small, fields: Fields, group: int, entry: int) -> bool:
    """Whether an object's members stand in the order in which a reader of its row adds them.

    No column of the shape is derived.
    """
    index = index_in(nodes, entry, nodes[entry, LENGTH])
    child = entry + 1
    column = wide(fields[group, FIRST])
    while column >= 0:
        value = member_in(nodes, entry, fields[column, KEY], child, index)
        if value >= 0:
            if value != child:
                return False
            child = wide(nodes[value, AFTER])
            kind = fields[column, TYPE]
            if kind == GROUP and nodes[value, KIND] == OBJECT:
                is_row = fits_plainly(nodes, fields, column, value)
                if is_row and not in_order(nodes, fields, column, value):
                    return False
            elif kind == ITEMS and nodes[value, KIND] == ARRAY:
                record = wide(fields[column, RECORD])
                item = value + 1
                while item < child:
                    if nodes[item, KIND] == OBJECT and not in_order(nodes, fields, record, item):
                        return False
                    item = wide(nodes[item, AFTER])
        column = wide(fields[column, NEXT])
    return True
