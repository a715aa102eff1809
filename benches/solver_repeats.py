"""When compiled code pays: a large table solved once, or many of them in one process.

    python benches/solver_repeats.py [--quick] [--json OUT]

solves tables of several families and sizes, 1 to 100 times, each in a new process, with the default
solver, with `dp` (NumPy) and with `large` (Numba): seconds of processor time, what is loaded or
compiled included. The last column is the default beside the faster of the other two.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solver_figures import add_common, rounded, show, store

if TYPE_CHECKING:
    from collections.abc import Sequence

FAMILIES: Final = ("uncorrelated", "weakly", "strongly", "subsetsum")
CLASSES: Final = (1_000, 10_000, 28_000)
REPEATS: Final = (1, 10, 100)
SOLVERS: Final = ("auto", "dp", "large")
OPTIONS: Final = 8
HEADS: Final = ("family", "classes", "repeats", *SOLVERS, "ratio")

PROGRAM: Final = f"""
import sys, time
import instances
from mckp.solvers import solve
family, classes, repeats, solver = sys.argv[1:]
made = [
    instances.flat(family, seed=seed, classes=int(classes), options={OPTIONS}) for seed in (1, 2, 3)
]
start = time.process_time()
for number in range(int(repeats)):
    instance = made[number % len(made)]
    solve(instance.table, instance.budget, solver)
print(time.process_time() - start)
"""


def seconds(family: str, classes: int, repeats: int, solver: str) -> float:
    """Solve in a new process, and return the seconds of its processor that this took."""
    cell = [family, str(classes), str(repeats), solver]
    command = [sys.executable, "-c", PROGRAM, *cell]
    folder = Path(__file__).parent
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return rounded(float(run.stdout.split()[-1]))


def measured(family: str, classes: int, repeats: int, solvers: Sequence[str]) -> dict[str, Any]:
    """Return the figures of one cell."""
    times = {solver: seconds(family, classes, repeats, solver) for solver in solvers}
    fastest = min(time for solver, time in times.items() if solver != "auto")
    ratio = rounded(times["auto"] / max(1e-6, fastest))
    return {"family": family, "classes": classes, "repeats": repeats, **times, "ratio": ratio}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the cells, show them, and write them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_common(parser)
    args = parser.parse_args(arguments)
    cells = list(product(FAMILIES, CLASSES, REPEATS))
    solvers: Sequence[str] = SOLVERS
    if args.quick:  # compiling may take minutes
        cells, solvers = [("weakly", 1_000, 1)], SOLVERS[:2]
    seconds(*cells[0], solvers[-1])  # so that its code is in the cache
    rows = [measured(*cell, solvers) for cell in cells]
    show("seconds of processor time", rows, *HEADS)
    store(args.json, {"options": OPTIONS, "cells": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
