"""What the first call costs: imports, and loading or compiling the kernels.

    python benches/solver_start.py [--quick] [--json OUT]

starts processes that import `mckp.solvers` and solve one table (`solver_first_call`): a tiny one,
for which numba should not be needed, one of 1,000 classes, and a nested one. The kernels are
kept in a folder made for this: for each case the first process finds it empty and compiles,
the others load. The first call, beyond a later one, is loading or compiling kernels and importing
the solver's modules; importing numba is timed apart.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, fill, rounded, store
from solver_first_call import CASES

if TYPE_CHECKING:
    from collections.abc import Sequence

REPEAT: Final = 5
CHILD: Final = Path(__file__).with_name("solver_first_call.py")
COLUMNS: Final = ("process", "import", "numba import", "first call", "later call")


def measure(case: str, repeat: int, *, cold: bool) -> dict[str, Any]:
    """Start processes for one case.

    Parameters
    ----------
    case
        One of `solver_first_call.CASES`.
    repeat
        How many processes with warm kernels; the medians count.
    cold
        Whether the time of the process that compiles is told too.
    """
    with tempfile.TemporaryDirectory() as folder:
        first = _child(case, folder)
        warm = [_child(case, folder) for _ in range(repeat)]
    found: dict[str, Any] = {"case": case, "numba": warm[0]["numba"]}
    for key in COLUMNS:
        if key in warm[0]:
            found[key] = rounded(statistics.median(run[key] for run in warm))
    if cold and "first call" in first:
        found["compiling"] = rounded(first["first call"])
    return found


def _child(case: str, folder: str) -> dict[str, Any]:
    begin = time.perf_counter()
    child = subprocess.run(
        [sys.executable, str(CHILD), case],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
    )
    found: dict[str, Any] = json.loads(child.stdout)
    return found | {"process": (time.perf_counter() - begin) * 1000}


def show(console: Console, found: Sequence[dict[str, Any]]) -> None:
    """Print the medians."""
    table = Grid("case", *COLUMNS, "compiling", "numba", title="first calls, ms")
    for row in found:
        times = [float(row[key]) if key in row else "" for key in (*COLUMNS, "compiling")]
        fill(table, [[row["case"], *times, "imported" if row["numba"] else "not needed"]])
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all cases; 1 if a tiny one needs numba."""
    parser = argparse.ArgumentParser(description="Time first calls.")
    add_common(parser)
    parser.add_argument("--repeat", type=int, default=REPEAT, help="processes with warm kernels")
    chosen = parser.parse_args(arguments)
    repeat = 1 if chosen.quick else chosen.repeat
    cases = list(CASES)[:2] if chosen.quick else list(CASES)
    console = Console(width=None if sys.stdout.isatty() else 120)
    found = [
        measure(case, repeat, cold=not chosen.quick)
        for case in track(cases, "Cases", console=Console(stderr=True))
    ]
    show(console, found)
    heavy = [row["case"] for row in found if row["case"].startswith("tiny") and row["numba"]]
    console.print(f"tiny tables that import numba: {heavy or 'none'}")
    store(chosen.json, {"processes": repeat, "cases": found})
    return 1 if heavy else 0


if __name__ == "__main__":
    sys.exit(main())
