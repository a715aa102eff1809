"""What is found out about a document once, and room that is used again for every block."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.columns.lines import texts_of
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH, OBJECT
from mckp.jit import njit
from mckp.menu.data import MOST_INLINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Ints
    from mckp.columns.lines import Texts
    from mckp.columns.tape import Small, Tape


@borrowed
class Scratch(NamedTuple):
    """Room that is used again for every block.

    Attributes
    ----------
    place_of_key : array of int32
        For each name its column in the table at hand; -1 in between.
    columns : array of int32
        The names of the columns.
    cells : array of int32
        The entries of one record.
    ends : array of int64
        Where the rows of a table end.
    texts : Texts
        Where texts of values and names stand.
    long : array of bool
        For each entry whether it is, or has as a member, a table too long for one line.
    listed : array of int64, shape (1,)
        Where on the menu the columns are listed that `place_of_key` holds, once it is complete;
        else -1.
    """

    place_of_key: Small
    columns: Small
    cells: Small
    ends: Ints
    texts: Texts
    long: NDArray[np.bool_]
    listed: Ints


@njit
def long_tables(tape: Tape) -> NDArray[np.bool_]:
    """Tell for each entry whether it is, or has as a member, a table too long for one line."""
    found = np.zeros(tape.nodes.shape[0], np.bool_)
    for entry in range(tape.nodes.shape[0] - 1, -1, -1):
        if tape.nodes[entry, KIND] > ARRAY:
            continue
        objects, below = 0, False
        child = entry + 1
        while child < tape.nodes[entry, AFTER]:
            objects += tape.nodes[child, KIND] == OBJECT
            below = below or found[child]
            child = tape.nodes[child, AFTER]
        if tape.nodes[entry, LENGTH] > MOST_INLINE:
            found[entry] = (
                objects > 0
                if tape.nodes[entry, KIND] == ARRAY
                else objects == tape.nodes[entry, LENGTH]
            )
        else:
            found[entry] = tape.nodes[entry, KIND] == OBJECT and below
    return found


@njit
def scratch_for(tape: Tape) -> Scratch:
    """Return room for the blocks of a document."""
    most = 0
    for entry in range(tape.nodes.shape[0]):
        most = max(most, tape.nodes[entry, LENGTH])
    return Scratch(
        np.full(tape.keys.shape[0], -1, np.int32),
        np.empty(tape.keys.shape[0], np.int32),
        np.empty(tape.keys.shape[0], np.int32),
        np.empty(most + 1, np.int64),
        texts_of(tape),
        long_tables(tape),
        np.full(1, -1, np.int64),
    )
