"""Two stored runs of the drivers side by side.

    python benches/compare.py [RUN RUN]

RUN is the number or the name of a run below results/timed, where `just bench` stores them; without
any, the last two. Tells the machine and the commit of both, and by how much the medians of what
both have timed differ.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from solver_figures import RESULTS, fill, geometric_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMED: Final = RESULTS / "timed"


def runs(folder: Path, names: Sequence[str]) -> list[Path]:
    """Return two stored runs: those that begin with the names, or the last two."""
    stored = sorted(folder.rglob("*.json"), key=lambda path: path.name)
    found = [path for name in names for path in stored if path.name.startswith(name)]
    return found if names else stored[-2:]


def times(run: dict[str, Any]) -> dict[str, float]:
    """Return the median of each bench in milliseconds."""
    return {each["fullname"]: each["stats"]["median"] * 1000 for each in run["benchmarks"]}


def told(path: Path, run: dict[str, Any]) -> str:
    """Return what a run was made with."""
    facts = run["mckp"]
    return f"{path.stem}: {facts['date']}, {facts['machine']}, commit {facts['commit']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two runs."""
    parser = argparse.ArgumentParser(description="Compare two stored runs.")
    parser.add_argument("runs", nargs="*", metavar="RUN")
    parser.add_argument("--folder", type=Path, default=TIMED)
    chosen = parser.parse_args(arguments)
    paths = runs(chosen.folder, chosen.runs)
    if len(paths) != 2:
        parser.error(f"{len(paths)} runs below {chosen.folder}; two are needed: see `just bench`")
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    old, new = times(before), times(after)
    ratios = {name: new[name] / old[name] for name in old if name in new}
    rows = [[escape(name), old[name], new[name], ratio] for name, ratio in ratios.items()]
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(told(paths[0], before), told(paths[1], after), sep="\n")
    console.print(fill(Grid("bench", "before, ms", "after, ms", "ratio"), rows))
    mean = geometric_mean(ratios.values())
    console.print(f"{len(ratios)} benches, geometric mean of the ratios {mean:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
