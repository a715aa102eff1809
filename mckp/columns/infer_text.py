"""Which columns hold free text: the twin is `mckp.encoders.free_text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mckp.columns.infer_members import by_key, objects_of, values_of, wide
from mckp.columns.shapes import (
    CONSTANT,
    DERIVED,
    FIRST,
    FLAGS,
    GROUP,
    KEY,
    LAST,
    NEXT,
    OPTIONAL,
    TAB,
    TYPE,
    WORD,
)
from mckp.columns.tape import BEGIN, KIND, STOP, STRING
from mckp.columns.words import is_text, is_word
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.infer_members import Members
    from mckp.columns.shapes import Shapes
    from mckp.columns.tape import Small, Tape


@njit
def with_text(
    tape: Tape, members: Members, rows: int, group: int, inline: int, ordered: int, shapes: Shapes
) -> None:
    """Let the columns of a shape that hold free text do without quotation marks.

    Parameters
    ----------
    tape : Tape
        The document.
    members : Members
        The members of the records.
    rows : int
        How many records there are.
    group : int
        The shape, the last in the arena.
    inline : int
        Whether the rows stand within a line.
    ordered : int
        Whether columns must stay where they are.
    shapes : Shapes
        The arena.
    """
    gains = np.zeros((shapes.state[0] - group, 2), np.int64)
    _count_text(tape, members, rows, group, inline, shapes, group, gains)
    last = _best_end(shapes, group, group, gains)
    for column in range(group, shapes.state[0]):
        gain, all_ = gains[column - group]
        if column == last:
            shapes.fields[column, TYPE] = LAST
        # A tab costs one token a row, two quotation marks two where they are needed.
        elif 4 * gain > 3 * all_:
            shapes.fields[column, TYPE] = TAB
    if last >= 0 and not ordered:
        _move(shapes, group, last)


@njit
def _count_text(
    tape: Tape,
    members: Members,
    rows: int,
    group: int,
    inline: int,
    shapes: Shapes,
    base: int,
    gains: Ints,
) -> None:
    """Count, for each column, the cells that would need no quotation marks, and all cells.

    The counts of a column stand in `gains` as many places behind `base` as it does itself.
    """
    if rows == 0:
        return
    column = wide(shapes.fields[group, FIRST])
    while column >= 0:
        values = values_of(members, shapes.fields[column, KEY])
        if shapes.fields[column, TYPE] == GROUP:
            inner = objects_of(tape.nodes, values, wide(0))
            below = by_key(tape, inner, wide(-1))
            _count_text(tape, below, inner.size, column, inline, shapes, base, gains)
        elif shapes.fields[column, TYPE] == WORD:
            gain = _count_free(tape.text, tape.nodes, tape.spans, values, inline)
            if gain:
                gains[column - base, 0], gains[column - base, 1] = gain, rows
        column = wide(shapes.fields[column, NEXT])


@leaf
def _count_free(text: Bytes, nodes: Small, spans: Small, values: Ints, inline: int) -> int:
    """Count the strings that need no quotation marks only as free text."""
    count = 0
    for row in range(values.size):
        entry: int = values[row]
        if nodes[entry, KIND] == STRING:
            start, end = spans[entry, BEGIN], spans[entry, STOP]
            if not is_word(text, start, end) and is_text(text, start, end, inline > 0):
                count += 1
    return count


@leaf
def _best_end(shapes: Shapes, group: int, base: int, gains: Ints) -> int:
    """Return the column that gains most of those that may end the row, or -1.

    All optional objects around it keep a cell that tells if they are there.
    """
    column = wide(shapes.fields[group, FIRST])
    best = wide(-1)
    if column < 0:
        return best
    while column >= 0:
        found = column if gains[column - base, 0] else wide(-1)
        if shapes.fields[column, TYPE] == GROUP:
            optional = shapes.fields[column, FLAGS] & OPTIONAL
            if not optional or least_cells(shapes, column) >= 2:
                found = _best_end(shapes, column, base, gains)
        if found >= 0 and (best < 0 or gains[found - base, 0] > gains[best - base, 0]):
            best = found
        column = wide(shapes.fields[column, NEXT])
    return best


@leaf
def least_cells(shapes: Shapes, group: int) -> int:
    """Return the least number of cells that an object is written as, if it is there."""
    cells = 0
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return cells
    while column >= 0:
        kind = shapes.fields[column, TYPE]
        if kind == GROUP and not shapes.fields[column, FLAGS] & OPTIONAL:
            cells += least_cells(shapes, column)
        elif kind != CONSTANT and kind != DERIVED:
            cells += 1
        column = wide(shapes.fields[column, NEXT])
    return cells


@leaf
def _move(shapes: Shapes, group: int, moved: int) -> bool:
    """Move a column to the end, in its own group and all around it, if it is in a group."""
    before = wide(-1)
    column = wide(shapes.fields[group, FIRST])
    if column < 0:
        return False
    while column >= 0:
        is_group = shapes.fields[column, TYPE] == GROUP
        if column == moved or (is_group and _move(shapes, column, moved)):
            unlink(shapes, group, before, column)
            append(shapes, group, column)
            return True
        before, column = column, wide(shapes.fields[column, NEXT])
    return False


@leaf
def unlink(shapes: Shapes, group: int, before: int, column: int) -> None:
    """Take a column, behind another or the first, out of a group."""
    if before < 0:
        shapes.fields[group, FIRST] = shapes.fields[column, NEXT]
    else:
        shapes.fields[before, NEXT] = shapes.fields[column, NEXT]


@leaf
def append(shapes: Shapes, group: int, column: int) -> None:
    """Make a column the last of a group."""
    shapes.fields[column, NEXT] = -1
    last = shapes.fields[group, FIRST]
    if last < 0:
        shapes.fields[group, FIRST] = column
        return
    while shapes.fields[last, NEXT] >= 0:
        last = shapes.fields[last, NEXT]
    shapes.fields[last, NEXT] = column
