"""What the benches of the solvers share: a clock, means, and where figures are stored."""

from __future__ import annotations

import datetime
import json
import math
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rich.console import Console
from rich.table import Table as Grid

import mckp

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence


T = TypeVar("T")

RESULTS: Final = Path(__file__).parent / "results"
PACKAGES: Final = (
    "numpy",
    "numba",
    "orjson",
    "tiktoken",
    "toktok-rs",
    "ortools",
    "llmslim",
)
SLOW: Final = 1.0
"""Seconds beyond which one call is all that is timed."""


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what some work gives, and its milliseconds."""
    begin = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - begin) * 1000


def median_ms(work: Callable[[], object], repeat: int) -> float:
    """Return the median of some runs after one warm one, which alone counts if it is slow."""
    first = timed(work)[1]
    if first > SLOW * 1000:
        return first
    return statistics.median(timed(work)[1] for _ in range(repeat))


def geometric_mean(numbers: Iterable[float]) -> float:
    """Return the geometric mean, 0 of nothing.

    Examples
    --------
    >>> round(geometric_mean([1, 100]), 9), geometric_mean([])
    (10.0, 0.0)
    """
    logarithms = [math.log(number) for number in numbers]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else 0.0


def rounded(number: float, digits: int = 3) -> float:
    """Return a number to some significant digits, so that stored figures stay short.

    Examples
    --------
    >>> rounded(0.0123456), rounded(12345.6)
    (0.0123, 12300.0)
    """
    return float(f"{number:.{digits}g}")


def shown(number: float) -> str:
    """Write a number with three digits that count.

    Examples
    --------
    >>> shown(0.01234), shown(1234.5), shown(12.34), shown(0)
    ('0.0123', '1,234', '12.3', '0')
    """
    if number == 0 or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}"


def facts() -> dict[str, Any]:
    """Return what figures depend on: machine, versions, date and commit."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": f"{_processor()}, {platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "mckp": mckp.__version__,
        "packages": {name: version for name in PACKAGES if (version := installed(name))},
    }


def commit() -> str | None:
    """Return the commit that is measured, with ``+`` if files differ from it; None if unknown."""
    command = ["git", "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def installed(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def store(path: Path | None, figures: dict[str, Any]) -> None:
    """Write figures with machine, versions and date, if a path is given."""
    if path:
        text = json.dumps(facts() | figures, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def stored(name: str) -> dict[str, Any]:
    """Return the figures that a bench has stored in the folder of results."""
    figures: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return figures


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options that all benches of the solvers have."""
    parser.add_argument("--quick", action="store_true", help="a few small instances, in seconds")
    parser.add_argument("--json", type=Path, help="also write the figures here")


def show(title: str, rows: Iterable[Mapping[str, Any]], *heads: str) -> None:
    """Print rows with these heads as a table; of a row that failed, what it says of that."""
    grid, failed = Grid(*heads, title=title), list[str]()
    for row in rows:
        fill(grid, [[row.get(head, "") for head in heads]])
        if "failed" in row:
            failed.append(f"{row[heads[0]]}: {row['failed']}")
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(grid)
    for line in failed:
        console.print(line, markup=False)


def fill(grid: Grid, rows: Iterable[Iterable[object]]) -> Grid:
    """Add rows to a table of rich, numbers with three digits that count."""
    for row in rows:
        cells = (shown(cell) if isinstance(cell, float) else str(cell) for cell in row)
        grid.add_row(*cells)
    return grid


def tenth(numbers: Sequence[float]) -> float | None:
    """Return the tenth percentile, one of the numbers.

    Examples
    --------
    >>> tenth([float(number) for number in range(1, 101)])
    10.0
    """
    return round(sorted(numbers)[-(-len(numbers) // 10) - 1], 4) if numbers else None
