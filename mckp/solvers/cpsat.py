"""OR-Tools CP-SAT: an independent solver, to check the others by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.errors import MissingExtraError
from mckp.solvers.base import Solution, Status
from mckp.solvers.kernels import sweep
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from types import ModuleType

    from mckp.solvers.kernels.jit import Ints
    from mckp.table import Table

_LIMIT: Final = 2**62


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve with CP-SAT: one boolean an option, one worker, a fixed seed.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit
        Seconds after which to give the best found so far, with its bound; the result then
        depends on the machine.

    Returns
    -------
    Solution
        Optimal in value and cost only if CP-SAT has proved it. Among equal optima the
        choice is CP-SAT's own.

    Raises
    ------
    MissingExtraError
        If OR-Tools is not installed.
    ValueError
        If ``value * (budget + 1) - cost`` does not fit 64 bits.

    Notes
    -----
    Memory O(options); time exponential in the worst case. The solver is that of L. Perron and
    F. Didier, "CP-SAT", Google 2024, https://developers.google.com/optimization/cp/cp_solver.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]])
    >>> solve(table, budget=80).value  # doctest: +SKIP
    9
    """
    cp_model = _ortools()
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    scale = 1 + min(problem.graph.budget, problem.graph.most_cost)
    model, options = _model(cp_model, problem, scale)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise ValueError(f"CP-SAT says {solver.status_name(status)} of a table with a solution")
    if status == cp_model.UNKNOWN:
        return problem.solution(_cheapest(problem), Status.FEASIBLE, problem.graph.most_value)
    bound = _bound(solver.best_objective_bound, problem, scale)
    taken = np.array([solver.boolean_value(option) for option in options], dtype=bool)
    proved = Status.OPTIMAL if status == cp_model.OPTIMAL else Status.FEASIBLE
    return problem.chosen(_choice(table, taken), proved, bound)


def _ortools() -> ModuleType:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MissingExtraError("ortools", "cpsat") from None
    return cp_model


def _model(cp_model: Any, problem: Problem, scale: int) -> tuple[Any, list[Any]]:
    table, graph = problem.table, problem.graph
    gain = [v * scale - w for v, w in zip(graph.value.tolist(), graph.cost.tolist(), strict=True)]
    if sum(map(abs, gain)) >= _LIMIT:
        raise ValueError("values times (budget + 1) do not fit the 64 bits of CP-SAT")
    model = cp_model.CpModel()
    options = [model.new_bool_var(f"o{o}") for o in range(table.options)]
    for i, owner in enumerate(table.parent_option.tolist()):
        reached = 1 if owner < 0 else options[owner]
        model.add(sum(options[table.start[i] : table.start[i + 1]]) == reached)
    total = cp_model.LinearExpr.weighted_sum(options, table.cost.tolist())
    model.add(total <= graph.budget)
    model.maximize(cp_model.LinearExpr.weighted_sum(options, gain))
    return model, options


def _bound(objective: float, problem: Problem, scale: int) -> int:
    # The bound is a float: above 2**53 it may be rounded down, so it is moved up by an ulp.
    rounded = int(np.nextafter(objective, np.inf)) + 1
    return min((rounded + scale - 1) // scale, problem.graph.most_value)


def _cheapest(problem: Problem) -> Ints:
    return sweep.suffix(*problem.graph.arrays, 0, 1)[2]


def _choice(table: Table, taken: np.ndarray[Any, np.dtype[np.bool_]]) -> Ints:
    choice = np.full(table.classes, -1, dtype=np.int64)
    options = np.flatnonzero(taken)
    owners = table.class_of[options]
    choice[owners] = options - table.start[owners]
    return choice
