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

    Integers are used as they are. Floats that are decimal numbers of up to nine places
    (``0.1`` means one tenth) are multiplied by a power of ten and stay exact. Other floats are
    multiplied by the greatest power of two that leaves room, and rounded: each is then off by at
    most half a unit, so a solution proved optimal in units is within ``classes / per_one`` of the
    true optimum. `upper_bound` covers that difference. Integers that are too large to be multiplied
    by costs are treated the same way.

    Attributes
    ----------
    units : array of int64 [options]
        The value of each option in units.
    per_one : int or float
        The number of units in a value of 1.
    exact : bool
        Whether the units are exactly the original values, read as decimal numbers.
    original : array of int64 or float64 [options]
        The values of the table.
    most : int
        No selection has a greater absolute value, in units.

    Examples
    --------
    >>> from mckp.table import Table
    >>> scaled = scale(Table.flat([[1, 1]], [[0.1, 0.25]]), greatest_cost=1)
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
        """Whether the values are integers that had to be rounded, so optimality is not proved."""
        return not self.exact and self.original.dtype.kind == "i"

    def total_value(self, taken: NDArray[np.int64]) -> int | float:
        """Return the total value of the options taken, not in units."""
        if not self.exact:
            return sum_of(self.original, taken)
        return self._from_units(int(self.units[taken].sum()))

    def upper_bound(self, units: int, classes: int) -> int | float:
        """Return an upper bound on the value of any selection, given a bound in units."""
        if self.exact:
            return self._from_units(units)
        if self.is_coarse:
            return (2 * units + classes) * int(1 / self.per_one) // 2
        return math.nextafter((units + classes / 2) / self.per_one, math.inf)

    def _from_units(self, units: int) -> int | float:
        """Return an exact value in units as a value of the table."""
        return units if self.original.dtype.kind == "i" else units / self.per_one


def scale(table: Table, greatest_cost: int = 0) -> Scaled:
    """Return the values of a table in whole units. Takes O(options).

    `greatest_cost` is a cost that no selection exceeds. Units are chosen so that a total value
    times this cost fits 64 bits, which matters only for very large values and ones that are not
    whole.
    """
    largest, room = table.largest_value, ROOM / (greatest_cost + 1)
    is_whole = table.value.dtype.kind == "i"
    if is_whole and (
        largest < room or not greatest_cost or (largest < 2 * room and table.value.min() >= 0)
    ):
        return Scaled(table.value.view(np.int64), 1, True, table.value, int(largest))
    shift = math.frexp(room)[1] - math.frexp(largest)[1] - 2
    shift = max(-1000, min(1000, shift))
    limit, per_one = int(math.ldexp(largest, shift)) + table.classes + 1, 2.0**shift
    factor = None if is_whole else _decimal_power(table.value, largest, room)
    if is_whole:
        # Divided by a power of two and rounded, in integers: floats do not hold all of them.
        units = ((table.value.view(np.int64) >> (-shift - 1)) + 1) >> 1
    elif factor is None:
        units = np.rint(np.ldexp(table.value, shift)).astype(np.int64)
    else:
        units = np.rint(table.value * factor).astype(np.int64)
        limit, per_one = int(largest * factor) + 1, factor
    units.setflags(write=False)  # as the values of a table are: kernels are compiled once for both
    return Scaled(units, per_one, factor is not None, table.value, limit)


def most_cost(table: Table, budget: int) -> int:
    """Return a cost that no selection exceeds if each of its options is within the budget.

    Takes O(options).
    """
    cost = table.cost
    if cost.size and int(cost.max()) > budget:
        cost = np.where(cost > budget, 0, cost)
    most = int(largest_sum(table, cost)) + 1
    if table.has_setup:
        most += int(table.setup[table.setup <= budget].sum(dtype=np.float64)) + 1
    return most


def price_shift(largest: float) -> int:
    """Return the number of binary places that a price can have so that bounds fit 64 bits.

    `largest` is the greatest total value of a selection, in units.
    """
    return max(0, min(40, 60 - (2 * int(largest) + 1).bit_length()))


def _decimal_power(values: NDArray[Any], largest: float, room: float) -> int | None:
    """Return the least power of ten that makes all values whole, or None if there is none.

    It is at most ``10 ** _DIGITS``, and its product with `largest`, the greatest total value, is
    below `room` and below ``2 ** 53``.
    """
    powers: list[int] = [
        10**exponent
        for exponent in range(_DIGITS + 1)
        if largest * 10**exponent < min(room, 2.0**53)
    ]
    # If the greatest power does not make all values whole, no other does.
    if not powers or not _are_whole(values, powers[-1]):
        return None
    return next(power for power in powers if _are_whole(values, power))


def _are_whole(values: NDArray[Any], power: int) -> bool:
    """Whether all values are decimal multiples of ``1 / power``."""
    return bool((np.rint(values * power) / power == values).all())
