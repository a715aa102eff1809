"""Values as whole numbers, so that all comparisons in solvers are exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

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


@dataclass(frozen=True, eq=False)
class Scaled:
    """The values of a table in whole units.

    `units` is the value of each option in units, of which `per_one` make a value of 1; `exact` says
    whether they say what the `original` values say, read as decimal numbers. The value of no
    selection exceeds `most` units in size.

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
        """Whether the values are integers that had to be rounded, so nothing can be proved."""
        return not self.exact and self.original.dtype.kind == "i"

    def value(self, taken: NDArray[np.int64]) -> int | float:
        """Return the total value of the options taken."""
        if not self.exact:
            return sum_of(self.original, taken)
        return self._ones(int(self.units[taken].sum()))

    def bound(self, units: int, classes: int) -> int | float:
        """Return an upper bound of any selection's value, given a bound in units."""
        if self.exact:
            return self._ones(units)
        if self.is_coarse:
            return (2 * units + classes) * int(1 / self.per_one) // 2
        return math.nextafter((units + classes / 2) / self.per_one, math.inf)

    def _ones(self, units: int) -> int | float:
        """Return a value in units as a value in ones."""
        return units if self.original.dtype.kind == "i" else units / self.per_one


def scale(table: Table, most: int = 0) -> Scaled:
    """Return the values of a table in whole units. Takes O(options).

    No selection costs more than `most`. Units are chosen so that value times cost fits 64 bits,
    which matters only for very large values and ones that are not whole.
    """
    largest, room = table.largest_value, ROOM / (most + 1)
    whole = table.value.dtype.kind == "i"
    if whole and (largest < room or not most or (largest < 2 * room and table.value.min() >= 0)):
        return Scaled(table.value.view(np.int64), 1, True, table.value, int(largest))
    shift = math.frexp(room)[1] - math.frexp(largest)[1] - 2
    shift = max(-1000, min(1000, shift))
    limit, per_one = int(math.ldexp(largest, shift)) + table.classes + 1, 2.0**shift
    power = None if whole else _decimal_power(table.value, largest, room)
    if whole:
        # Halved some times, at least once, and rounded: floats do not hold all whole numbers.
        units = ((table.value.view(np.int64) >> (-shift - 1)) + 1) >> 1
    elif power is None:
        units = np.rint(np.ldexp(table.value, shift)).astype(np.int64)
    else:
        units = np.rint(table.value * power).astype(np.int64)
        limit, per_one = int(largest * power) + 1, power
    units.setflags(write=False)  # as the values of a table are: kernels are compiled once for both
    return Scaled(units, per_one, power is not None, table.value, limit)


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
    """Return how many binary places a price can have, so that bounds fit 64 bits.

    `largest` is the greatest total value of a selection, in units.
    """
    return max(0, min(40, 60 - (2 * int(largest) + 1).bit_length()))


def _decimal_power(values: NDArray[Any], total: float, room: float) -> int | None:
    """Return the least power of ten that makes all values whole.

    Return None if there is none whose product with `total`, the largest sum of values, is below
    `room`.
    """
    powers: list[int] = [
        10**exponent for exponent in range(_DIGITS + 1) if total * 10**exponent < min(room, 2.0**53)
    ]
    # What has so many decimal places has more as well: the most are tried first.
    if not powers or not _are_whole(values, powers[-1]):
        return None
    return next(power for power in powers if _are_whole(values, power))


def _are_whole(values: NDArray[Any], power: int) -> bool:
    """Whether values times a power of ten are whole."""
    return bool((np.rint(values * power) / power == values).all())
