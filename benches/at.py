"""Time `Result.at` beside `encode` with the same budget.

    python benches/at.py [PATH ...] [--pairs 9] [--quick] [--json OUT]

Documents and PATHs are those of ``encode_speed.py``. Budgets are shares of the tokens without one,
one token more from call to call, so that no call repeats another. Both take turns in one
process, warm; a ratio is the median of such pairs, by the time of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from encode_speed import documents
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, clocked, fill, rounded, store

import mckp

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVELS: Final = ("native", "dense")
SHARES: Final = (0.01, 0.1, 0.5, 0.9)
PAIRS: Final = 9
COLUMNS: Final = ("document", "bytes", "formats", "share", "encode, ms", "at, ms", "ratio")


def measure(text: str, level: str, share: float, pairs: int) -> dict[str, float]:
    """Encode and ask in turns.

    Parameters
    ----------
    text
        Compact JSON.
    level
        The level of formats.
    share
        The budget, as a share of the tokens that the level takes without one.
    pairs
        How often.

    Returns
    -------
    dict
        The median milliseconds of both, and the median ratio.
    """
    result = mckp.encode(text, formats=level)
    floor = _floor(result)
    runs: list[tuple[float, float]] = []
    for number in range(pairs + 1):
        budget = max(floor, int(result.tokens * share) + number)
        fresh, _, encoding = clocked(partial(mckp.encode, text, formats=level, budget=budget))
        again, _, asking = clocked(partial(result.at, budget))
        if fresh != again:
            raise AssertionError(f"at({budget}) differs from encode")
        runs.append((encoding, asking))
    timed = runs[1:]  # the first shows nothing, but warms what comes after it
    return {
        "encode, ms": rounded(statistics.median(encoding for encoding, _ in timed)),
        "at, ms": rounded(statistics.median(asking for _, asking in timed)),
        "ratio": rounded(statistics.median(encoding / asking for encoding, asking in timed)),
    }


def _floor(result: mckp.Result) -> int:
    try:
        return result.at(0).tokens
    except mckp.BudgetError as error:
        return error.floor


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Time Result.at beside encode.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="timed calls of each")
    chosen = parser.parse_args(arguments)
    load_before = machine.load()
    found = list(documents(chosen.paths, quick=chosen.quick))
    cells = list(product(found, LEVELS, SHARES))
    rows: list[dict[str, Any]] = []
    for (name, text), level, share in track(cells, "Cells", console=Console(stderr=True)):
        row = {"document": name, "bytes": len(text.encode()), "formats": level, "share": share}
        rows.append(row | measure(text, level, share, 1 if chosen.quick else chosen.pairs))
    grid = fill(Grid(*COLUMNS, title="at beside encode"), ([r[c] for c in COLUMNS] for r in rows))
    Console(width=None if sys.stdout.isatty() else 120).print(grid)
    loads = {"load before": load_before, "load after": machine.load()}
    store(chosen.json, {"pairs": chosen.pairs} | loads | {"rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
