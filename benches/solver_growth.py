"""How the solver's time grows with the fields of an object, and with how deep objects lie.

    python benches/solver_growth.py [--quick] [--json OUT]

solves objects of 1,000 to 200,000 plain fields, and objects 10 to 190 deep in each other (a
document is read 200 levels deep), at 30 % of their tokens: processor time of the solver in a
process that has solved before, the best of some runs, and its count of work, which must be the same
in all runs. ``python benches/plots.py`` draws the figure.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import blowups
from machine import load
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, rounded, show, store

from mckp.solvers import Table, dp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUBJECTS: Final[dict[str, tuple[Callable[[int], Any], tuple[int, ...]]]] = {
    "fields": (blowups.fields, (1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 200_000)),
    "depth": (blowups.texts_deep, (10, 20, 50, 100, 150, 190)),
}
"""What grows: what makes a document of a size, and the sizes."""
SHARE: Final = 0.3
"""The budget, of the tokens of all of a document."""
REPEAT: Final = 3


def grown(kind: str, size: int) -> dict[str, Any]:
    """Solve one document; raise if two runs do not count the same work."""
    table = blowups.table_of(SUBJECTS[kind][0](size))
    budget = int(SHARE * int(table.cost.max()))
    seconds, works = list[float](), set[int]()
    solution = dp.solve(table, budget)
    for _ in range(REPEAT):
        began = time.process_time()
        solution = dp.solve(table, budget)
        seconds.append(time.process_time() - began)
        works.add(solution.statistics["operations"])
    if len(works) > 1:
        raise ValueError(f"{kind} {size:,}: the work is {sorted(works)} in equal runs")
    return {
        "kind": kind,
        "size": size,
        "options": table.options,
        "depth": table.depth,
        "seconds": rounded(min(seconds)),
        "work": works.pop(),
        "status": str(solution.status),
        "gap": rounded(solution.gap, 2),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve all sizes."""
    parser = argparse.ArgumentParser(description="Measure how the solver's time grows.")
    add_common(parser)
    chosen = parser.parse_args(arguments)
    dp.solve(Table.flat([[0, 1]], [[0, 1]]), 0)
    sizes = [(kind, size) for kind, (_, sizes) in SUBJECTS.items() for size in sizes]
    if chosen.quick:
        sizes = [(kind, sizes[0]) for kind, (_, sizes) in SUBJECTS.items()]
    rows = [grown(*size) for size in track(sizes, "Documents", console=Console(stderr=True))]
    show("growth", rows, *rows[0])
    store(chosen.json, {"load": load(), "share": SHARE, "repeat": REPEAT, "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
