"""What moved since figures were stored, in a minute: tokens of made-up documents, and time.

    python benches/smoke.py

writes the documents of `samples` at each level, and compares their tokens as a share of compact
JSON with `results/formats-samples.json`; then times one small table in passes of tiktoken, in new
processes, and compares that with `results/encode-speed.json`. Tokens are the same on every machine,
so a level that takes more of them than is stored sets the exit code; times are only printed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from encode_speed import Subject, measure
from fresh import Place
from large import write
from rich.console import Console
from rich.table import Table as Grid
from samples import samples
from solver_figures import stored

import mckp
from mckp import tokenizers
from mckp.encoders import LEVELS
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MORE: Final = 1.0005
"""How much more a share of tokens may be than is stored: what is stored has four places."""


def tokens() -> Iterator[tuple[str, float, float]]:
    """Yield what, the stored share of the tokens of compact JSON, and that of now."""
    known = stored("formats-samples.json")["tokenizers"]["o200k"]["samples"]["formats"]
    values = [value for _, value in samples()]
    compact = sum(map(tokenizers.get("o200k").count, map(dump, values)))
    for level in LEVELS:
        own = sum(mckp.encode(value, formats=[level]).tokens for value in values)
        yield f"tokens, {level}", known[f"mckp {level}"]["ratio"], own / compact


def times() -> Iterator[tuple[str, float, float]]:
    """Yield what, the stored passes of tiktoken, and those of now."""
    rows = stored("encode-speed.json")["rows"]
    small = min(row["bytes"] for row in rows if row["document"] == "table")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table")
        write(path, "table", small)
        for row in measure(Subject("table", "table", path), "native", Place(), 1, 1):
            known = next(r for r in rows if r["bytes"] == small and r["budget"] == row["budget"])
            yield (
                f"passes, table of {small / 1000:.0f} kB, {row['budget']}",
                known["ratio"],
                row["ratio"],
            )


def main(_: Sequence[str] | None = None) -> int:
    """Compare; 1 if texts take more tokens than is stored."""
    grid = Grid("what", "stored", "now", "now / stored")
    worse: list[Any] = []
    for is_judged, rows in ((True, tokens()), (False, times())):
        for name, before, current in rows:
            grid.add_row(name, f"{before:.3g}", f"{current:.3g}", f"{current / before:.3f}")
            worse += [name] if is_judged and current > before * MORE else []
    Console(width=None if sys.stdout.isatty() else 100).print(grid)
    print(f"more than stored: {', '.join(worse) or 'nothing'}")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
