"""Columns that other columns spell out: the twin is `mckp.encoders.derive`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.columns.buffer import same_bytes
from mckp.columns.infer import items_of, new_shape
from mckp.columns.infer_members import by_key, objects_of, values_of, wide
from mckp.columns.infer_spell import Sources, common_tail, fill_retry, spelled
from mckp.columns.infer_template import HOLE, PIECE, follows, is_integer
from mckp.columns.infer_text import append, least_cells
from mckp.columns.shapes import (
    BELOW,
    COUNT,
    DERIVED,
    FIRST,
    FLAGS,
    GROUP,
    ITEMS,
    KEY,
    LAST,
    LED,
    NEXT,
    OPTIONAL,
    RECORD,
    TYPE,
    WORD,
)
from mckp.columns.tape import BEGIN, END, KEY_BEGIN, KEY_STOP, KIND, NUMBER, START, STOP, STRING
from mckp.encoders.derive import EFFORT, MOST_HOLES, MOST_SOURCES, SHORTEST
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.infer_members import Members
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Small, Tape


@njit
def with_derived(tape: Tape, values: Small, shape: int, shapes: Shapes) -> int:
    """Turn columns of a shape that follow from others into templates.

    Parameters
    ----------
    tape : Tape
        The document.
    values : array of int32
        The records.
    shape : int
        The shape, which is changed.
    shapes : Shapes
        Its arena; templates are put there.

    Returns
    -------
    int
        The shape, or -1 if no column follows from others, or if there was no room.
    """
    if shape < 0 or shapes.fields[shape, TYPE] != GROUP:
        return -1
    objects = objects_of(tape.nodes, values.astype(np.int64), wide(0))
    if objects.size == 0:
        return -1
    group = wide(shape)
    fields = shapes.fields
    members = by_key(tape, objects, wide(-1))
    candidates = _has_long(tape, members, objects.size, group, shapes)
    sources = _sources(tape, members, objects.size * candidates, group, shapes)
    used = np.zeros(shapes.state[0] - group, np.uint8)
    if fields[group, FLAGS] & LED:
        used[fields[group, FIRST] - group] = 1
    changed = False
    column = wide(fields[group, FIRST])
    while column >= 0:
        kind = fields[column, TYPE]
        inner = values_of(members, fields[column, KEY])
        below = column if kind == GROUP else wide(-1)
        if kind in (ITEMS, BELOW):
            below = wide(fields[column, RECORD])
            inner = items_of(tape.nodes, inner)
        if below >= 0:
            mark = shapes.state[0]
            found = with_derived(tape, inner.astype(np.int32), below, shapes)
            if found >= 0 and kind == GROUP and not _tells_if_there(shapes, column):
                _undo(shapes, column)
                shapes.state[0] = mark
                found = wide(-1)
            changed |= found >= 0
        elif kind == WORD and not used[column - group]:  # noqa: SIM102
            if _derived(tape, objects, inner, sources, column, shapes):
                _use(shapes, group, column, used)
                changed = True
        if shapes.state[1]:
            return -1
        column = wide(fields[column, NEXT])
    return group if changed else wide(-1)


@njit
def _has_long(tape: Tape, members: Members, rows: int, group: int, shapes: Shapes) -> int:
    """Return 1 if a column of a group itself is worth a template, else 0."""
    column = wide(shapes.fields[group, FIRST])
    while column >= 0:
        if shapes.fields[column, TYPE] == WORD:
            values = values_of(members, shapes.fields[column, KEY])
            if values.size == rows and _are_long(tape.text, tape.nodes, tape.spans, values):
                return 1
        column = wide(shapes.fields[column, NEXT])
    return 0


@leaf
def _use(shapes: Shapes, group: int, column: int, used: NDArray[np.uint8]) -> None:
    """Mark the columns that a template refers to: they cannot be derived themselves."""
    fields = shapes.fields
    part = fields[column, FIRST]
    while part >= 0:
        other = fields[group, FIRST] if fields[part, TYPE] == HOLE else -1
        while other >= 0:
            if fields[other, KEY] == fields[part, KEY]:
                used[other - group] = 1
            other = fields[other, NEXT]
        part = fields[part, NEXT]


@leaf
def _tells_if_there(shapes: Shapes, group: int) -> bool:
    """Whether an object that may be missing has a cell, but for the row's end, to tell by."""
    if not shapes.fields[group, FLAGS] & OPTIONAL:
        return True
    return least_cells(shapes, group) > _ends(shapes, group)


