"""One first call in a fresh process, for `solver_start`; nothing is imported that is not needed.

    python benches/solver_first_call.py CASE

prints milliseconds as JSON: of importing `mckp.solvers`, of importing numba where the case is
large enough to need it, of the first call and of the median of some more; and whether numba was
imported in the end.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.solvers import Table

CASES: Final = {
    "import alone": None,
    "tiny, flat": "auto",
    "tiny, nested": "auto",
    "1,000 x 7, auto": "auto",
    "1,000 x 7, large": "large",
    "document of 1,000 nodes, large": "large",
}
"""What is solved, by which solver; the tiny ones should do without numba."""
CALLS: Final = 5


def table_of(case: str) -> tuple[Table, int]:
    """Make the table of a case, and its budget, without numba."""
    import instances

    from mckp.solvers import Table

    if case == "tiny, flat":
        costs = [[0, 3 + i, 7 + 2 * i, 11 + 3 * i] for i in range(12)]
        values = [[0, 5 + i, 9 + i, 12 + 2 * i] for i in range(12)]
        return Table.flat(costs, values), 90
    if case == "tiny, nested":
        row = [(0, 0), (5, 3), (7, 4)]
        return Table.nested([[(0, 0), (30, 19), (2, 1, [row] * 6)], [(0, 0), (4, 2, [row])]]), 25
    if case.startswith("document"):
        made = instances.document(seed=1, nodes=1000)
    else:
        made = instances.renderings("fidelity", seed=1, classes=1000)
    return made.table, made.budget


def measure(case: str) -> dict[str, Any]:
    """Import and solve."""
    found: dict[str, Any] = {"import": _ms(lambda: __import__("mckp.solvers"))}
    solver = CASES[case]
    if solver is not None:
        from mckp.solvers import solve

        table, budget = table_of(case)
        work = partial(solve, table, budget, solver)
        early = "numba" in sys.modules
        if not case.startswith("tiny"):
            found["numba import"] = _ms(lambda: __import__("numba"))
        found["first call"] = _ms(work)
        found["later call"] = sorted(_ms(work) for _ in range(CALLS))[CALLS // 2]
        assert not early, "numba is imported before anything is solved"
    return found | {"numba": "numba" in sys.modules}


def _ms(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
