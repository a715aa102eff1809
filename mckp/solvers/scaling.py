"""Values as whole numbers, so that every comparison a solver makes is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.evaluation import sum_of
from mckp.table import SUM_LIMIT, largest_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Table

ROOM: Final = SUM_LIMIT // 4
"""Total value in units, times the greatest cost and one, stays below this.

Where no value is negative it may be twice as much: the values of two selections then differ by no
more than the greatest total, and not by twice that.
"""
_DIGITS: Final = 9
"""Decimal places of a value that is counted exactly."""
_FEW: Final = 64
"""Values that are looked at first for decimal places."""


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
    most
        A size that the value of no selection exceeds, in units.

    Notes
    -----
    Integers are used as they are. Floats that are decimal numbers of up to nine places
    (``0.1`` means one tenth) are multiplied by a power of ten and stay exact. Other floats are
    multiplied by the greatest power of two that leaves room and are rounded: each is then
    off by at most half a unit, so a solution proved optimal in units is within ``classes /
    per_one`` of the true optimum. `bound` covers that difference. The same is done with integers
    that are too large beside the costs.

    Examples
    --------
    >>> from mckp.table import Table
    >>> scaled = scale(Table.flat([[1, 1]], [[0.1, 0.25]]), most=1)
    >>> scaled.units.tolist(), scaled.per_one, scaled.exact
    ([10, 25], 100, True)
    """

    units: NDArray[np.int64]
    per_one: int | float
    exact: bool
    original: NDArray[np.int64] | NDArray[np.float64]
    most: int

    @property
    def is_coarse(self) -> bool:
        """Whether these are integers that had to be rounded, which proves nothing of them."""
        return not self.exact and self.original.dtype.kind == "i"

    def value(self, taken: NDArray[np.int64]) -> int | float:
        """Return the total value of the options taken."""
        if not self.exact:
            return sum_of(self.original, taken)
        return self._ones(int(self.units[taken].sum()))

    def bound(self, units: int, classes: int) -> int | float:
        """Return a value that no selection exceeds, given a bound in units."""
        if self.exact:
            return self._ones(units)
        if self.is_coarse:
            return (2 * units + classes) * int(1 / self.per_one) // 2
        return math.nextafter((units + classes / 2) / self.per_one, math.inf)

    def _ones(self, units: int) -> int | float:
        return units if self.original.dtype.kind == "i" else units / self.per_one


def scale(table: Table, most: int = 0) -> Scaled:
    """Turn the values of a table into whole units. O(options).

    `most` is a cost that no selection exceeds. Units are so coarse that value times cost fits 64
    bits, which matters only for values that are not whole or very large.
    """
    largest, room = table.largest_value, ROOM / (most + 1)
    whole = table.value.dtype.kind == "i"
    if whole and (largest < room or not most or (largest < 2 * room and table.value.min() >= 0)):
        return Scaled(table.value.view(np.int64), 1, True, table.value, int(largest))
    shift = math.frexp(room)[1] - math.frexp(largest)[1] - 2
    shift = max(-1000, min(1000, shift))
    limit = int(math.ldexp(largest, shift)) + table.classes + 1
    if whole:
        units = _halved(table.value.view(np.int64), -shift)
        return Scaled(units, 2.0**shift, False, table.value, limit)
    values = table.value.astype(np.float64)
    power = _decimal_power(values, largest, room)
    if power is not None:
        units = _whole(values * power)
        return Scaled(units, power, True, values, int(largest * power) + 1)
    return Scaled(_whole(np.ldexp(values, shift)), 2.0**shift, False, values, limit)


def most_cost(table: Table, budget: int) -> int:
    """Return a cost that no selection of options within a budget exceeds. O(options)."""
    cost = table.cost
    if cost.size and int(cost.max()) > budget:
        cost = np.where(cost > budget, 0, cost)
    most = int(largest_sum(table, cost)) + 1
    if table.has_setup:
        most += int(table.setup[table.setup <= budget].sum(dtype=np.float64)) + 1
    return most


def shift_of(largest: float) -> int:
    """Return how many binary places a price can have, so that no bound passes 64 bits.

    `largest` is the greatest total value of a selection, in units.
    """
    return max(0, min(40, 60 - (2 * int(largest) + 1).bit_length()))


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return _sealed(np.rint(values).astype(np.int64))


def _halved(values: NDArray[np.int64], times: int) -> NDArray[np.int64]:
    """Halve whole numbers some times, at least once, and round: floats do not hold all of them."""
    return _sealed(((values >> (times - 1)) + 1) >> 1)


def _sealed(units: NDArray[np.int64]) -> NDArray[np.int64]:
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
