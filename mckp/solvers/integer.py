"""A table as a 0-1 program, for integer programming solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.distinct import distinct
from mckp.solvers.evaluation import owing_openers, taken_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.solvers.problem import Problem
    from mckp.table import Flags, Ints, Table


class Constraint(NamedTuple):
    """A constraint: the sum of some columns, each times a factor, is between two numbers."""

    low: int
    high: int
    columns: Sequence[int]
    factors: Sequence[int]


@dataclass(frozen=True, slots=True)
class IntegerProgram:
    """Columns of 0 or 1 under rows of whole numbers.

    The columns are the options of the table, and after them the `payers`, the options that may owe
    a setup cost. `value` and `cost` are in the largest units in which all are whole: `value` times
    `unit` is the value in units of the problem. A column that is not `allowed` costs more than the
    budget by itself.
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
        """Write a problem as a program. O(classes + options)."""
        table = problem.table
        opener = table.parent_option[table.class_of]
        owing = table.owing & (opener >= 0) & (table.setup[opener] > 0)
        payers = distinct(opener[owing])
        costs = np.concatenate((table.cost, table.setup[payers]))
        allowed = costs <= problem.budget
        cost_unit, unit = _unit(costs[allowed]), _unit(problem.scaled.units)
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

    def taken(self, choice: Ints) -> Flags:
        """Return a mask of the columns that are 1 in a choice: options, owed setup costs."""
        taken = np.zeros(self.table.options, dtype=bool)
        taken[taken_options(self.table, choice)] = True
        return np.append(taken, np.isin(self.payers, owing_openers(self.table, choice)))


def _unit(amounts: Ints) -> int:
    """Return the largest unit in which all amounts are whole."""
    return max(1, int(np.gcd.reduce(amounts))) if amounts.size else 1
