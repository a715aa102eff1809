"""HiGHS: solves the table as a mixed-integer program, to check and compare other solvers."""

from __future__ import annotations

import math
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mckp.errors import import_extra
from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.evaluation import choice_of
from mckp.solvers.integer import IntegerProgram
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.table import Flags, Table

TRUSTED: Final = 2**26
"""Totals up to this are small enough to believe a proof: HiGHS computes in floats, with
tolerances, and at 2**33 it was seen to call an objective optimal that is not."""
LARGEST: Final = 2**40
"""Totals beyond this are not given to HiGHS at all."""

Answer: TypeAlias = "tuple[Flags | None, bool, int]"
"""The columns taken, or None; whether value and cost are proved; the nodes of both searches."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve with the HiGHS that OR-Tools brings: one binary variable per option, without a gap.

    The value comes first, the least cost of that value second. HiGHS computes in floats with
    tolerances. Its choice is therefore rounded and added up in whole numbers, and is called optimal
    only if HiGHS has proved these very totals, and the numbers are small (`TRUSTED`). Else the
    bound is that of the relaxation, which unlike that of HiGHS is in whole numbers. If ``greedy``
    or `start` has a better selection, or HiGHS has none that fits, or totals pass `LARGEST`, the
    result is that selection. Among equal optima the choice is HiGHS's own.

    A work limit counts nodes of its branch and bound, for each of the two objectives.

    Q. Huangfu and J. A. J. Hall, "Parallelizing the dual revised simplex method", Mathematical
    Programming Computation 10 (2018), https://highs.dev.
    """
    mathopt = import_extra("ortools.math_opt.python.mathopt", "ortools", "highs")
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible_solution()
    program = IntegerProgram.of(problem)
    total = max(
        sum(map(abs, column_numbers.tolist())) for column_numbers in (program.value, program.cost)
    )
    taken, is_proved, nodes = None, False, 0
    if total <= LARGEST:
        taken, is_proved, nodes = maximize(mathopt, program, time_limit, work_limit)
    heuristic = greedy.as_solution(
        problem, problem.better_choice(greedy.spend_rest(problem), start)
    )
    best, is_whole = heuristic.choice, False
    if taken is not None:
        choice = choice_of(table, np.flatnonzero(taken[: table.options]))
        if problem.fits(choice):
            best = problem.better_choice(choice, heuristic)
            is_whole = best is choice and bool((program.taken_columns(choice) == taken).all())
    status, bound = Status.FEASIBLE, problem.relaxation.bound
    if is_proved and is_whole and total <= TRUSTED:
        status, bound = Status.OPTIMAL, problem.totals(best)[0]
    return problem.solution(best, status, bound, statistics={"nodes": nodes})


def maximize(
    mathopt: Any, program: IntegerProgram, time_limit: float | None, node_limit: int | None
) -> Answer:
    """Maximize the value of a program, then minimize the cost at that value, with HiGHS.

    `time_limit` is for both together, in seconds, and `node_limit` for each.
    """
    started, node_count = time.perf_counter(), 0
    model = mathopt.Model()
    columns = [
        model.add_integer_variable(lb=0, ub=int(is_allowed)) for is_allowed in program.allowed
    ]

    def weighted_sum(column_indexes: Any, factors: Any) -> Any:
        """Return the expression of a sum of columns times factors."""
        return mathopt.fast_sum(
            factor * columns[column] for column, factor in zip(column_indexes, factors, strict=True)
        )

    for row in program.rows():
        model.add_linear_constraint(
            lb=row.low, ub=row.high, expr=weighted_sum(row.columns, row.factors)
        )
    taken: Flags | None = None
    for objective_factors in (program.value, -program.cost):
        objective = weighted_sum(range(objective_factors.size), objective_factors.tolist())
        model.maximize(objective)
        seconds_left = (
            None if time_limit is None else max(0.0, time_limit - time.perf_counter() + started)
        )
        limits = mathopt.SolveParameters(
            time_limit=None if seconds_left is None else timedelta(seconds=seconds_left),
            node_limit=None if node_limit is None else min(node_limit, 2**31 - 1),
            # All gains are whole numbers: whatever is less than one above a solution is not better.
            absolute_gap_tolerance=0.5,
            relative_gap_tolerance=0.0,
            random_seed=0,
        )
        result = mathopt.solve(model, mathopt.SolverType.HIGHS, params=limits)
        node_count += result.solve_stats.node_count
        if not result.has_primal_feasible_solution():
            return taken, False, node_count
        is_chosen = np.array(result.variable_values(columns), dtype=np.float64) > 0.5
        if taken is not None and program.value @ is_chosen < program.value @ taken:
            return taken, False, node_count
        taken, objective_value = is_chosen, int(objective_factors @ is_chosen)
        is_optimal = result.termination.reason == mathopt.TerminationReason.OPTIMAL
        if not is_optimal or objective_value < math.floor(
            result.termination.objective_bounds.dual_bound
        ):
            return taken, False, node_count
        model.add_linear_constraint(lb=objective_value, expr=objective)
    return taken, True, node_count
