"""The native formats, as `mckp.encoders.native` writes them one value at a time.

Room may turn out too small. A size beyond `out` means that it takes at least so much, and that all
that was written is void; so it is if `Work.short`, and nothing is written with that room again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.columns.buffer import put
from mckp.columns.declare import head
from mckp.columns.infer import record_shape
from mckp.columns.infer_derive import with_derived
from mckp.columns.infer_layouts import below_shape, tagged_shape
from mckp.columns.infer_members import wide
from mckp.columns.native_lines import end_line, lines, push_lines
from mckp.columns.native_rows import cells, row
from mckp.columns.native_tables import header, table
from mckp.columns.native_values import opened, pairs, value, words
from mckp.columns.native_work import (
    CELLS,
    FRAME,
    HEAD,
    LEVEL,
    LINES,
    MADE,
    NOTING,
    OPEN,
    PAIRS,
    PENDING,
    QUIET,
    ROW,
    SHORT,
    SLOTS,
    TABLE,
    TABLES,
    TOP,
    UPTO,
    WORDS,
    Work,
    go_back,
    work_for,
)
from mckp.columns.shapes import GROUP, TYPE
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH, OBJECT
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Tape


__all__ = ["Work", "derives", "flow_line", "rows", "work_for"]


@leaf
def flow_line(tape: Tape, entry: int, work: Work, out: Bytes, line: int, n: int) -> int:
    """Append a value in flow notation and end the line, which begins at `line`.

    The lines of long strings stand below it.
    """
    _reset(work)
    if work.flows.shape[0] and work.flows[entry, 0] >= 0:
        n = put(out, n, out, work.flows[entry, 0], work.flows[entry, 1])
        return end_line(tape, work, out, line, n)
    # What is quoted at its beginning moves.
    stays = n == line or (line < out.size and out[line] not in (47, 62))
    work.state[NOTING] = work.flows.shape[0] and stays
    n = _run(tape, work, out, value(tape, work, entry, out, n))
    work.state[NOTING] = 0
    return end_line(tape, work, out, line, n)


@leaf
def rows(tape: Tape, entry: int, layout: int, work: Work, out: Bytes, n: int, ends: Ints) -> int:
    """Append the rows of a table, then what declares its columns; -1 if there is no such table.

    Layouts are those of `mckp.encoders.rows`, 0 for `body`, 1 for `below`, 2 for `tagged`, and
    of `mckp.encoders.derived`, 3 for `body`, 4 for `below`.
    ``ends[i]`` becomes where the lines of row ``i`` end.
    """
    _reset(work)
    shapes = work.shapes
    work.state[MADE] = -1
    has_names = wide(tape.nodes[entry, KIND] == OBJECT)
    if tape.nodes[entry, KIND] > ARRAY or (has_names and (layout or tape.nodes[entry, LENGTH] < 2)):
        return -1
    values = work.values[: _list_children(tape, work, entry)]
    if layout == 2:
        record = tagged_shape(tape, values, shapes)
    elif layout in (1, 4):
        record = below_shape(tape, values, shapes)
    else:
        record = record_shape(tape, values, bool(wide(0)), bool(wide(0)), wide(0), shapes)
    if layout >= 3:
        record = with_derived(tape, values, record, shapes)
    work.state[MADE], work.state[UPTO] = wide(-1) if has_names else record, shapes.state[0]
    work.state[SHORT] |= shapes.state[1]
    if record < 0 or (has_names and shapes.fields[record, TYPE] != GROUP):
        return -1
    child = entry + 1
    for place in range(tape.nodes[entry, LENGTH]):
        push_lines(work, record, child, child + 1, has_names, wide(0))
        n = _run(tape, work, out, n)
        ends[place] = n
        child = tape.nodes[child, AFTER]
    n = header(work, record, has_names, out, n)
    return _run(tape, work, out, n)


@leaf
def derives(tape: Tape, entry: int, work: Work) -> bool:
    """Whether a column of the table of an array that was written last may follow from others."""
    shapes = work.shapes
    shapes.state[0] = work.state[UPTO]
    shapes.state[1] = shapes.state[2] = 0
    values = work.values[: _list_children(tape, work, entry)]
    found = with_derived(tape, values, wide(work.state[MADE]), shapes)
    return bool(found >= 0 or shapes.state[1])


@leaf
def _reset(work: Work) -> None:
    """Make ready for a new line or table."""
    work.shapes.state[:] = 0
    work.state[TOP] = -1
    for name in (LEVEL, TABLES, QUIET, PENDING, SLOTS):
        work.state[name] = 0


@leaf
def _run(tape: Tape, work: Work, out: Bytes, n: int) -> int:
    """Write what stands on the stack until nothing does."""
    state, frames = work.state, work.frames
    while state[TOP] >= 0 and not state[SHORT]:
        kind = frames[state[TOP], FRAME]
        if kind == WORDS:
            n = words(tape, work, out, n)
        elif kind == PAIRS:
            n = pairs(tape, work, out, n)
        elif kind == CELLS:
            n = cells(tape, work, out, n)
        elif kind == ROW:
            n = row(tape, work, out, n)
        elif kind == TABLE:
            n = table(tape, work, out, n)
        elif kind == HEAD:
            n = head(tape, work, out, n)
        elif kind == OPEN:
            n = opened(tape, work, out, n)
        elif kind == LINES:
            n = lines(tape, work, out, n)
        else:
            go_back(work)
    return n


@leaf
def _list_children(tape: Tape, work: Work, entry: int) -> int:
    """Put the children of an array or object into `Work.values`, and return how many there are."""
    values = work.values[: tape.nodes[entry, LENGTH]]
    child = entry + 1
    for place in range(values.size):
        values[place] = child
        child = tape.nodes[child, AFTER]
    return values.size
