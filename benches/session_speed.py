"""What a response costs a session, stored: hash, lookup, and all of a repeat.

    python benches/session_speed.py [--json OUT]

runs `bench_sessions.py` with pytest-benchmark.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from machine import load
from rich.console import Console
from rich.table import Table
from solver_figures import add_common, store

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH: Final = Path(__file__).with_name("bench_sessions.py")
WHAT: Final = {
    "test_hash": "hash",
    "test_lookup_of_a_repeat": "lookup of a repeat",
    "test_lookup_of_another": "lookup of another text",
    "test_repeat": "a repeat, end to end",
}


def figures(benchmark: dict[str, Any]) -> dict[str, Any]:
    """Return the microseconds of one bench."""
    name, _, parameters = benchmark["name"].partition("[")
    seconds = benchmark["stats"]["data"]
    kind = ", not ASCII" if "other" in parameters else ""
    return {
        "what": WHAT[name] + kind,
        "KiB": benchmark["extra_info"]["bytes"] >> 10,
        "median_us": round(1e6 * statistics.median(seconds), 2),
        "p99_us": round(1e6 * statistics.quantiles(seconds, n=100)[98], 2),
        "rounds": len(seconds),
    }


def measured(options: Sequence[str]) -> list[dict[str, Any]]:
    """Run the benches, and return their figures."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out.json"
        wanted = [str(BENCH), "-q", "-p", "no:cacheprovider", f"--benchmark-json={out}", *options]
        if pytest.main(wanted) != 0:
            raise SystemExit("the benches failed")
        found = json.loads(out.read_text("utf-8"))["benchmarks"]
    return [figures(each) for each in found]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benches, and print and store what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_common(parser)
    arguments = parser.parse_args(argv)
    rows = measured(["-k", "repeat and 4-ASCII"] if arguments.quick else [])
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console().print(table)
    store(arguments.json, {"load": load(), "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
