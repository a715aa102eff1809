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
        The number of runs in which the solver reached the greatest possible value.
    worst : float
        The least share of the greatest value that it reached, among runs in which that is above 0.
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
        The number of tables, each of which is solved for three budgets. They are the same in every
        call.

    Returns
    -------
    ContractReport
        How often the solver was best. A heuristic passes, too.

    Raises
    ------
    ValueError
        If an answer is not a selection within its budget, or if there is no answer though a
        selection fits.

    Examples
    --------
    >>> check("dp", tables=20)
    ContractReport(runs=60, best=60, worst=1.0)
    """
    from mckp.solvers import get  # which offers this function

    random, solve = np.random.default_rng(SEED), get(solver)
    runs, best, worst = 0, 0, 1.0
    for _ in range(tables):
        table = Table.nested([_random_class(random, 1) for _ in range(random.integers(1, 3))])
        floor = brute.solve(table, 0).floor or 0
        for share in (0, 0.3, 0.8):
            budget = floor + int(share * int(table.cost.sum()))
            optimum = brute.solve(table, budget)
            try:
                answer = solve(table, budget)
            except Exception as error:
                error.add_note(f"the budget was {budget}, and the table {table.to_json()}")
                raise
            runs += 1
            best += answer.value == optimum.value
            if optimum.value > 0:
                worst = min(worst, max(0.0, answer.value / optimum.value))
    return ContractReport(runs, best, worst)


def _random_class(random: np.random.Generator, depth: int) -> list[tuple[Any, ...]]:
    """Return a random class: an owing option of value 0, and one to three further options.

    These may open classes if `depth` is above 0.
    """
    options: list[tuple[Any, ...]] = [(int(random.integers(0, 2)), 0, (), 0, True)]
    for _ in range(random.integers(1, 4)):
        opened = (
            [_random_class(random, depth - 1) for _ in range(random.integers(0, 3))]
            if depth
            else []
        )
        cost, value, setup = (int(random.integers(0, end)) for end in (12, 10, 3))
        options.append((cost, value, opened, setup))
    return options
