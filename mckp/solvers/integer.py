"""A table as a program in 0 and 1, for solvers of such programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mckp.solvers.evaluation import owing_openers, taken_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.solvers.problem import Problem
    from mckp.table import Table

    Ints = NDArray[np.int64]
    Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Program:
    """Columns of 0 or 1 under rows of whole numbers.

    The columns are the options of the table, and after them what may owe a setup cost. Rows say
    that a class takes one option if it is reached, that an owing option has its setup cost paid,
    and, the last one, that all costs fit the budget.

    Parameters
    ----------
    payers
        The options that may owe a setup cost.
    value, cost
        Of each column, in the largest units in which all are whole; `value` times `unit` is the
        value in units of the problem.
    unit
        See there.
    allowed
        Which columns fit the budget by themselves.
    starts, columns, factors
        Row ``r`` has the columns and factors ``starts[r] .. starts[r + 1] - 1``.
    lower, upper
        Between what a row lies.
    """

    payers: Ints
    value: Ints
    cost: Ints
    unit: int
    allowed: Flags
    starts: Ints
    columns: Ints
    factors: Ints
    lower: Ints
    upper: Ints

    @classmethod
    def of(cls, problem: Problem) -> Program:
        """Write a problem as a program. O(classes + options)."""
        table, parent = problem.table, problem.table.parent_option
        below, opener = np.flatnonzero(parent >= 0), parent[table.class_of]
        owing = np.flatnonzero(table.owing & (opener >= 0))
        owing = owing[table.setup[opener[owing]] > 0]
        payers = np.unique(opener[owing])
        costs = np.concatenate((table.cost, table.setup[payers]))
        allowed = costs <= problem.budget
        cost_unit, unit = _unit(costs[allowed]), _unit(problem.scaled.units)
        cost = np.where(allowed, costs // cost_unit, 0)
        value = np.concatenate((problem.scaled.units // unit, np.zeros(payers.size, np.int64)))
        every, each = np.arange(costs.size), table.classes + np.arange(owing.size)
        last = table.classes + owing.size
        rows = np.concatenate((table.class_of, below, each, each, np.full(every.size, last)))
        payer = table.options + np.searchsorted(payers, opener[owing])
        columns = np.concatenate((every[: table.options], parent[below], owing, payer, every))
        ones = np.repeat([1, -1, 1, -1], [table.options, below.size, owing.size, owing.size])
        order = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[order], np.arange(last + 2))
        factors = np.concatenate((ones, cost))[order]
        budget = min(problem.budget, problem.most_cost) // cost_unit
        reached = (parent < 0).astype(np.int64)
        lower = np.concatenate((reached, np.full(owing.size, -1), [0]))
        upper = np.concatenate((reached, np.zeros(owing.size, np.int64), [budget]))
        entries = starts, columns[order], factors
        return cls(payers, value, cost, unit, allowed, *entries, lower, upper)

    def taken(self, table: Table, choice: Ints) -> Flags:
        """Mark the columns of a choice: its options, and the setup costs that it owes."""
        taken = np.zeros(table.options, dtype=bool)
        taken[taken_options(table, choice)] = True
        return np.append(taken, np.isin(self.payers, owing_openers(table, choice)))

    def choice(self, table: Table, taken: Flags) -> Ints:
        """Return the choice of the options marked."""
        choice, options = np.full(table.classes, -1), np.flatnonzero(taken[: table.options])
        owners = table.class_of[options]
        choice[owners] = options - table.start[owners]
        return choice


def _unit(amounts: Ints) -> int:
    return max(1, int(np.gcd.reduce(amounts))) if amounts.size else 1
