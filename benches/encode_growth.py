"""How time and memory of `encode` grow with the document.

    python benches/encode_growth.py [--largest 100] [--quick] [--json OUT]

makes documents of 0.1, 1, 10 and 100 MB of compact JSON (`large`), a table and a mixture, and
encodes each in a process of its own, from its text, without a budget. The process first encodes
a tiny and a larger document, so that libraries, kernels and vocabularies are loaded; then the peak
of memory is set back. What the peak of the first call is above what was held then is the memory:
the text of the document is part of it. The time is the median of some calls after the first; the
first alone counts where it is slow.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from large import mixture, write
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, fill, rounded, store, timed

import mckp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS: Final = ("table", "mixture")
LEVELS: Final = ("standard", "native")
SIZES: Final = (0.1, 1, 10, 100)
"""Megabytes."""
REPEAT: Final = 5
SLOW: Final = 10_000.0
"""Milliseconds beyond which one call is all that is timed."""
WARM: Final = 2500
"""Kilobytes of the document that loads all that loads late."""
BEND: Final = 1.25
"""A time or a peak per byte this many times that of the size before is a bend."""


@dataclass(frozen=True)
class Point:
    """One document that is encoded.

    Attributes
    ----------
    kind, path
        What was made, and where it is.
    formats
        The level.
    warm
        Kilobytes that are encoded before.
    """

    kind: str
    path: str
    formats: str
    warm: int


def measure(point: Point, repeat: int) -> dict[str, Any]:
    """Encode one document in this process."""
    warm(point)
    held = machine.reset_peak()
    text = Path(point.path).read_text(encoding="utf-8")
    result, first = timed(lambda: mckp.encode(text, formats=point.formats))
    top = machine.peak()
    runs = 0 if first > SLOW else repeat
    times = [timed(lambda: mckp.encode(text, formats=point.formats))[1] for _ in range(runs)]
    size = len(text.encode())
    spent = statistics.median(times or [first])
    return {
        "bytes": size,
        "tokens": result.tokens,
        "first": rounded(first),
        "ms": rounded(spent),
        "ms per MB": rounded(spent / (size / 1e6)),
        "held": held,
        "peak": top - held,
        "peak per byte": rounded((top - held) / size),
    }


def warm(point: Point) -> None:
    """Encode two other documents, and load all kernels where large documents follow."""
    if point.warm >= WARM:
        from mckp.columns.warm import warm_up

        warm_up()
    for kilobytes in (1, point.warm):
        mckp.encode(mixture(kilobytes), formats=point.formats)


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


def series(sizes: Sequence[float], warmth: int, repeat: int) -> Iterator[dict[str, Any]]:
    """Encode all documents at all levels, one size after the other."""
    cells = list(product(KINDS, sizes))
    for kind, size in track(cells, "Documents", console=Console(stderr=True)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{kind}.json"
            write(path, kind, round(size * 1e6))
            for level in LEVELS:
                found = ask(Point(kind, str(path), level, warmth), repeat)
                yield {"document": kind, "MB": size, "formats": level} | found


def bends(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Tell between which sizes time or memory grows faster than the document.

    Examples
    --------
    >>> row = {"document": "table", "formats": "native", "bytes": 10, "ms": 1, "peak": 10**8}
    >>> more = {"bytes": 100, "ms": 20, "peak": 10**9}
    >>> bends([row | {"MB": 1}, row | {"MB": 10} | more])
    ['table, native, 1 to 10 MB: time grows with size ^ 1.30']
    """
    found: list[str] = []
    for before, after in zip(rows, rows[1:], strict=False):
        if before.keys() != after.keys() or "failed" in before:
            continue
        grown = after["bytes"] / before["bytes"]
        where = f"{after['document']}, {after['formats']}, {before['MB']:g} to {after['MB']:g} MB"
        for key, name in (("ms", "time"), ("peak", "memory")):
            ratio = after[key] / max(before[key], 1)
            if ratio > BEND * grown:
                exponent = math.log(ratio) / math.log(grown)
                found.append(f"{where}: {name} grows with size ^ {exponent:.2f}")
    return found


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print time and memory of each document."""
    heads = ("document", "formats", "MB", "ms", "ms per MB", "peak, MB", "peak / input")
    grid = Grid(*heads, title="encode without a budget")
    for row in rows:
        name = [row["document"], row["formats"], f"{row['MB']:g}"]
        if "failed" in row:
            fill(grid, [[*name, row["failed"]]])
        else:
            keys = ("ms", "ms per MB", "peak", "peak per byte")
            ms, per, top, ratio = (float(row[key]) for key in keys)
            fill(grid, [[*name, ms, per, top / 1e6, ratio]])
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
    warmth, repeat = (1, 1) if chosen.quick else (WARM, chosen.repeat)
    load_before = machine.load()
    rows = list(series(sizes, warmth, repeat))
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
