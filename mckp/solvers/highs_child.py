"""A program in 0 and 1, given to HiGHS in a process of its own.

The other process runs this file, which imports nothing else of this library; it reads a job as
JSON from stdin and writes its answer as the last line of stdout.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any, Final

_START_UP: Final = 5.0
"""Seconds beyond twice the limit after which a process that does not answer is ended."""


def ask(job: dict[str, Any]) -> dict[str, Any] | None:
    """Let another process answer; None if it ends without one, as for lack of memory.

    Raises
    ------
    RuntimeError
        If it fails as a Python program, as when highspy cannot be imported there.
    """
    seconds = job["seconds"]
    patience = None if seconds is None else 2 * seconds + _START_UP
    # Without -P the folder of this file would stand first on the path of that process.
    command = [sys.executable, "-P", __file__]
    try:
        child = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return None
    if child.returncode == 1:
        raise RuntimeError(f"the process of HiGHS failed: {child.stderr.strip()}")
    return json.loads(child.stdout.splitlines()[-1]) if child.returncode == 0 else None


def main() -> None:
    """Read a job, write its answer."""
    print(json.dumps(answer(json.load(sys.stdin))))  # noqa: T201


def answer(job: dict[str, Any]) -> dict[str, Any]:
    """Maximize ``gain`` over rows of whole numbers.

    What is optimal, and the bound, are as HiGHS says; no options are named where it has found
    no solution.
    """
    highspy: Any = importlib.import_module("highspy")
    highs = highspy.Highs()
    for name, value in _settings(job).items():
        highs.setOptionValue(name, value)
    if highs.passModel(_program(highspy, job)) == highspy.HighsStatus.kError:
        return {"optimal": False, "taken": None, "bound": None, "nodes": 0}
    if job["hint"] is not None:
        hint = highspy.HighsSolution()
        hint.col_value = job["hint"]
        highs.setSolution(hint)
    highs.run()
    info = highs.getInfo()
    found = int(info.primal_solution_status) == int(highspy.SolutionStatus.kSolutionStatusFeasible)
    chosen = list(highs.getSolution().col_value) if found else []
    return {
        "optimal": highs.getModelStatus() == highspy.HighsModelStatus.kOptimal,
        "taken": [i for i, part in enumerate(chosen) if part > 0.5] if found else None,
        "bound": info.mip_dual_bound,
        "nodes": info.mip_node_count,
    }


def _settings(job: dict[str, Any]) -> dict[str, Any]:
    # All gains are whole numbers: whatever is less than one above a solution is not better.
    settings: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.5,
    }
    if job["seconds"] is not None:
        settings["time_limit"] = job["seconds"]
    if job["nodes"] is not None:
        settings["mip_max_nodes"] = min(job["nodes"], 2**31 - 1)
    return settings


def _program(highspy: Any, job: dict[str, Any]) -> Any:
    columns, rows = len(job["gain"]), len(job["lower"])
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = columns, rows
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = job["gain"]
    program.col_lower_, program.col_upper_ = [0.0] * columns, job["most"]
    program.row_lower_, program.row_upper_ = job["lower"], job["upper"]
    program.integrality_ = [highspy.HighsVarType.kInteger] * columns
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = job["starts"]
    program.a_matrix_.index_ = job["options"]
    program.a_matrix_.value_ = job["factors"]
    return program


if __name__ == "__main__":
    main()
