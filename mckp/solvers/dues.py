"""Costs that an option owes once if any class it opens is left out, spread over these classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.auto import TINY
from mckp.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.jit import Ints


@dataclass(frozen=True, slots=True)
class Dues:
    """A table in which no selection costs more than with its dues, and the best ones as much.

    An option with a due owes it once if any of the classes that it opens takes its last option,
    by which it is left out, at no cost. A table has no such options; here each of these classes
    pays a share of the due in its last option, and all shares together are the due. So the
    table is a relaxation, and exact for a selection in which no due is paid in part (`short`).

    Parameters
    ----------
    table : Table
        The table with shares.
    due : int64 array [options]
        What each option owes, 0 if nothing.
    shares : int64 array [classes]
        What each class pays if it is left out.

    Notes
    -----
    ``due >= share 1 + ... + share n`` over the classes left out is the bound of Lagrangian
    relaxation of "owed if the first is left out, owed if the second is, ..."; the shares are
    its multipliers. Those that `spread` finds are the best ones at the price of the linear
    relaxation, so what is left is rounding: some few options in thousands.
    """

    table: Table
    due: Ints
    shares: Ints

    @classmethod
    def spread(cls, table: Table, due: Ints, budget: int) -> Dues:
        """Choose the shares for a budget; tiny tables are not worth a compiler, and have none."""
        shares = np.zeros(table.classes, dtype=np.int64)
        if table.options > TINY and due.any():
            # Compiled code is loaded only where it is needed.
            from mckp.solvers.kernels import dues

            start, parent, cost = (
                each.copy() for each in (table.start, table.parent_option, table.cost)
            )
            value = table.value.astype(np.float64)
            shares = dues.spread(start, cost, value, parent, due, budget)
            cost[start[1:][shares > 0] - 1] += shares[shares > 0]
            table = Table.unchecked(table.start, cost, table.value, table.parent_option)
        return cls(table, due, shares)

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


def paid(table: Table, due: Ints) -> Table:
    """Return a table in which every due is paid, owed or not, so that every choice fits."""
    return Table.unchecked(table.start, table.cost + due, table.value, table.parent_option)
