"""What the kernels of the native formats work with: what is being written, as frames on a stack.

Values stand in values, rows in tables, tables in rows. A kernel that comes to something nested
puts a frame for it on the stack and returns; it goes on once that frame is gone. So none of them
calls itself, and nothing that is nested is written twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.shapes import Shapes, room_for
from mckp.columns.words import name_span
from mckp.encoders.embedded import MOST_DEPTH, MOST_LEVELS
from mckp.jit import leaf, njit
from mckp.jsontext import MAX_DEPTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape

    Frames = NDArray[np.int64]

WORDS: Final = 0
"""Kinds of frames. The items of an array side by side."""
PAIRS: Final = 1
"""Members as names and values."""
TABLE: Final = 2
"""The rows of a table on the line, and the header before them."""
ROW: Final = 3
"""One row."""
CELLS: Final = 4
"""The cells of an object in a row."""
HEAD: Final = 5
"""What declares columns."""
OPEN: Final = 6
"""An array or object that is begun: what it is written as is still to be found out."""
LINES: Final = 7
"""Rows that are lines of their own."""
BACK: Final = 8
"""What is to be as it was once all above is written."""

FRAME: Final = 0
CHILD: Final = 1
"""Where words, pairs, tables and lines are: the next child and where children end."""
LIMIT: Final = 2
CLOSE: Final = 3
"""The byte behind words and pairs; 0 if there is none."""
BEFORE: Final = 4
"""What the last of words is: -1 if there is none, 1 for an array or object, else 0. For pairs,
whether there is one before."""
LISTED: Final = 5
"""Whether `CHILD` and `LIMIT` of pairs are places in `Work.slots`."""

NOTED: Final = 10
"""The array or object that words, pairs or a table write, if where they stand is to be noted; else
-1."""
FITTED: Final = 6
"""Whether the last row of lines was written in their shape."""

SHAPE: Final = 3
"""The shape of a row, of the rows of a table or of lines, or that is being declared."""
NAMED: Final = 4
"""Whether rows have names."""
ORIGIN: Final = 5
"""Where the rows of a table begin; -1 for one whose header is elsewhere."""
SPLIT: Final = 6
"""Where they end and the header begins, to be put before them; -1 until then."""
MARK: Final = 7
"""How many shapes there were before those of the table."""
PRIOR: Final = 8
"""The value of the last row; -1 before the first."""
LINE: Final = 9
"""Where the last row begins; -1 for a line that has ended."""
DEPTH: Final = 10
"""How deep lines are below those of the table."""

ENTRY: Final = 1
"""The value of a row."""
PHASE: Final = 2
"""What comes next of a row: nothing is there, all but the last cell, that too, everything."""
INLINE: Final = 4
"""Whether other rows follow on the same line."""
GAP: Final = 5
"""What stands behind the last cell or declared column if there is one more; 0 for nothing."""
BRACKET: Final = 6
"""Whether the last cell is an array or object."""
WRITTEN: Final = 7
"""Cells, or declared columns, so far."""
END: Final = 8
"""The value whose cell ends the row, -1 if it is absent; -2 if there is no column for it."""
EXTRA: Final = 9
"""Members without a column: where they begin and end in `Work.slots`."""
EXTRAS: Final = 10

COLUMN: Final = 1
"""The next column."""
SLOT: Final = 2
"""Where its value stands in `Work.slots`."""
HOME: Final = 3
"""The frame of the row."""
FLOOR: Final = 4
"""How many slots there were before those of the cells."""

WIDTH: Final = 11

TOP: Final = 0
"""Places in `Work.state`. Frames on the stack."""
SHORT: Final = 1
"""Whether room was short; nothing is written from then on."""
LEVEL: Final = 2
"""In how many strings of JSON the value stands."""
TABLES: Final = 3
"""How many tables on the line the value stands in."""
QUIET: Final = 4
"""Whether no lines may stand below the line, as in a header."""
PENDING: Final = 5
"""How many strings are to stand below the line."""
SLOTS: Final = 6
"""How many slots are taken."""
TICKET: Final = 7
"""The greatest number of an object in `Work.names`."""
NOTING: Final = 8
"""Whether what is written is a value on a line of its own, so that its parts are noted."""
MADE: Final = 9
"""The shape of the items of the array last written as a table, -1 if there is none."""
UPTO: Final = 10
"""How many shapes there were once it was made."""

MOST_NOTED: Final = 1 << 22
"""Bytes of a document of which flow notation is noted; of others little is there when it is asked
for."""

NAME_START: Final = 0
"""Columns of `Work.names`."""
NAME_END: Final = 1
MEMBER: Final = 2
OWNER: Final = 3

_FRAMES: Final = 6 * (MAX_DEPTH + MOST_LEVELS * (MOST_DEPTH + 1) + 4)


@borrowed
class Work(NamedTuple):
    """Room to write the values of one tape in.

    Attributes
    ----------
    shapes : Shapes
        The shapes of the tables being written.
    state : array of int64
        Numbers by the names above.
    frames : array of int64, shape (most, WIDTH)
        The stack.
    values : array of int32
        The records a shape is looked for.
    pending : array of int32
        Strings that are to stand below the line.
    slots : array of int64
        The values of the columns of open rows, and members without a column.
    names : array of int64, shape (names, 4)
        For each name, where it stands in the tape's text as it is written; then the member of
        that name last seen, and the number of the object that it is of.
    words : array of uint8
        For each of the first of equal strings 1 if it stands bare, 2 if it does not, else 0.
    flows : array of int32, shape (entries, 2)
        Where the flow notation of arrays and objects stands in the buffer at hand, which may be
        all of that of their own line; -1 for none. None at all for large documents.
    """

    shapes: Shapes
    state: Ints
    frames: Frames
    values: Small
    pending: Small
    slots: Ints
    names: Frames
    words: Bytes
    flows: Small

    @property
    def short(self) -> bool:
        """Whether room was short: all that was written is void, and it takes a larger one."""
        return bool(self.state[SHORT])


def work_for(tape: Tape, shapes: int = 4096) -> Work:
    """Return room for a tape, with that for a number of shapes.

    Shapes are few but for hostile documents, so what depends on their number may be short.
    """
    entries = tape.nodes.shape[0]
    return Work(
        room_for(shapes),
        np.zeros(11, np.int64),
        np.empty((_FRAMES + shapes, WIDTH), np.int64),
        np.empty(entries, np.int32),
        np.empty(entries + shapes, np.int32),
        np.empty(entries + shapes, np.int64),
        _names(tape),
        np.zeros(entries, np.uint8),
        np.full((entries if tape.text.size <= MOST_NOTED else 0, 2), -1, np.int32),
    )


@njit
def _names(tape: Tape) -> Frames:
    """Return where each name stands as it is written, bare or as JSON, and no members."""
    names = np.zeros((tape.keys.shape[0], 4), np.int64)
    for name in range(tape.keys.shape[0]):
        names[name, 0], names[name, 1] = name_span(tape, name)
    return names


@leaf
def push(work: Work) -> int:
    """Put a frame on the stack and return its place."""
    if work.state[TOP] + 1 < work.frames.shape[0]:
        work.state[TOP] += 1
    else:
        work.state[SHORT] = 1
    top: int = work.state[TOP]
    return top


@leaf
def push_back(work: Work) -> None:
    """Put a frame on the stack that keeps the state of the line."""
    frame, state = work.frames[push(work)], work.state
    frame[FRAME] = BACK
    frame[LEVEL], frame[TABLES], frame[QUIET] = state[LEVEL], state[TABLES], state[QUIET]


@leaf
def go_back(work: Work) -> None:
    """Take that frame away, and bring the state back."""
    top = work.state[TOP]
    for name in (LEVEL, TABLES, QUIET):
        work.state[name] = work.frames[top, name]
    work.state[TOP] = top - 1


@leaf
def to_note(work: Work, entry: int, start: int) -> int:
    """Return a container, which begins at a place, if its own line would be the same; else -1."""
    state = work.state
    if not state[NOTING] or state[LEVEL] or state[TABLES] or state[QUIET]:
        return -1
    work.flows[entry, 1] = start
    return entry


@leaf
def note(work: Work, entry: int, out: Bytes, end: int) -> None:
    """Note where a container ends, if there was room, and no lines are to stand below its own."""
    if entry >= 0 and end <= out.size and not work.state[PENDING]:
        work.flows[entry, 0] = work.flows[entry, 1]
        work.flows[entry, 1] = end


@leaf
def add_slot(work: Work, entry: int) -> None:
    """Take one more slot."""
    if work.state[SLOTS] < work.slots.size:
        work.slots[work.state[SLOTS]] = entry
        work.state[SLOTS] += 1
    else:
        work.state[SHORT] = 1
