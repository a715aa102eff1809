"""Time `encode` beside one pass of tiktoken over the same data as compact JSON.

    python benches/encode_speed.py [PATH ...] [--pairs 7] [--json OUT]

Each PATH is a JSON file, or a file of JSON lines, whose values (or ``payload`` members) become one
array of about a megabyte. Without a PATH there are only made-up documents. Encoding and counting
take turns in one process; a ratio is the median of the ratios of such pairs, once everything is
loaded.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from large import mixture, table
from records import stored
from rich.console import Console
from rich.progress import track
from rich.table import Table

import mckp
from mckp.errors import MissingExtraError
from mckp.jsontext import dump
from mckp.tokenizers.backends import counting_by
from mckp.tokenizers.encodings import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.tokenizers.backends import Backend

LEVELS = ("standard", "native", "dense")
BACKENDS: tuple[Backend, ...] = ("tiktoken", "toktok")
MEGABYTE = 1_000_000


def documents(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield name and compact JSON of each document."""
    yield "mixture", dump(mixture())
    yield "table", dump(table())
    for path in paths:
        for file in sorted(path.glob("tok_*.json")) if path.is_dir() else [path]:
            yield file.stem, dump(_read(file))


def _read(path: Path) -> Any:
    if path.suffix != ".jsonl":
        return json.loads(path.read_bytes())
    found: list[Any] = []
    size = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("kind", "json") == "json" and size < MEGABYTE:
            found.append(record.get("payload", record))
            size += len(dump(found[-1]))
    return found


def measure(text: str, level: str, half: bool, pairs: int) -> dict[str, Any]:
    """Return the median ratio of encoding to counting, and both times in milliseconds."""
    count = load("o200k_base").encode_ordinary
    budget = mckp.encode(text, formats=level).tokens // 2 if half else None
    mckp.encode(text, formats=level, budget=budget)
    passes: list[float] = []
    times: list[float] = []
    for _ in range(pairs):
        passes.append(_seconds(lambda: count(text)))
        times.append(_seconds(lambda: mckp.encode(text, formats=level, budget=budget)))
    ratios = [spent / once for spent, once in zip(times, passes, strict=True)]
    return {
        "ratio": round(statistics.median(ratios), 2),
        "encode_ms": round(1000 * statistics.median(times), 1),
        "pass_ms": round(1000 * statistics.median(passes), 1),
    }


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def usable() -> list[Backend]:
    """Return the back-ends that are there."""
    found: list[Backend] = []
    for backend in BACKENDS:
        try:
            with counting_by(backend):
                found.append(backend)
        except MissingExtraError as error:
            print(f"{backend} is left out: {error}")
    return found


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--json", type=Path, help="where to store the figures")
    arguments = parser.parse_args()
    mckp.warm_up()
    rows: list[dict[str, Any]] = []
    for name, text in track(list(documents(arguments.paths)), description="documents"):
        for backend in usable():
            with counting_by(backend):
                for level in LEVELS:
                    for half in (False, True):
                        found = measure(text, level, half, arguments.pairs)
                        budget = "half" if half else "none"
                        rows.append(
                            {"document": name, "bytes": len(text.encode()), "backend": backend}
                            | {"formats": level, "budget": budget}
                            | found
                        )
    show(rows)
    if arguments.json:
        stored(arguments.json, rows, pairs=arguments.pairs)


def show(rows: list[dict[str, Any]]) -> None:
    """Print the ratios, one line a document and back-end."""
    table = Table("document", "kB", "backend", "pass ms")
    for level in LEVELS:
        for budget in ("none", "half"):
            table.add_column(f"{level}\n{budget}", justify="right")
    for name, backend in dict.fromkeys((row["document"], row["backend"]) for row in rows):
        mine = [row for row in rows if (row["document"], row["backend"]) == (name, backend)]
        table.add_row(
            name,
            str(mine[0]["bytes"] // 1000),
            backend,
            str(mine[0]["pass_ms"]),
            *(f"{row['ratio']:.2f}" for row in mine),
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
