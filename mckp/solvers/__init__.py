"""Solvers for multiple-choice knapsack problems, by name; each is imported when it is first used.

Examples
--------
>>> from mckp.solvers import Table, solve
>>> table = Table.flat(costs=[[0, 40, 25], [0, 60]], values=[[0, 9, 8], [0, 5]])
>>> solve(table, budget=80).choice.tolist()
[1, 0]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.errors import UnknownNameError
from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.solvers.base import Solution as Solution
    from mckp.solvers.base import Solver as Solver
    from mckp.solvers.base import Status as Status
    from mckp.solvers.contract import check as check
    from mckp.solvers.evaluation import cost_of as cost_of
    from mckp.solvers.frontiers import frontier as frontier
    from mckp.solvers.linear import choice_of_columns as choice_of_columns
    from mckp.solvers.linear import to_lp as to_lp
    from mckp.solvers.linear import to_mps as to_mps
    from mckp.solvers.long import from_frame as from_frame
    from mckp.solvers.long import to_frame as to_frame
    from mckp.solvers.outside import SolverLike as SolverLike
    from mckp.solvers.outside import evaluated as evaluated
    from mckp.table import Table as Table

_HOMES = homes_of(
    {
        "mckp.solvers.base": "Solution Solver Status",
        "mckp.solvers.contract": "check",
        "mckp.solvers.evaluation": "cost_of",
        "mckp.solvers.frontiers": "frontier",
        "mckp.solvers.linear": "choice_of_columns to_lp to_mps",
        "mckp.solvers.long": "from_frame to_frame",
        "mckp.solvers.outside": "SolverLike evaluated",
        "mckp.table": "Table",
    }
)
__all__ = ("SOLVERS", "get", "solve", *_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)

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


def get(name: SolverLike | str) -> Solver:
    """Return the solver with a name, or wrap a function as a solver that checks its answers.

    Raises `UnknownNameError` for an unknown name, and `TypeError` for anything but a name or a
    function. A solver whose package is not installed raises `MissingExtraError` when it is called.
    """
    if not isinstance(name, str):
        if not callable(cast("object", name)):
            raise TypeError(f"a solver must be a name or a function, not {type(name).__name__}")
        from mckp.solvers.outside import checked_solver

        return checked_solver(name)
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    return cast("Solver", importlib.import_module(SOLVERS[name]).solve)


def solve(
    table: Table | Iterable[Iterable[Sequence[Any]]],
    budget: int,
    solver: SolverLike | str = "auto",
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Choose one option for each reached class, with the greatest value within the budget.

    Ties go to the lower cost; each solver documents ties in both.

    `table` may be nested lists, as `Table.nested` takes them: ``[[(0, 0), (40, 9)]]`` is one class
    of two options, each a cost and a value. `solver` is one of `SOLVERS`, or a function with the
    signature of `Solver`, which returns a `Solution` or only a choice. The totals of a function's
    answer are computed here (see `evaluated`); an answer that is not a selection within the budget
    raises a `ValueError`.

    After `time_limit` seconds or `work_limit` operations the best solution so far is returned.
    `start` is a solution to begin from, such as that of the same table with another budget; see
    `mckp.solvers.base.Solver`. A budget that is negative or not a whole number raises a
    `ValueError`.

    Examples
    --------
    >>> solve([[(0, 0), (40, 9)]], 80).value
    9
    >>> def first(table, budget, **_):
    ...     return [0] * table.classes
    >>> solution = solve([[(0, 0), (40, 9)]], 80, first)
    >>> solution.value, solution.bound, str(solution.status)
    (0, 9, 'feasible')
    """
    from mckp.table import Table

    call = get(solver)
    if isinstance(cast("object", table), str | bytes):
        raise TypeError(f"expected a Table or nested lists, got {type(table).__name__}")
    table = table if isinstance(table, Table) else Table.nested(table)
    return call(table, budget, time_limit=time_limit, work_limit=work_limit, start=start)
