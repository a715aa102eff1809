"""Values as whole numbers, so that every comparison a solver makes is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.table import largest_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Table

ROOM: Final = 2**59
"""Totals of value times (budget + 1) stay below this, which leaves 64-bit sums room."""
_DIGITS: Final = 9
_FEW: Final = 64


@dataclass(frozen=True, eq=False)
class Scaled:
    """The values of a table in whole units.

    Parameters
    ----------
    units
        The value of each option, in units.
    per_one
        How many units make a value of 1.
    exact
        Whether the units say exactly what the values say, read as decimal numbers.
    original
        The values as the table has them.

    Notes
    -----
    Integers are used as they are. Floats that are decimal numbers of up to nine places
    (``0.1`` means one tenth) are multiplied by a power of ten and stay exact. Other floats are
    multiplied by the greatest power of two that leaves room and are rounded: each is then
    off by at most half a unit, so a solution proved optimal in units is within ``classes /
    per_one`` of the true optimum. `bound` covers that difference.

    Examples
    --------
    >>> from mckp.table import Table
    >>> scaled = scale(Table.flat([[1, 1]], [[0.1, 0.25]]), budget=1)
    >>> scaled.units.tolist(), scaled.per_one, scaled.exact
    ([10, 25], 100, True)
    """

    units: NDArray[np.int64]
    per_one: int | float
    exact: bool
    original: NDArray[np.int64] | NDArray[np.float64]

    def value(self, taken: NDArray[np.int64]) -> int | float:
        """Return the total value of the options taken."""
        if not self.exact:
            return math.fsum(self.original[taken].tolist())
        return self._ones(int(self.units[taken].sum()))

    def bound(self, units: int, classes: int) -> int | float:
        """Return a value that no selection exceeds, given a bound in units."""
        if self.exact:
            return self._ones(units)
        return math.nextafter((units + classes / 2) / self.per_one, math.inf)

    def _ones(self, units: int) -> int | float:
        return units if self.original.dtype.kind == "i" else units / self.per_one


def scale(table: Table, budget: int | None = None) -> Scaled:
    """Turn the values of a table into whole units. O(options).

    With a budget, units are so coarse that value and cost fit 64 bits as one number, which
    matters only for values that are not whole.
    """
    if table.value.dtype.kind == "i":
        return Scaled(table.value.view(np.int64), 1, True, table.value)
    values = table.value.astype(np.float64)
    total = 2 * table.largest_value
    folded = 0 if budget is None else min(budget, int(largest_sum(table, table.cost)) + 1)
    room = ROOM / 2 / (folded + 1)
    power = _decimal_power(values, total, room)
    if power is not None:
        return Scaled(_whole(values * power), power, True, values)
    shift = math.frexp(room)[1] - math.frexp(table.largest_value)[1] - 2
    shift = max(-1000, min(1000, shift))
    return Scaled(_whole(np.ldexp(values, shift)), 2.0**shift, False, values)


def shift_of(largest: float) -> int:
    """Return how many binary places a price can have, so that no bound passes 64 bits.

    `largest` is the greatest total value of a selection, in units.
    """
    return max(0, min(40, 60 - (2 * int(largest) + 1).bit_length()))


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    units = np.rint(values).astype(np.int64)
    units.setflags(write=False)  # as the values of a table are: kernels are compiled once for both
    return units


def _decimal_power(values: NDArray[np.float64], total: float, room: float) -> int | None:
    few = values[:: max(1, values.size // _FEW)]
    for digits in range(_DIGITS + 1):
        power: int = 10**digits
        if total * power >= min(room, 2.0**53):
            return None
        if all((np.rint(part * power) / power == part).all() for part in (few, values)):
            return power
    return None
