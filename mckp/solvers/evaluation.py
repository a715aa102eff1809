"""The value and cost of a choice of options, with setup costs: the only definition of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mckp.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints, Table


def cost_of(table: Table, choice: Ints) -> int:
    """Return the cost of a choice, including setup costs. O(classes).

    Examples
    --------
    >>> import numpy as np
    >>> from mckp.table import Table
    >>> cut = (0, 0, (), 0, True)
    >>> table = Table.nested([[(0, 0), (2, 0, [[cut, (5, 3)], [cut, (6, 4)]], 1)]])
    >>> cost_of(table, np.array([1, 1, 1])), cost_of(table, np.array([1, 1, 0]))
    (13, 8)
    """
    total = int(table.cost[taken_options(table, choice)].sum())
    return total + int(table.setup[owing_openers(table, choice)].sum())


def sum_of(values: NDArray[Any], taken: Ints) -> int | float:
    """Return the sum of the values of the options taken; the sum of floats is rounded only once."""
    if values.dtype.kind == "f":
        return math.fsum(values[taken].tolist())
    return int(values[taken].sum())


def taken_options(table: Table, choice: Ints) -> Ints:
    """Return the options that a choice takes, in the order of their classes."""
    reached = np.flatnonzero(choice >= 0)
    return table.start[reached] + choice[reached]


def choice_of(table: Table, options: Ints) -> Ints:
    """Return the choice of some options, which must be one for each reached class."""
    owners = np.searchsorted(table.start, options, side="right") - 1
    choice = np.full(table.classes, -1, dtype=np.int64)
    choice[owners] = options - table.start[owners]
    return choice


def owing_openers(table: Table, choice: Ints) -> Ints:
    """Return the options that owe a setup cost: one of their classes takes an owing option."""
    reached = np.flatnonzero(choice >= 0)
    owing = table.owing[table.start[reached] + choice[reached]]
    openers = table.parent_option[reached[owing]]
    return distinct(openers[openers >= 0])


def is_selection(table: Table, choice: object) -> bool:
    """Whether a value is a choice with one option for each reached class, and none for others."""
    if not isinstance(choice, np.ndarray):
        return False
    places, sizes = cast("Ints", choice), np.diff(table.start)
    if places.dtype.kind != "i" or places.shape != sizes.shape:
        return False
    if not ((places >= -1) & (places < sizes)).all():
        return False
    # The classes at the root have parent option -1, which is the last place of `taken`.
    taken = np.append(np.zeros(table.options, dtype=bool), True)
    taken[taken_options(table, places)] = True
    return bool((taken[table.parent_option] == (places >= 0)).all())
