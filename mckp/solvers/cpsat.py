"""OR-Tools CP-SAT: an independent solver to check the others with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.errors import import_extra
from mckp.solvers import greedy
from mckp.solvers.base import Limits, Solution, Status
from mckp.solvers.evaluation import choice_of
from mckp.solvers.integer import IntegerProgram
from mckp.solvers.problem import Problem
from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from mckp.table import Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve with CP-SAT: one boolean per option, one worker, a fixed seed.

    The model is built before CP-SAT gets what is left of the time limit. A work limit is CP-SAT's
    deterministic time in units of 1e-9, each about one elementary operation: 1e9 of them take about
    a second, and stop at the same place on every machine.

    The solution is optimal in value and cost only if CP-SAT has proved it. Among equal optima the
    choice is CP-SAT's own. If CP-SAT has found nothing at a limit, or the numbers do not fit its 64
    bits, the result is the selection and the bound of ``greedy``, never called optimal. If only
    ``value * (budget + 2) - cost`` does not fit them, the value alone is maximized.

    L. Perron and F. Didier, "CP-SAT", Google 2024,
    https://developers.google.com/optimization/cp/cp_solver.
    """
    cp_model = import_extra("ortools.sat.python.cp_model", "ortools", "cpsat")
    limits = Limits(time_limit)
    problem = Problem.of(table, budget, limits)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    program = IntegerProgram.of(problem)
    unit = 2 + program.budget
    gains = [
        option_value * unit - option_cost
        for option_value, option_cost in zip(
            program.value.tolist(), program.cost.tolist(), strict=True
        )
    ]
    if sum(map(abs, gains)) >= 4 * SUM_LIMIT:
        unit, gains = 1, program.value.tolist()
    model, columns = _build_model(cp_model, program, gains)
    if start is not None and problem.fits(start.choice):
        for column, hint in zip(columns, program.taken_columns(start.choice).tolist(), strict=True):
            model.add_hint(column, hint)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    if limits.time_left is not None:
        solver.parameters.max_time_in_seconds = limits.time_left
    if work_limit is not None:
        solver.parameters.max_deterministic_time = work_limit * 1e-9
    status = solver.solve(model)
    if status in (cp_model.UNKNOWN, cp_model.MODEL_INVALID):
        fallback = greedy.solve(table, budget, start=start)
        return replace(fallback, status=Status.FEASIBLE)
    if status == cp_model.INFEASIBLE:
        raise AssertionError("CP-SAT says that a table with a solution has none")
    taken = np.array([solver.boolean_value(column) for column in columns], dtype=bool)
    choice = choice_of(table, np.flatnonzero(taken[: table.options]))
    if status == cp_model.OPTIMAL and unit > 1:
        return problem.solution(choice, Status.OPTIMAL, problem.totals(choice)[0])
    # The bound is a float: above 2**53 it may be rounded down, so it is moved up by an ulp.
    bound = int(np.nextafter(solver.best_objective_bound, np.inf)) + 1
    bound = min(-(-bound // unit) * program.unit, problem.scaled.most)
    return problem.solution(problem.better_choice(choice, start), Status.FEASIBLE, bound)


def _build_model(cp_model: Any, program: IntegerProgram, gains: list[int]) -> tuple[Any, list[Any]]:
    """Return a CP-SAT model of a program that maximizes the total gain, and its columns.

    `gains` has the gain of each column.
    """
    model = cp_model.CpModel()
    columns = [model.new_int_var(0, int(most), "") for most in program.allowed]
    for row in program.rows():
        members = [columns[column] for column in row.columns]
        total = cp_model.LinearExpr.weighted_sum(members, row.factors)
        model.add_linear_constraint(total, row.low, row.high)
    model.maximize(cp_model.LinearExpr.weighted_sum(columns, gains))
    return model, columns
