"""Check the contract of a solver that is not part of mckp, with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers import brute
from mckp.table import Table

if TYPE_CHECKING:
    from typing import Any

    from mckp.solvers.outside import SolverLike

SEED: Final = 39


class ContractReport(NamedTuple):
    """The results of a solver on small tables with known optima.

    Attributes
    ----------
    runs : int
        The number of pairs of a table and a budget.
    best : int
        How often its value was the greatest possible.
    worst : float
        The least share of the greatest value that it reached, where that value is above 0.
    """

    runs: int
    best: int
    worst: float


def check(solver: SolverLike, *, tables: int = 200) -> ContractReport:
    """Compare the answers of a solver on small flat and nested tables with brute force.

    Parameters
    ----------
    solver : callable or str
        A function of a table and a budget that returns a solution, or its choice alone; or the name
        of a solver.
    tables : int, default 200
        How many tables, always the same ones, each within three budgets.

    Returns
    -------
    ContractReport
        How often it was best. A heuristic passes, too.

    Raises
    ------
    ValueError
        If an answer is no selection within its budget, or there is none though one fits.

    Examples
    --------
    >>> check("dp", tables=20)
    ContractReport(runs=60, best=60, worst=1.0)
    """
    from mckp.solvers import get  # which offers this function

    random, call = np.random.default_rng(SEED), get(solver)
    count, best, worst = 0, 0, 1.0
    for _ in range(tables):
        table = Table.nested([_class(random, 1) for _ in range(random.integers(1, 3))])
        floor = brute.solve(table, 0).floor or 0
        for share in (0, 0.3, 0.8):
            budget = floor + int(share * int(table.cost.sum()))
            most = brute.solve(table, budget)
            try:
                answer = call(table, budget)
            except Exception as error:
                error.add_note(f"the budget was {budget}, and the table {table.to_json()}")
                raise
            count += 1
            best += answer.value == most.value
            if most.value > 0:
                worst = min(worst, max(0.0, answer.value / most.value))
    return ContractReport(count, best, worst)


def _class(random: np.random.Generator, depth: int) -> list[tuple[Any, ...]]:
    """Return a random class: an option that cuts it, and options that cost or open classes."""
    options: list[tuple[Any, ...]] = [(int(random.integers(0, 2)), 0, (), 0, True)]
    for _ in range(random.integers(1, 4)):
        below = [_class(random, depth - 1) for _ in range(random.integers(0, 3))] if depth else []
        cost, value, setup = (int(random.integers(0, most)) for most in (12, 10, 3))
        options.append((cost, value, below, setup))
    return options
