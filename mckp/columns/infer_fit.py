"""Whether a record can be written in a shape: the twin is `mckp.encoders.fitting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.infer_members import index_in, member_in, wide
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


@njit
def fits_plainly(nodes: Small, fields: Fields, group: int, entry: int) -> bool:
    """Whether an object can be written in a shape, whatever stands in columns that are derived."""
    more = fields[group, FLAGS] & MORE
    if not more and _has_stranger(nodes, fields, group, entry):
        return False
    index = index_in(nodes, entry, nodes[entry, LENGTH])
    end = nodes[entry, AFTER]
    hint = entry + 1
    found = 0
    column = wide(fields[group, FIRST])
    while column >= 0:
        kind = fields[column, TYPE]
        if not (more and kind <= LAST):
            value = hint
            if hint >= end or nodes[hint, NAME] != fields[column, KEY]:
                value = member_in(nodes, entry, fields[column, KEY], hint, index)
            if value >= 0:
                found += 1
                hint = wide(nodes[value, AFTER])
            if kind == CONSTANT:
                if value < 0 or nodes[value, SAME] != nodes[fields[column, RECORD], SAME]:
                    return False
            elif kind == BELOW:
                if not _lists(nodes, value, fields[column, FLAGS] & OPTIONAL):
                    return False
            elif kind == GROUP and not fields[column, FLAGS] & OPTIONAL:
                if value < 0 or nodes[value, KIND] != OBJECT:
                    return False
                if not fits_plainly(nodes, fields, column, value):
                    return False
        column = wide(fields[column, NEXT])
    return bool(more or found == nodes[entry, LENGTH])


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
