"""OR-Tools CP-SAT: an independent solver, to check the others by."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.errors import MissingExtraError
from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from mckp.jit import Ints
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
        Seconds that CP-SAT may take; its model is built before they begin.
    work_limit
        CP-SAT's deterministic time in units of 1e-9, each about one elementary operation:
        1e9 of them take about a second, and stop at the same place on every machine.
    start
        A hint for CP-SAT; taken if it fits the budget and is better than what is found.

    Returns
    -------
    Solution
        Optimal in value and cost only if CP-SAT has proved it. Among equal optima the
        choice is CP-SAT's own. If CP-SAT has found nothing at a limit, or the numbers do not
        fit its 64 bits, it is the selection and the bound of ``greedy``, not called optimal.
        If only ``value * (budget + 1) - cost`` does not fit them, the value alone is maximized.

    Raises
    ------
    MissingExtraError
        If OR-Tools is not installed.

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
    scale, gain = _objective(problem)
    model, options = _model(cp_model, problem, gain)
    if start is not None and greedy.fits(problem, start.choice):
        for option, hint in zip(options, taken_of(table, start.choice).tolist(), strict=True):
            model.add_hint(option, hint)
    solver = _solver(cp_model, time_limit, work_limit)
    status = solver.solve(model)
    if status in (cp_model.UNKNOWN, cp_model.MODEL_INVALID):
        fallback = greedy.solve(table, budget, start=start)
        return replace(fallback, status=Status.FEASIBLE)
    if status == cp_model.INFEASIBLE:
        raise AssertionError("CP-SAT says that a table with a solution has none")
    taken = np.array([solver.boolean_value(option) for option in options], dtype=bool)
    choice = choice_of(table, taken)
    if status == cp_model.OPTIMAL and scale > 1:
        return problem.chosen(choice, Status.OPTIMAL, greedy.totals(problem, choice)[0])
    bound = _bound(solver.best_objective_bound, problem, scale)
    return problem.chosen(greedy.better(problem, choice, start), Status.FEASIBLE, bound)


def _ortools() -> ModuleType:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MissingExtraError("ortools", "cpsat") from None
    return cp_model


def _solver(cp_model: Any, time_limit: float | None, work_limit: int | None) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = max(0.0, time_limit)
    if work_limit is not None:
        solver.parameters.max_deterministic_time = work_limit * 1e-9
    return solver


def _objective(problem: Problem) -> tuple[int, list[int]]:
    """Return what a unit of value counts, and each option's gain; costs count if they fit."""
    graph = problem.graph
    scale = 1 + max(1, min(graph.budget, graph.most_cost))
    values, costs = graph.value.tolist(), graph.cost.tolist()
    gain = [v * scale - w for v, w in zip(values, costs, strict=True)]
    return (scale, gain) if sum(map(abs, gain)) < _LIMIT else (1, values)


def _model(cp_model: Any, problem: Problem, gain: list[int]) -> tuple[Any, list[Any]]:
    table = problem.table
    model = cp_model.CpModel()
    options = [model.new_bool_var(f"o{o}") for o in range(table.options)]
    for i, owner in enumerate(table.parent_option.tolist()):
        reached = 1 if owner < 0 else options[owner]
        model.add(sum(options[table.start[i] : table.start[i + 1]]) == reached)
    total = cp_model.LinearExpr.weighted_sum(options, table.cost.tolist())
    model.add(total <= problem.graph.budget)
    model.maximize(cp_model.LinearExpr.weighted_sum(options, gain))
    return model, options


def _bound(objective: float, problem: Problem, scale: int) -> int:
    # The bound is a float: above 2**53 it may be rounded down, so it is moved up by an ulp.
    rounded = int(np.nextafter(objective, np.inf)) + 1
    return min((rounded + scale - 1) // scale, problem.graph.most_value)


def taken_of(table: Table, choice: Ints) -> NDArray[np.bool_]:
    """Mark the options that a choice takes."""
    taken = np.zeros(table.options, dtype=bool)
    taken[(table.start[:-1] + choice)[choice >= 0]] = True
    return taken


def choice_of(table: Table, taken: NDArray[np.bool_]) -> Ints:
    """Return the choice that takes the options marked."""
    choice = np.full(table.classes, -1, dtype=np.int64)
    options = np.flatnonzero(taken)
    owners = table.class_of[options]
    choice[owners] = options - table.start[owners]
    return choice
