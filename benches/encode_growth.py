"""How time and memory of `encode` grow with the document.

    python benches/encode_growth.py [--largest 100] [--quick] [--json OUT]

makes documents of 0.1, 1, 10 and 100 MB of compact JSON (`large`; ``--largest 10`` leaves out
the last, which takes the longest), a table and a mixture, and encodes each in a process of its own,
from its text: without a budget, and up to 10 MB within half of the tokens too. The process (see
`fresh`) first encodes a small document within a budget and loads the whole vocabulary, which a
process does once; then the peak of memory is set back. What the peak of the first call is above
what was held then is the memory: the text of the document is part of it. The time is the median of
some calls after the first; the first alone counts where it is slow. What a process holds after the
small call, and what the vocabulary adds, has a row of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from fresh import Place, add_place, ask, place_of
from goals import PEAK, PROCESS, judged
from large import write
from rich.console import Console
from rich.progress import track
from solver_figures import add_common, rounded, show, store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS: Final = ("table", "mixture")
LEVELS: Final = ("standard", "native")
SIZES: Final = (0.1, 1, 10, 100)
"""Megabytes."""
HALVED: Final = 10
"""Megabytes up to which documents are encoded within half of their tokens too."""
CALLS: Final = {0.1: 5, 1: 3}
"""Timed calls after the first, by megabytes; of others the first alone is timed."""
SHORT: Final = ("first", "ms", "cpu", "ms per MB", "peak per byte")
"""What is printed, and stored with three digits."""


def measure(path: Path, row: dict[str, Any], calls: int, place: Place) -> Iterator[dict[str, Any]]:
    """Yield what encoding a document takes, without a budget and within half of its tokens."""
    job = {"work": "memory", "path": str(path), "formats": row["formats"], "calls": calls}
    budget: int | None = None
    for name in ("none", "half") if row["MB"] <= HALVED else ("none",):
        answer = ask(job | {"budget": budget}, place)
        if "floor" in answer:
            answer = ask(job | {"budget": answer["floor"]}, place)
        entry = row | {"budget": name} | answer
        if "failed" in answer:
            yield entry
            return
        budget = answer["tokens"] // 2
        goal = PEAK.get(row["MB"])
        yield entry | {k: rounded(answer[k]) for k in SHORT} | judged(answer["peak per byte"], goal)


def series(sizes: Sequence[float], levels: Sequence[str], place: Place) -> Iterator[dict[str, Any]]:
    """Encode all documents at some levels, one size after the other."""
    cells = list(product(KINDS, sizes))
    for kind, size in track(cells, "Documents", console=Console(stderr=True)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{kind}.json"
            write(path, kind, round(size * 1e6))
            for level in levels:
                row = {"document": kind, "MB": size, "formats": level}
                yield from measure(path, row, CALLS.get(size, 0), place)


def main(arguments: Sequence[str] | None = None) -> int:
    """Encode documents of all sizes; 1 if one failed."""
    parser = argparse.ArgumentParser(description="Measure how time and memory of encode grow.")
    add_common(parser)
    add_place(parser)
    parser.add_argument("--largest", type=float, default=SIZES[-1], help="megabytes")
    chosen = parser.parse_args(arguments)
    sizes = (0.004,) if chosen.quick else [s for s in SIZES if s <= chosen.largest]
    place, load_before = place_of(chosen), machine.load()
    levels = LEVELS[-1:] if chosen.quick else LEVELS
    small, rows = ask({"work": "held"}, place), list(series(sizes, levels, place))
    small |= judged(small["held"] / 1e6, PROCESS) if "held" in small else {}
    cells = list(product(KINDS, levels, ("none", "half")))
    by_cell = [[r for r in rows if (r["document"], r["formats"], r["budget"]) == c] for c in cells]
    rows = [row for cell_rows in by_cell for row in cell_rows]
    show("growth of encode", rows, "document", "formats", "budget", "MB", *SHORT, "goal", "met")
    print(f"a process after one small call: {small}")
    facts = place.facts() | {"load before": load_before, "load after": machine.load()}
    store(chosen.json, facts | {"small call": small, "rows": rows})
    return 1 if any("failed" in row for row in [*rows, small]) else 0


if __name__ == "__main__":
    sys.exit(main())
