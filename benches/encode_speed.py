"""Time `encode` beside one pass of tiktoken over the same data as compact JSON.

    python benches/encode_speed.py [PATH ...] [--pairs 7] [--quick] [--json OUT]

Each PATH is a JSON file, a folder whose ``tok_*.json`` are taken, or a file of JSON lines, whose
values (or ``payload`` members) become one array of about a megabyte; without any there are only
made-up documents. Encoding and counting take turns in one process, once everything is loaded; a
ratio is the median of the ratios of such pairs. Half a budget is half of the tokens that the same
level takes without one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import machine
from bench_formats import documents as records
from large import mixture, table
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid
from solver_figures import add_common, clocked, rounded, shown, store

import mckp
from mckp.errors import MissingExtraError
from mckp.jsontext import dump
from mckp.tokenizers.backends import counting_by
from mckp.tokenizers.encodings import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.tokenizers.backends import Backend

LEVELS: Final = ("standard", "native", "dense")
BUDGETS: Final = ("none", "half")
BACKENDS: Final[tuple[Backend, ...]] = ("tiktoken", "toktok")
PAIRS: Final = 7
MEGABYTE: Final = 1_000_000


def documents(paths: Iterable[Path], *, quick: bool) -> Iterator[tuple[str, str]]:
    """Yield name and compact JSON of each document."""
    yield "mixture", dump(mixture(1 if quick else 1000))
    yield "table", dump(table(4 if quick else 4500))
    for path in paths:
        for file in sorted(path.glob("tok_*.json")) if path.is_dir() else [path]:
            yield file.stem.removeprefix("tok_"), dump(_read(file))


def _read(path: Path) -> Any:
    if path.suffix != ".jsonl":
        return json.loads(path.read_bytes())
    found: list[Any] = []
    left = MEGABYTE
    for record in records([path]):
        found.append(record.value)
        left -= len(dump(record.value))
        if left <= 0:
            break
    return found


def measure(text: str, level: str, half: bool, pairs: int) -> dict[str, Any]:
    """Encode and count in turns.

    Parameters
    ----------
    text
        Compact JSON.
    level
        The level of formats.
    half
        Whether half of the tokens are the budget.
    pairs
        How often.

    Returns
    -------
    dict
        The median ratio by the clock, that of processor time (which counts all threads), and
        the median milliseconds of both.
    """
    count = load("o200k_base").encode_ordinary
    budget = _half(text, level) if half else None
    # The first run shows nothing, but warms what comes after it.
    runs = [
        (
            clocked(lambda: count(text))[1:],
            clocked(lambda: mckp.encode(text, formats=level, budget=budget))[1:],
        )
        for _ in range(pairs + 1)
    ][1:]
    return {
        "ratio": rounded(statistics.median(own[0] / once[0] for once, own in runs)),
        "cpu ratio": rounded(statistics.median(own[1] / once[1] for once, own in runs)),
        "ms": rounded(statistics.median(own[0] for _, own in runs)),
        "pass": rounded(statistics.median(once[0] for once, _ in runs)),
    }


def _half(text: str, level: str) -> int:
    """Return half of the tokens, or the least budget that a tiny document can have."""
    budget = mckp.encode(text, formats=level).tokens // 2
    try:
        mckp.encode(text, formats=level, budget=budget)
    except mckp.BudgetError as error:
        return error.floor
    return budget


def usable(console: Console) -> list[Backend]:
    """Return the back-ends that are there, and name those that are not."""
    found: list[Backend] = []
    for backend in BACKENDS:
        try:
            with counting_by(backend):
                found.append(backend)
        except MissingExtraError as error:
            console.print(f"{backend} is left out: {error}")
    return found


def show(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print the ratios, one line a document and back-end."""
    grid = Grid("document", "kB", "backend", "pass, ms", title="encode in passes of tiktoken")
    for level, budget in product(LEVELS, BUDGETS):
        grid.add_column(f"{level}\n{budget}", justify="right")
    for name, backend in dict.fromkeys((row["document"], row["backend"]) for row in rows):
        own = [row for row in rows if (row["document"], row["backend"]) == (name, backend)]
        once = statistics.median(row["pass"] for row in own)
        kilobytes = shown(own[0]["bytes"] / 1000)
        grid.add_row(name, kilobytes, backend, shown(once), *(shown(row["ratio"]) for row in own))
    console.print(grid)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Time encode in passes of tiktoken.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    add_common(parser)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="timed calls of each")
    chosen = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 120)
    if not chosen.quick:
        from mckp.columns.warm import warm_up

        warm_up()
    pairs = 1 if chosen.quick else chosen.pairs
    load_before = machine.load()
    found = list(documents(chosen.paths, quick=chosen.quick))
    cells = list(product(found, usable(console), LEVELS, BUDGETS))
    rows: list[dict[str, Any]] = []
    for (name, text), backend, level, budget in track(cells, "Cells", console=Console(stderr=True)):
        row = {"document": name, "bytes": len(text.encode()), "backend": backend}
        with counting_by(backend):
            taken = measure(text, level, budget == "half", pairs)
        rows.append(row | {"formats": level, "budget": budget} | taken)
    show(console, rows)
    loads = {"load before": load_before, "load after": machine.load()}
    store(chosen.json, {"pairs": pairs} | loads | {"rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