@leaf
def _ends(shapes: Shapes, group: int) -> int:
    """Return how many columns, in groups as well, end the row."""
    ends = 0
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return ends
    while column >= 0:
        if shapes.fields[column, TYPE] == GROUP:
            ends += _ends(shapes, column)
        elif shapes.fields[column, TYPE] == LAST:
            ends += 1
        column = wide(shapes.fields[column, NEXT])
    return ends


@leaf
def _undo(shapes: Shapes, group: int) -> None:
    """Let no column of a group, nor of those below it, be derived."""
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return
    while column >= 0:
        kind = shapes.fields[column, TYPE]
        if kind == DERIVED:
            shapes.fields[column, TYPE] = WORD
            shapes.fields[column, FIRST] = -1
        elif kind == GROUP:
            _undo(shapes, column)
        elif shapes.fields[column, RECORD] >= 0 and kind == ITEMS:
            _undo(shapes, wide(shapes.fields[column, RECORD]))
        column = wide(shapes.fields[column, NEXT])


@njit
def _sources(tape: Tape, members: Members, rows: int, group: int, shapes: Shapes) -> Sources:
    """Return the first columns that have a text for every record."""
    keys, first = np.empty(MOST_SOURCES, np.int64), np.zeros(MOST_SOURCES + 1, np.int64)
    begin = np.empty((MOST_SOURCES, rows), np.int64)
    stop = np.empty((MOST_SOURCES, rows), np.int64)
    n = 0
    column = shapes.fields[group, FIRST]
    while rows and column >= 0 and n < MOST_SOURCES:
        key = shapes.fields[column, KEY]
        if shapes.fields[column, TYPE] <= LAST and _may_be_hole(tape, key):
            values = values_of(members, key)
            if values.size == rows and _have_texts(tape, values, begin[n], stop[n]):
                keys[n] = key
                first[n + 1] = first[n] + stop[n, 0] - begin[n, 0]
                n += 1
        column = shapes.fields[column, NEXT]
    retry = np.zeros(first[n], np.int64)
    for source in range(n):
        fill_retry(tape.text, begin[source, 0], stop[source, 0], retry[first[source] :])
    return Sources(keys[:n], begin, stop, retry, first)


@leaf
def _have_texts(tape: Tape, values: Ints, begin: Ints, stop: Ints) -> bool:
    """Whether all values have plain text; find where it begins and ends."""
    text, nodes, spans = tape.text, tape.nodes, tape.spans
    for row in range(values.size):
        entry: int = values[row]
        if nodes[entry, KIND] == STRING:
            begin[row], stop[row] = spans[entry, BEGIN], spans[entry, STOP]
        elif nodes[entry, KIND] == NUMBER and is_integer(
            text, spans[entry, START], spans[entry, END]
        ):
            begin[row], stop[row] = spans[entry, START], spans[entry, END]
        else:
            return False
        if begin[row] == stop[row]:
            return False
    return True


@leaf
def _may_be_hole(tape: Tape, key: int) -> bool:
    """Whether a name can stand in braces."""
    for place in range(tape.keys[key, KEY_BEGIN], tape.keys[key, KEY_STOP]):
        if tape.text[place] in (123, 125):
            return False
    return bool(tape.keys[key, KEY_BEGIN] < tape.keys[key, KEY_STOP])


@leaf
def _are_long(text: Bytes, nodes: Small, spans: Small, values: Ints) -> bool:
    """Whether all values are strings that are worth a template."""
    for entry in values:
        if nodes[entry, KIND] != STRING:
            return False
        characters = 0
        place = spans[entry, BEGIN]
        while place < spans[entry, STOP] and characters < SHORTEST:
            characters += text[place] & 0xC0 != 0x80
            place += 1
        if characters < SHORTEST:
            return False
    return True


