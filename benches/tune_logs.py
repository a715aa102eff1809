"""Time and memory of tuning on session files: reading, measuring, and trying proposals.

    python benches/tune_logs.py [--events 100000] [--profile mixed] [--json OUT]

makes sessions up, writes them as Claude Code does, and runs ``mckp tune from-claude-logs
--dry-run`` on them in a process of its own, so that the memory is that of the command.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from claude_files import write_sessions
from rich.console import Console
from rich.table import Table
from solver_figures import add_common, store

from mckp.replay import generate

if TYPE_CHECKING:
    from collections.abc import Sequence

_MIB = 1 << 20


def measured(folder: Path, events: int) -> dict[str, Any]:
    """Run the command on a folder, and return what it took."""
    size = sum(file.stat().st_size for file in folder.iterdir())
    command = [sys.executable, "-m", "mckp", "tune", "from-claude-logs", str(folder)]
    begin = perf_counter()
    config = str(folder / "none.toml")
    subprocess.run(
        [*command, "--dry-run", "--json", "--config", config], check=True, stdout=subprocess.DEVNULL
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    return {
        "events": events,
        "files": len(list(folder.glob("*.jsonl"))),
        "mib": round(size / _MIB, 1),
        "wall_s": round(perf_counter() - begin, 1),
        "cpu_s": round(cpu, 1),
        "cpu_us_per_event": round(1e6 * cpu / events),
        "peak_mib": round(used.ru_maxrss / 1024),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Make sessions up, tune on them, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--profile", default="mixed")
    parser.add_argument("--seed", type=int, default=1)
    add_common(parser)
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.events = 300
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sessions(generate(arguments.profile, arguments.seed, arguments.events), folder)
        found = {"profile": arguments.profile, **measured(folder, arguments.events)}
    table = Table(*found)
    table.add_row(*map(str, found.values()))
    Console().print(table)
    store(arguments.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
