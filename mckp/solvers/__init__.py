"""Solvers by name, each imported when it is first asked for.

Examples
--------
>>> from mckp.solvers import Table, solve
>>> table = Table.flat(costs=[[0, 40, 25], [0, 60]], values=[[0, 9, 8], [0, 5]])
>>> solve(table, budget=80).choice.tolist()
[1, 0]
"""

from __future__ import annotations

import importlib
from typing import Final, cast

from mckp.errors import UnknownNameError
from mckp.solvers.base import Solution, Solver, Status
from mckp.solvers.frontiers import frontier
from mckp.table import Table

__all__ = [
    "SOLVERS",
    "Solution",
    "Solver",
    "Status",
    "Table",
    "frontier",
    "get",
    "solve",
]

SOLVERS: Final = {
    "auto": "mckp.solvers.auto",
    "dp": "mckp.solvers.dp",
    "large": "mckp.solvers.large",
    "cpsat": "mckp.solvers.cpsat",
    "highs": "mckp.solvers.highs",
    "greedy": "mckp.solvers.greedy",
    "binary": "mckp.solvers.binary",
    "brute": "mckp.solvers.brute",
}
"""The module of each solver, the default first."""


def get(name: str) -> Solver:
    """Return a solver by its name.

    An unknown name is an UnknownNameError, a package that is not installed a MissingExtraError.
    """
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    return cast("Solver", importlib.import_module(SOLVERS[name]).solve)


def solve(
    table: Table,
    budget: int,
    solver: str = "auto",
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Choose one option of each class that is reached: most value, within the budget.

    Of equal values the lower cost wins; each solver says which one it gives of those equal in both.

    `solver` is one of `SOLVERS`. After `time_limit` seconds or `work_limit` operations the best
    found so far is given. `start` is a solution to begin from, as of the same table with another
    budget; see `mckp.solvers.base.Solver`. A budget that is negative or not a whole number is a
    ValueError.
    """
    call = get(solver)
    return call(table, budget, time_limit=time_limit, work_limit=work_limit, start=start)
