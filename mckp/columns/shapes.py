"""The shapes of records as arrays; what they mean stands in `mckp.encoders.shapes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.borrowed import borrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Ints

    Fields = NDArray[np.int32]

WORD: Final = 0
TAB: Final = 1
LAST: Final = 2
CONSTANT: Final = 3
GROUP: Final = 4
ITEMS: Final = 5
BELOW: Final = 6
DERIVED: Final = 7
TAGGED: Final = 8
PLAIN: Final = 9

TYPE: Final = 0
"""Column of `Shapes.fields`: which of the above a shape is."""
KEY: Final = 1
"""The number of the name of the column; for a group of `TAGGED` that of its tag's text: the
first record's entry whose value is the tag, or -1 - letter for tags made up (A is 0)."""
FIRST: Final = 2
"""The first of the columns of a group, of the groups of a tagged shape, or of the pieces of the
template of a `DERIVED` column (see `mckp.columns.infer_template`); -1 if there is none."""
NEXT: Final = 3
"""The column, tagged group, or piece behind this one; -1 behind the last."""
FLAGS: Final = 4
"""Sum of the flags below."""
RECORD: Final = 5
"""The shape of the rows of `ITEMS` and `BELOW`, -1 for those of a tree; the entry of the value of a
`CONSTANT`."""
COUNT: Final = 6
"""Rows written so far in all tables of a column that is `ITEMS` or `BELOW`."""
WIDTH: Final = 7

OPTIONAL: Final = 1
MORE: Final = 2
LED: Final = 4


@borrowed
class Shapes(NamedTuple):
    """An arena of shapes, used as a stack: who makes shapes takes them away again.

    Attributes
    ----------
    fields : array of int32, shape (most, WIDTH)
        One row a shape.
    state : array of int64, shape (4,)
        How many shapes there are; whether room was short (1, and what was made is void: the
        caller starts anew with more room); 0 if no column has been derived; unused.
    """

    fields: Fields
    state: Ints


def room_for(shapes: int) -> Shapes:
    """Return an empty arena."""
    return Shapes(np.empty((shapes, WIDTH), np.int32), np.zeros(4, np.int64))
