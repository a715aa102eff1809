"""HiGHS: the table as a mixed-integer program, to check the others by and to compare with."""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import os
import pickle
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mckp.errors import MissingExtraError
from mckp.solvers import greedy
from mckp.solvers.base import Solution, Status
from mckp.solvers.integer import Program
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from mckp.solvers.integer import Flags, Ints
    from mckp.table import Table

TRUSTED: Final = 2**26
"""Totals up to this are small enough to believe a proof: HiGHS computes in floats, with
tolerances, and at 2**33 it was seen to call an objective optimal that is not."""
LARGEST: Final = 2**40
"""Totals beyond this are not given to HiGHS at all."""
_START_UP: Final = 5.0
"""Seconds beyond twice the limit after which a process that does not answer is ended."""

Job: TypeAlias = "tuple[Program, Flags | None, float | None, int | None]"
"""A program, columns to begin with, and limits of time and of nodes for each objective."""
Answer: TypeAlias = "tuple[list[int] | None, bool, int]"
"""The columns taken, if any; whether value and cost are proved; nodes of both searches."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Solve with HiGHS: one binary an option, one thread, no gap, in a process of its own.

    The value comes first, the least cost of that value second. HiGHS computes in floats with
    tolerances. Its choice is therefore rounded and added up in whole numbers, and is called
    optimal only if HiGHS has proved it, that sum is what it has proved, and the numbers are small
    (`TRUSTED`).

    Parameters
    ----------
    time_limit
        Seconds that HiGHS may take; starting its process (about 0.1 seconds) comes on top.
    work_limit
        Nodes of its branch and bound, for each of the two objectives.
    start
        A first solution for HiGHS if it fits the budget; taken if it is better.

    Returns
    -------
    Solution
        Optimal in value and cost, or feasible with the bound of the relaxation, which unlike
        that of HiGHS is in whole numbers. Where ``greedy`` has more, or HiGHS has nothing that
        fits, or totals pass `LARGEST`, it is the selection of ``greedy``. Among equal optima
        the choice is HiGHS's own. Values that are not decimal numbers are never proved.

    Raises
    ------
    MissingExtraError
        If highspy is not installed.
    RuntimeError
        If the process of HiGHS fails to start; the message is what it wrote.

    Notes
    -----
    Memory O(options); time exponential in the worst case. The wheels of highspy and of OR-Tools
    each bring a shared library of one name in different versions, so that one process cannot
    import both: hence the second process. The solver is that of Q. Huangfu and J. A. J. Hall,
    "Parallelizing the dual revised simplex method", Mathematical Programming Computation 10
    (2018), https://highs.dev.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60]], [[0, 9, 8], [0, 5]])
    >>> solve(table, budget=80).value  # doctest: +SKIP
    9
    """
    if importlib.util.find_spec("highspy") is None:
        raise MissingExtraError("highspy", "highs")
    problem = Problem.of(table, budget)
    if not problem.is_feasible:
        return problem.infeasible()
    program = Program.of(problem)
    total = max(sum(map(abs, part.tolist())) for part in (program.value, program.cost))
    hint = program.taken(table, start.choice) if start and problem.fits(start.choice) else None
    job = program, hint, time_limit, work_limit
    named, proved, nodes = None, False, 0
    if not program.cost.size:
        named, proved = list[int](), True
    elif total <= LARGEST:
        named, proved, nodes = ask(job)
    rough = greedy.proved(problem, problem.better(greedy.filled(problem), start))
    best, taken = rough.choice, np.zeros(program.cost.size, dtype=bool)
    taken[named or []] = True
    choice = program.choice(table, taken)
    if named is not None and problem.fits(choice):
        best = problem.better(choice, rough)
    is_whole = best is choice and bool((program.taken(table, choice) == taken).all())
    status = Status.OPTIMAL if proved and is_whole and total <= TRUSTED else Status.FEASIBLE
    bound = problem.relaxation.bound
    if status is Status.OPTIMAL:
        bound = problem.totals(best)[0]
    return problem.solution(best, status, bound, statistics={"nodes": nodes})


