"""Answers of functions that are not ours: only the choice is used; totals are computed here."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

import numpy as np

from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.evaluation import cost_of, is_selection
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from mckp.solvers.base import Solver
    from mckp.table import Table

Answer: TypeAlias = "Solution | Sequence[int] | NDArray[np.int64]"
"""What a function may return: a solution, or its choice alone."""
SolverName: TypeAlias = Literal[
    "auto", "dp", "large", "cpsat", "highs", "greedy", "binary", "brute"
]
SolverLike: TypeAlias = "SolverName | Callable[..., Answer]"
"""The name of a solver, or a function of a table and a budget, as `mckp.solvers.Solver`."""

LIMITS: Final = frozenset({"time_limit", "work_limit", "start"})
"""The keywords of a solver, which a function may leave out."""


def evaluated(
    table: Table, budget: int, choice: ArrayLike, *, limits: Limits | None = None
) -> Solution:
    """Return a choice as a solution, with its value, its cost and our own bound.

    Parameters
    ----------
    table, budget
        As for `mckp.solvers.solve`.
    choice : int array [classes]
        For each class, the index of the option taken among its own options; -1 for a class that is
        not reached.
    limits : Limits, optional
        The limits whose clock gives the seconds of the solution; by default, a new one.

    Returns
    -------
    Solution
        It is ``optimal`` only if the bound of the table's relaxation proves it.

    Raises
    ------
    ValueError
        If the choice is not a selection, or costs more than the budget.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]])
    >>> solution = evaluated(table, 80, [2, 0])
    >>> solution.value, solution.cost, str(solution.status)
    (8, 25, 'feasible')
    """
    try:
        places = np.array(choice)
        if places.dtype.kind not in "iu":
            places = np.array([int(cast("str", place)) for place in places.tolist()])
    except (TypeError, ValueError) as error:
        raise ValueError(f"a choice must have one whole number per class: {error}") from None
    places = places.astype(np.int64)
    if places.shape != (table.classes,):
        raise ValueError(
            f"a choice must have one number for each of {table.classes} classes, but has the "
            f"shape {places.shape}"
        )
    if not is_selection(table, places):
        raise ValueError(_invalid_message(table, places.tolist()))
    if (cost := cost_of(table, places)) > budget:
        raise ValueError(f"the choice costs {cost}, more than the budget of {budget}")
    problem = Problem.of(table, budget, limits)
    return greedy.as_solution(problem, places)


def _invalid_message(table: Table, choice: Sequence[int]) -> str:
    """Return a message about the first class whose option is not valid; there must be one."""
    start, parents = table.start.tolist(), table.parent_option.tolist()
    taken = {-1}
    for number, place in enumerate(choice):
        size, is_reached = start[number + 1] - start[number], parents[number] in taken
        if not is_reached and place != -1:
            return f"class {number} takes option {place}, but no chosen option opens it; use -1"
        if is_reached and not 0 <= place < size:
            return f"class {number} has options 0 to {size - 1}, not {place}"
        if is_reached:
            taken.add(start[number] + place)
    raise AssertionError("no class is wrong")


def checked_solver(call: Callable[..., Answer]) -> Solver:
    """Return a solver that uses only the choices of a function, and computes all else itself.

    The function gets those of `time_limit`, `work_limit` and `start` that it accepts. The solver
    raises `ValueError` if an answer is not a selection within the budget, or if the function says
    that there is none although there is.
    """
    accepted = _accepted_limits(call)

    def solve(
        table: Table,
        budget: int,
        *,
        time_limit: float | None = None,
        work_limit: int | None = None,
        start: Solution | None = None,
    ) -> Solution:
        """Call the function, and return its choice as a solution."""
        limits = Limits(time_limit)
        arguments = {"time_limit": time_limit, "work_limit": work_limit, "start": start}
        answer = call(
            table, budget, **{name: arguments[name] for name in arguments if name in accepted}
        )
        if isinstance(answer, Solution) and answer.status is Status.INFEASIBLE:
            problem = Problem.of(table, budget, limits)
            if problem.is_feasible:
                raise ValueError(
                    f"{_function_name(call)} found no selection, but one with a cost of "
                    f"{problem.floor} fits"
                )
            return problem.infeasible_solution()
        try:
            choice = answer.choice if isinstance(answer, Solution) else answer
            return evaluated(table, budget, choice, limits=limits)
        except ValueError as error:
            raise ValueError(
                f"the answer of {_function_name(call)} is not usable: {error}"
            ) from None

    return solve


def _accepted_limits(call: Callable[..., Answer]) -> frozenset[str]:
    """Return the names of the limits that a function accepts.

    These are all if it has ``**kwargs`` or its signature is not known.
    """
    try:
        parameters = signature(call).parameters.values()
    except (TypeError, ValueError):  # some functions in C do not say
        return LIMITS
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return LIMITS
    return LIMITS.intersection(
        parameter.name
        for parameter in parameters
        if parameter.kind is not Parameter.POSITIONAL_ONLY
    )


def _function_name(call: object) -> str:
    """Return the name of a function for messages."""
    return str(getattr(call, "__qualname__", type(call).__name__))
