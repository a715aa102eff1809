"""A table as a 0-1 program, for integer programming solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.distinct import distinct
from mckp.frozen import frozen
from mckp.solvers.evaluation import owing_openers, taken_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.solvers.problem import Problem
    from mckp.table import Flags, Ints, Table


class Constraint(NamedTuple):
    """A constraint: the sum of some columns, each times a factor, is from `low` to `high`."""

    low: int
    high: int
    columns: Sequence[int]
    factors: Sequence[int]


@frozen
class IntegerProgram:
    """A problem as a 0-1 program with integer constraints.

    The columns are the options of the table and, after them, the setup costs of the `payers`.

    Attributes
    ----------
    table : Table
        The table.
    payers : array of int64
        The options that may owe a setup cost.
    value, cost : array of int64 [columns]
        The value and cost of each column, in the largest units in which all are whole.
    unit : int
        The unit of `value`, in units of the problem.
    allowed : array of bool [columns]
        Whether the column alone is within the budget; others have a cost of 0 and must be 0.
    budget : int
        The budget, in the unit of `cost`.
    """

    table: Table
    payers: Ints
    value: Ints
    cost: Ints
    unit: int
    allowed: Flags
    budget: int

    @classmethod
    def of(cls, problem: Problem) -> IntegerProgram:
        """Build the program of a problem. Takes O(classes + options)."""
        table = problem.table
        opener = table.parent_option[table.class_of]
        owing = table.owing & (opener >= 0) & (table.setup[opener] > 0)
        payers = distinct(opener[owing])
        costs = np.concatenate((table.cost, table.setup[payers]))
        allowed = costs <= problem.budget
        cost_unit, unit = _common_unit(costs[allowed]), _common_unit(problem.scaled.units)
        cost = np.where(allowed, costs // cost_unit, 0)
        value = np.concatenate((problem.scaled.units // unit, np.zeros(payers.size, np.int64)))
        budget = min(problem.budget, problem.most_cost) // cost_unit
        return cls(table, payers, value, cost, unit, allowed, budget)

    def rows(self) -> Iterator[Constraint]:
        """Yield the constraints: a reached class takes one option, and owed setup costs are paid.

        The last row requires that all costs fit the budget.
        """
        table, start = self.table, self.table.start.tolist()
        payer = {
            option: table.options + payer_number
            for payer_number, option in enumerate(self.payers.tolist())
        }
        owing = table.owing.tolist()
        for number, opener in enumerate(table.parent_option.tolist()):
            options = range(start[number], start[number + 1])
            if opener < 0:
                yield Constraint(1, 1, options, [1] * len(options))
                continue
            yield Constraint(0, 0, [*options, opener], [*([1] * len(options)), -1])
            if opener in payer:
                for option in options:
                    if owing[option]:
                        yield Constraint(-1, 0, [option, payer[opener]], [1, -1])
        yield Constraint(0, self.budget, range(self.cost.size), self.cost.tolist())

    def taken_columns(self, choice: Ints) -> Flags:
        """Flag the columns that are 1 in a choice: its options, and the setup costs it owes."""
        is_taken = np.zeros(self.table.options, dtype=bool)
        is_taken[taken_options(self.table, choice)] = True
        return np.append(is_taken, np.isin(self.payers, owing_openers(self.table, choice)))


def _common_unit(amounts: Ints) -> int:
    """Return the largest unit of which all amounts are multiples; 1 if all are 0."""
    return max(1, int(np.gcd.reduce(amounts))) if amounts.size else 1