def ask(job: Job) -> Answer:
    """Let another process answer; nothing is found if it ends without one.

    Raises
    ------
    RuntimeError
        If it fails as a Python program, as when highspy cannot be imported there.
    """
    patience = None if job[2] is None else 2 * job[2] + _START_UP
    command = [sys.executable, "-P", "-m", __name__]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        child = subprocess.run(
            command,
            input=pickle.dumps(job),
            capture_output=True,
            timeout=patience,
            env=os.environ | path,
        )
    except subprocess.TimeoutExpired:
        return None, False, 0
    if child.returncode == 1:
        raise RuntimeError(f"the process of HiGHS failed: {child.stderr.decode().strip()}")
    if child.returncode:
        return None, False, 0
    taken, proved, nodes = json.loads(child.stdout.splitlines()[-1])
    return taken, proved, nodes


def answer(job: Job) -> Answer:
    """Maximize the value, and then minimize the cost of that value, in this process."""
    program, hint, seconds, nodes = job
    began = time.perf_counter()
    taken, proved, count = _maximized(program, program.value, None, hint, seconds, nodes)
    if taken is not None and proved:
        least = int(program.value @ taken)
        left = None if seconds is None else max(0.0, seconds - time.perf_counter() + began)
        better, proved, more = _maximized(program, -program.cost, least, taken, left, nodes)
        count += more
        if better is not None and program.value @ better >= least:
            taken = better
        else:
            proved = False
    return None if taken is None else np.flatnonzero(taken).tolist(), proved, count


def _maximized(
    program: Program,
    gain: Ints,
    least: int | None,
    hint: Flags | None,
    seconds: float | None,
    nodes: int | None,
) -> tuple[Flags | None, bool, int]:
    """Maximize a gain, perhaps of a value that is not less than the least."""
    highspy: Any = importlib.import_module("highspy")
    highs = highspy.Highs()
    # All gains are whole numbers: whatever is less than one above a solution is not better.
    options = {"output_flag": False, "threads": 1, "random_seed": 0, "mip_rel_gap": 0.0}
    options |= {"mip_abs_gap": 0.5, "time_limit": math.inf if seconds is None else seconds}
    options |= {} if nodes is None else {"mip_max_nodes": min(nodes, 2**31 - 1)}
    for name, setting in options.items():
        highs.setOptionValue(name, setting)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = gain.size, program.lower.size
    model.sense_, model.col_cost_ = highspy.ObjSense.kMaximize, gain.astype(float)
    model.col_lower_, model.col_upper_ = np.zeros(gain.size), program.allowed.astype(float)
    model.row_lower_, model.row_upper_ = program.lower.astype(float), program.upper.astype(float)
    model.integrality_ = [highspy.HighsVarType.kInteger] * gain.size
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = program.starts, program.columns
    model.a_matrix_.value_ = program.factors.astype(float)
    if highs.passModel(model) == highspy.HighsStatus.kError:
        return None, False, 0
    if least is not None:
        every, values = np.arange(gain.size, dtype=np.int32), program.value.astype(float)
        highs.addRow(float(least), highspy.kHighsInf, gain.size, every, values)
    if hint is not None:
        solution = highspy.HighsSolution()
        solution.col_value = hint.astype(float).tolist()
        highs.setSolution(solution)
    highs.run()
    info = highs.getInfo()
    count = int(info.mip_node_count)
    if info.primal_solution_status != int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return None, False, count
    taken = np.array(highs.getSolution().col_value) > 0.5
    optimal = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return taken, bool(optimal and gain @ taken >= math.floor(info.mip_dual_bound)), count


if __name__ == "__main__":
    print(json.dumps(answer(pickle.load(sys.stdin.buffer))))  # noqa: T201
