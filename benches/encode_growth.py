"""How time and memory of `encode` grow with the document.

    python benches/encode_growth.py [--largest 100] [--quick] [--json OUT]

makes documents of 0.1, 1, 10 and 100 MB of compact JSON (`large`), a table and a mixture, and
encodes each in a process of its own, from its text, without a budget. The process first encodes
a tiny document and, many times, one of 20 kB, so that libraries, kernels and vocabularies are
loaded, yet little memory is left over that the measured call would find; then the peak of memory
is set back. What the peak of the first call is above what was held then is the memory: the text of
the document is part of it. The time is the median of some calls after the first; the first alone
counts where it is slow. Bends are looked for in processor time, which counts all threads, for that
is not longer where the machine does other things too.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from large import mixture, write
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, clocked, fill, rounded, store

import mckp
from mckp.tokenizers.backends import fastest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS: Final = ("table", "mixture")
LEVELS: Final = ("standard", "native")
SIZES: Final = (0.1, 1, 10, 100)
"""Megabytes."""
REPEAT: Final = 5
SLOW: Final = 10_000.0
"""Milliseconds beyond which one call is all that is timed."""
WARM: Final = 20
"""Kilobytes of the document that is encoded before."""
OFTEN: Final = 150
"""How many times, which is enough for columns to be worth their start."""
BEND: Final = 1.25
"""A time or a peak per byte this many times that of the size before is a bend."""
HIDDEN: Final = 10**7
"""Bytes below which a peak is partly hidden by what the process holds anyway."""


@dataclass(frozen=True)
class Point:
    """One document that is encoded.

    Attributes
    ----------
    kind, path
        What was made, and where it is.
    formats
        The level.
    often
        How many times another document is encoded before; 0 leaves compiled kernels alone.
    """

    kind: str
    path: str
    formats: str
    often: int


def measure(point: Point, repeat: int) -> dict[str, Any]:
    """Encode one document in this process."""
    warm(point)
    held = machine.reset_peak()
    text = Path(point.path).read_text(encoding="utf-8")

    def work() -> mckp.Result:
        return mckp.encode(text, formats=point.formats)

    result, first, cpu = clocked(work)
    top = machine.peak()
    runs = 0 if first > SLOW else repeat
    times = [clocked(work)[1:] for _ in range(runs)] or [(first, cpu)]
    size = len(text.encode())
    spent = statistics.median(clock for clock, _ in times)
    return {
        "bytes": size,
        "tokens": result.tokens,
        "first": rounded(first),
        "ms": rounded(spent),
        "cpu": rounded(statistics.median(own for _, own in times)),
        "ms per MB": rounded(spent / (size / 1e6)),
        "held": held,
        "peak": top - held,
        "peak per byte": rounded((top - held) / size),
    }


def warm(point: Point) -> None:
    """Encode other documents, and load kernels and who counts fastest where large ones follow."""
    mckp.encode(mixture(1), formats=point.formats)
    if point.often:
        from mckp.columns.warm import warm_up

        warm_up()
        fastest("o200k_base")
    for _ in range(point.often):
        mckp.encode(mixture(WARM), formats=point.formats)
    gc.collect()


def ask(point: Point, repeat: int) -> dict[str, Any]:
    """Encode one document in another process; its end tells where it failed."""
    command = [sys.executable, __file__, "--repeat", str(repeat)]
    command += ["--point", json.dumps(asdict(point))]
    child = subprocess.run(command, capture_output=True, text=True)
    if child.returncode:
        lines = child.stderr.strip().split("\n")
        return {"failed": f"ended with {child.returncode}: {lines[-1][:200]}"}
    found: dict[str, Any] = json.loads(child.stdout)
    return found


def series(sizes: Sequence[float], often: int, repeat: int) -> Iterator[dict[str, Any]]:
    """Encode all documents at all levels, one size after the other."""
    cells = list(product(KINDS, sizes))
    for kind, size in track(cells, "Documents", console=Console(stderr=True)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{kind}.json"
            write(path, kind, round(size * 1e6))
            for level in LEVELS:
                found = ask(Point(kind, str(path), level, often), repeat)
                yield {"document": kind, "MB": size, "formats": level} | found


def bends(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Tell between which sizes time or memory grows faster than the document.

    Examples
    --------
    >>> row = {"document": "table", "formats": "native", "bytes": 10, "cpu": 1, "peak": 10**8}
    >>> more = {"bytes": 100, "cpu": 20, "peak": 10**9}
    >>> bends([row | {"MB": 1}, row | {"MB": 10} | more])
    ['table, native, 1 to 10 MB: time grows with size ^ 1.30']
    """
    found: list[str] = []
    for before, after in pairwise(rows):
        if "failed" in before or "failed" in after:
            continue
        grown = after["bytes"] / before["bytes"]
        where = f"{after['document']}, {after['formats']}, {before['MB']:g} to {after['MB']:g} MB"
        for key, name, least in (("cpu", "time", 0), ("peak", "memory", HIDDEN)):
            ratio = after[key] / max(before[key], least, 1e-9)
            if ratio > BEND * grown:
                exponent = math.log(ratio) / math.log(grown)
                found.append(f"{where}: {name} grows with size ^ {exponent:.2f}")
    return found


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print time and memory of each document."""
    heads = ("document", "formats", "MB", "ms", "cpu, ms", "ms per MB", "peak, MB", "peak / input")
    grid = Grid(*heads, title="encode without a budget")
    for row in rows:
        name = [row["document"], row["formats"], f"{row['MB']:g}"]
        if "failed" in row:
            console.print(*name, row["failed"], markup=False)
        else:
            spent = [float(row[key]) for key in ("ms", "cpu", "ms per MB")]
            fill(grid, [[*name, *spent, row["peak"] / 1e6, float(row["peak per byte"])]])
    console.print(grid)


def main(arguments: Sequence[str] | None = None) -> int:
    """Encode documents of all sizes; 1 if one failed."""
    parser = argparse.ArgumentParser(description="Measure how time and memory of encode grow.")
    add_common(parser)
    parser.add_argument("--largest", type=float, default=SIZES[-1], help="megabytes")
    parser.add_argument("--repeat", type=int, default=REPEAT, help="timed calls")
    parser.add_argument("--point", help="encode only this, in this process, and print JSON")
    chosen = parser.parse_args(arguments)
    if chosen.point:
        point = Point(**json.loads(chosen.point))
        print(json.dumps(measure(point, chosen.repeat)))
        return 0
    sizes = (0.002, 0.004) if chosen.quick else [s for s in SIZES if s <= chosen.largest]
    often, repeat = (0, 1) if chosen.quick else (OFTEN, chosen.repeat)
    load_before = machine.load()
    rows = list(series(sizes, often, repeat))
    rows.sort(key=lambda row: (KINDS.index(row["document"]), LEVELS.index(row["formats"])))
    console = Console(width=None if sys.stdout.isatty() else 120)
    show(console, rows)
    own = [[r for r in rows if (r["document"], r["formats"]) == c] for c in product(KINDS, LEVELS)]
    bent = [line for each in own for line in bends(each)]
    console.print("bends:", *(bent or ["none"]), sep="\n  ")
    loads = {"load before": load_before, "load after": machine.load()}
    store(chosen.json, loads | {"rows": rows, "bends": bent})
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
