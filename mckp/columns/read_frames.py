"""The stack of what is open while flow notation is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.read_words import DECLINED
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.read_columns import Table

KIND: Final = 0
"""Columns of the stack: which of the kinds below a frame is."""
STAGE: Final = 1
RECORD: Final = 2
COL: Final = 3
"""The column to be read next."""
IN: Final = 4
"""The group it belongs to."""
BASE: Final = 5
"""Where the marks of the frame begin."""
INLINE: Final = 6
DEPTH: Final = 7
ROWS: Final = 8
"""Rows, members or items read so far."""
SIZE: Final = 9
"""The size of the output, or of the store, when the frame began."""
WEIGHT: Final = 10
"""How deep the twin would be by now."""
NUMBER: Final = 11
"""What a frame has to know besides: a count, or which spelling."""
FRAME: Final = 12

CELLS: Final = 0
"""Stages of a row: the cells are read."""
CELL: Final = 1
"""A cell was read, and a blank may follow."""
TABBED: Final = 2
"""A cell was read, and a tab has to follow."""
ENDING: Final = 3
"""All cells were read but for the one that ends the row."""
ENDED: Final = 4
"""That one was read, too."""
EXTRA: Final = 5
"""Members without a column are read."""
FILLING: Final = 6
"""All that stands in the line was read."""
LOWER: Final = 7
"""The lines below are read."""

ALL: Final = 0
"""Kinds of frames: the whole line."""
ARRAY: Final = 1
PAIRS: Final = 2
"""An object in names and values."""
WORDS: Final = 3
"""A row that is an array."""
SPELLED: Final = 4
"""A string of JSON that stands as what it holds."""
TABLE: Final = 5
"""The rows of a table, or, before there is a first one, its columns."""
HEADER: Final = 6
"""A value in what declares columns."""
ROW: Final = 7
LEADER: Final = 8
"""The cell in front of a row's name."""

WEIGHTS: Final = np.array([0, 1, 1, 2, 1, 4, 2, 3, 3])
"""How many frames the twin has for each kind, halved."""

HEAVIEST: Final = 220
"""Weight of all frames together."""


@leaf
def push(stack: Table, sp: int, kind: int) -> int:
    """Open a frame; return its number, or `DECLINED` where the twin may be too deep."""
    weight = WEIGHTS[kind] + stack[sp, WEIGHT]
    sp += 1
    if weight > HEAVIEST or sp >= stack.shape[0]:
        return DECLINED
    stack[sp, :] = 0
    stack[sp, KIND] = kind
    stack[sp, WEIGHT] = weight
    stack[sp, COL] = -1
    return sp