@njit
def _derived(
    tape: Tape, objects: Ints, values: Ints, sources: Sources, column: int, shapes: Shapes
) -> int:
    """Derive a column from others and return 1, or 0 if there is no way."""
    if values.size < objects.size:
        return 0
    if not _are_long(tape.text, tape.nodes, tape.spans, values):
        return 0
    fields = shapes.fields
    at = np.empty((MOST_HOLES + 1, values.size), np.int64)
    stop = np.empty(values.size, np.int64)
    for row in range(values.size):
        at[0, row], stop[row] = tape.spans[values[row], BEGIN], tape.spans[values[row], STOP]
    own = wide(-1)
    for source in range(sources.keys.size):
        if sources.keys[source] == fields[column, KEY]:
            own = source
            sources.keys[own] = -1
    picks = np.empty((MOST_HOLES, 2), np.int64)
    effort = np.full(1, EFFORT)
    tail = common_tail(tape.text, at[0], stop)
    holes = spelled(tape.text, stop, at, wide(0), tail, sources, effort, picks)
    mark = shapes.state[0]
    is_found = holes >= 0 and _build(tape, shapes, column, sources, at, stop[0], picks, holes)
    row = 0
    while is_found and row < objects.size:
        is_found = follows(tape, shapes, column, objects[row])
        row += 1
    if is_found and not shapes.state[1]:
        fields[column, TYPE] = DERIVED
        shapes.state[2] += 1
        return 1
    fields[column, FIRST] = -1
    shapes.state[0] = mark
    if own >= 0:
        sources.keys[own] = fields[column, KEY]
    return 0


@leaf
def _build(
    tape: Tape,
    shapes: Shapes,
    column: int,
    sources: Sources,
    at: Ints,
    stop: int,
    picks: Ints,
    holes: int,
) -> bool:
    """Put the pieces of a template into the arena; return whether it is worth anything.

    It may have braces of its own, and must refer to a source.
    """
    count = holes
    is_derived = holes > 0
    for level in range(holes + 1):
        start = at[level, 0]
        end = picks[level, 1] if level < holes else stop
        place = start
        while place < end:
            close = _hole_end(tape.text, place, end)
            if close > place:
                count += 1
                if count > MOST_HOLES:
                    return False
                key = _key_of(tape, place + 1, close - 1)
                if key >= 0:
                    _add_piece(shapes, column, start, place)
                    start = close
                    _add(shapes, column, HOLE, key)
                    for other in sources.keys:
                        is_derived |= other == key
                place = close
            else:
                place += 1
        _add_piece(shapes, column, start, end)
        if level < holes:
            source: int = picks[level, 0]
            _add(shapes, column, HOLE, sources.keys[source])
    return is_derived


@leaf
def _hole_end(text: Bytes, place: int, end: int) -> int:
    """Return the end of the name in braces that stands at a place, or the place if none does."""
    after = place + 1
    while text[place] == 123 and after < end and text[after] not in (123, 125):
        after += 1
    closes = text[place] == 123 and after < end and text[after] == 125 and after > place + 1
    return after + 1 if closes else place


@leaf
def _key_of(tape: Tape, begin: int, stop: int) -> int:
    """Return the number of a name, or -1 if no object of the document has a member of it."""
    for key in range(tape.keys.shape[0]):
        if same_bytes(
            tape.text, begin, stop, tape.text, tape.keys[key, KEY_BEGIN], tape.keys[key, KEY_STOP]
        ):
            return key
    return -1


@leaf
def _add_piece(shapes: Shapes, column: int, begin: int, end: int) -> None:
    """Append a piece of text, unless it is empty, to a template."""
    part = _add(shapes, column, PIECE, wide(-1)) if begin < end else wide(-1)
    if part >= 0:
        shapes.fields[part, RECORD] = begin
        shapes.fields[part, COUNT] = end


@leaf
def _add(shapes: Shapes, column: int, kind: int, key: int) -> int:
    """Append a piece to a template and return it, or -1 if there is no room."""
    part = new_shape(shapes, wide(kind), wide(key))
    if part >= 0:
        append(shapes, column, part)
    return part
