"""Costs that an option owes once if any class it opens is left out, spread over these classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.auto import TINY
from mckp.table import Table

if TYPE_CHECKING:
    from mckp.jit import Ints


@dataclass(frozen=True, slots=True)
class Dues:
    """A table with dues, and who pays them.

    An option with a due owes it once if any of the classes that it opens takes its last option,
    by which that class is left out, for nothing. Tables know no such costs. So each of these
    classes pays a share of the due where it is left out, and all shares together are the due.
    No selection costs more than it should then, and some cost less: those that owe what the
    classes left out do not pay (`unpaid`). A best selection that owes nothing is the best.

    Parameters
    ----------
    table : Table
        The table without dues.
    due : int64 array [options]
        What each option may owe, 0 if nothing.
    shares : int64 array [classes]
        What each class pays if it is left out.
    price : float
        The price for cost at which the shares are best; 0 if there was none.

    Notes
    -----
    "Owed if any is left out" is "owed if the first is, and owed if the second is, ...", and the
    shares are the multipliers of these in a Lagrangian relaxation (M. L. Fisher, Management
    Science 27, 1981). `spread` finds the best ones for the linear relaxation, so that only what
    rounding leaves is unpaid.

    Examples
    --------
    >>> row = [(5, 3), (0, 0)]
    >>> table = Table.nested([[(2, 0, [row, row]), (0, 0)]])
    >>> dues = Dues.spread(table, np.array([4, 0, 0, 0, 0, 0]), budget=9)
    >>> dues.unpaid(np.array([0, 0, 1])), dues.unpaid(np.array([0, 0, 0]))
    ({0: 4}, {})
    """

    table: Table
    due: Ints
    shares: Ints
    price: float = 0

    @classmethod
    def spread(cls, table: Table, due: Ints, budget: int, price: float = 0) -> Dues:
        """Choose the shares for a budget; tiny tables are not worth a compiler, and have none.

        A price that was found for a table much like this one saves the search for it.
        """
        if table.options <= TINY or not due.any():
            return cls(table, due, np.zeros(table.classes, dtype=np.int64))
        # Compiled code is loaded only where it is needed.
        from mckp.solvers.kernels import dues

        arrays = (
            table.start.copy(),
            table.cost.copy(),
            table.value.astype(np.float64),
            table.parent_option.copy(),
            due,
        )
        price = price or dues.due_price(*arrays, budget)
        return cls(table, due, dues.spread(*arrays, price), price)

    @property
    def shared(self) -> Table:
        """The table with the shares: no selection costs more than it should."""
        paying = np.flatnonzero(self.shares)
        cost = self.table.cost.copy()
        cost[self.table.start[paying + 1] - 1] += self.shares[paying]
        return self._at(cost)

    def paid(self) -> Dues:
        """Charge every due, owed or not, so that no selection costs less than it should."""
        nobody = np.zeros_like(self.shares)
        return Dues(self._at(self.table.cost + self.due), np.zeros_like(self.due), nobody)

    def unpaid(self, choice: Ints) -> dict[int, int]:
        """Return what options still owe in a selection, by their places; nothing if all is paid."""
        start, parent = self.table.start, self.table.parent_option
        left = np.flatnonzero((choice >= 0) & (choice == np.diff(start) - 1) & (parent >= 0))
        left = left[self.due[parent[left]] > 0]
        owing, number = np.unique(parent[left], return_inverse=True)
        unpaid = self.due[owing].copy()
        np.subtract.at(unpaid, number, self.shares[left])
        short = unpaid > 0
        return dict(zip(owing[short].tolist(), unpaid[short].tolist(), strict=True))

    def beside(self, options: list[int]) -> list[int]:
        """Return all options with dues whose classes are opened by the same options as these'."""
        owing = np.flatnonzero(self.due)
        alike = np.isin(self._above(owing), self._above(np.array(options)))
        found: list[int] = owing[alike].tolist()
        return found

    def _above(self, options: Ints) -> Ints:
        classes = np.searchsorted(self.table.start, options, "right") - 1
        return self.table.parent_option[classes]

    def _at(self, cost: Ints) -> Table:
        table = self.table
        return Table.unchecked(table.start, cost, table.value, table.parent_option)
