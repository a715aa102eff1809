"""Shapes in the arena of the kernels as those of the library, to compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.columns.infer_template import put_template
from mckp.columns.shapes import (
    BELOW,
    CONSTANT,
    DERIVED,
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
    TAGGED,
    TYPE,
)
from mckp.encoders.shapes import Below, Cell, Constant, Derived, Group, Items, Plain, Tagged
from mckp.jsontext import dump
from tests.columns.tapes import name_of, value_of

if TYPE_CHECKING:
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Tape
    from mckp.encoders.shapes import Record, Shape

CELLS = list(Cell)
"""By their numbers in the arena."""


def record_of(tape: Tape, shapes: Shapes, place: int) -> Record | None:
    """Return the shape of a row, None for -1."""
    if place < 0:
        return None
    fields = shapes.fields[place]
    if fields[TYPE] == PLAIN:
        return Plain()
    if fields[TYPE] == TAGGED:
        groups = [_group(tape, shapes, each) for each in _links(shapes, fields[FIRST])]
        tags = [_tag(tape, shapes.fields[each, KEY]) for each in _links(shapes, fields[FIRST])]
        return Tagged(dict(zip(tags, groups, strict=True)))
    assert fields[TYPE] == GROUP
    return _group(tape, shapes, place)


def plain(shape: Shape | Record | None) -> Any:
    """Return a shape as what is equal if it is."""
    if isinstance(shape, Group):
        columns = [(key, plain(below)) for key, below in shape.columns.items()]
        return "group", columns, shape.optional, shape.more, shape.led
    if isinstance(shape, Tagged):
        return "tagged", [(tag, plain(group)) for tag, group in shape.groups.items()]
    if isinstance(shape, Items):
        return "items", plain(shape.record)
    if isinstance(shape, Below):
        return "below", plain(shape.record), shape.optional
    if isinstance(shape, Constant):
        return "constant", dump(shape.value)
    return shape


def _links(shapes: Shapes, place: int) -> list[int]:
    found: list[int] = []
    while place >= 0:
        found.append(int(place))
        place = shapes.fields[place, NEXT]
    return found


def _tag(tape: Tape, key: int) -> str:
    return str(value_of(tape, key)) if key >= 0 else chr(ord("A") - 1 - int(key))


def _group(tape: Tape, shapes: Shapes, place: int) -> Group:
    links = _links(shapes, shapes.fields[place, FIRST])
    columns = {
        name_of(tape, shapes.fields[each, KEY]): _shape(tape, shapes, each) for each in links
    }
    assert len(columns) == len(links)
    flags = int(shapes.fields[place, FLAGS])
    return Group(columns, bool(flags & OPTIONAL), bool(flags & MORE), bool(flags & LED))


def _shape(tape: Tape, shapes: Shapes, place: int) -> Shape:
    fields = shapes.fields[place]
    kind, record = fields[TYPE], fields[RECORD]
    if kind == GROUP:
        return _group(tape, shapes, place)
    if kind == CONSTANT:
        return Constant(value_of(tape, record))
    if kind == ITEMS:
        found = record_of(tape, shapes, record)
        assert found is not None
        return Items(found)
    if kind == BELOW:
        group = record_of(tape, shapes, record)
        assert group is None or isinstance(group, Group)
        return Below(group, bool(fields[FLAGS] & OPTIONAL))
    if kind == DERIVED:
        return Derived(template_of(tape, shapes, place))
    return CELLS[int(kind)]


def template_of(tape: Tape, shapes: Shapes, place: int) -> str:
    """Return the template of a derived column."""
    size = put_template(tape, shapes, place, np.empty(0, np.uint8), 0)
    out = np.empty(size, np.uint8)
    assert put_template(tape, shapes, place, out, 0) == size
    return bytes(out).decode()
