"""What whole processes cost in a plain install: commands, a call of the library, a hook.

    python benches/cold_start.py [--runs N] [--python PATH] [--json OUT]

makes a new virtual environment, installs this checkout in it by ``pip install`` without extras, and
starts processes there: processor and wall milliseconds, the median of the runs. The first ``mckp
encode`` with a budget is the first process of the environment, so it is one run. The peak of memory
is what the process itself reads of it in its end. With ``--python`` the processes are those of an
environment that is there already, and the first run is no first one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.console import Console
from rich.progress import track
from solver_figures import rounded, show, store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[1]
BUILDS: Final = ROOT / "examples" / "builds.json"
RUNS: Final = 9
BUDGET: Final = 400
SHORT: Final = "x" * 150
"""A result of a tool that nothing can be saved of."""
LONG: Final = 10_000
"""Characters of a result that is cut."""

PEAK: Final = """
lines = open("/proc/self/status").read().splitlines()
print(next(line for line in lines if line.startswith("VmHWM")).split()[1])
"""
"""Code that prints the peak of the memory of its process in KiB, on Linux."""


class Case(NamedTuple):
    """A process: its name, its arguments, and what it reads."""

    name: str
    command: Sequence[str | Path]
    given: bytes = b""


class Spent(NamedTuple):
    """Milliseconds of a process and of all that it waited for."""

    cpu: float
    wall: float


def installed_in(folder: Path) -> Path:
    """Make an environment with this checkout and no extras; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT], check=True, env=plain())
    return python


def plain() -> dict[str, str]:
    """Return the environment without what Python itself would heed, such as to keep no bytecode."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def cases(python: Path) -> Iterator[Case]:
    """Yield every process but the first."""
    command = python.with_name("mckp")
    yield Case("python alone", [python, "-c", "pass"])
    yield Case("import mckp", [python, "-c", "import mckp"])
    yield Case("import mckp.api", [python, "-c", "import mckp.api"])
    yield Case("mckp --version", [command, "--version"])
    yield Case("mckp --help", [command, "--help"])
    yield Case("mckp encode", [command, "encode", BUILDS])
    yield Case("mckp encode --budget", [command, "encode", BUILDS, "--budget", str(BUDGET)])
    for size in (150, 1_000, 10_000):
        code = f"import mckp\nmckp.encode({rows(size)!r})"
        yield Case(f"encode {size} bytes", [python, "-c", code])
    hook: list[str | Path] = [command, "hook", "claude-code", "--budget", "1000"]
    yield Case("hook, 150 bytes", hook, event(SHORT))
    yield Case("hook, 10 kB that is cut", hook, event(rows(LONG)))


def rows(size: int) -> str:
    """Return a JSON array of records of about so many characters, never less.

    >>> len(rows(150))
    153
    """
    records: list[dict[str, Any]] = []
    while len(text := json.dumps(records)) < size:
        number = len(records)
        records.append(
            {"id": number, "name": f"job {number}", "state": "done", "took": number * 37}
        )
    return text


def event(text: str) -> bytes:
    """Return what Claude Code sends a hook about a command that printed a text."""
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    facts = {"session_id": "bench", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    return json.dumps({**facts, "tool_input": {"command": "x"}, "tool_response": response}).encode()


def run(case: Case) -> Spent:
    """Run a process in folders of its own, where no state of another is found."""
    with tempfile.TemporaryDirectory() as state, tempfile.TemporaryFile() as given:
        given.write(case.given)
        given.seek(0)
        begin = time.perf_counter()
        child = subprocess.Popen(
            case.command,
            stdin=given,
            stdout=subprocess.DEVNULL,
            cwd=state,
            env=plain() | {"MCKP_STATE_DIR": state, "XDG_CONFIG_HOME": state},
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{case.name}: exit code {child.returncode}")
    return Spent((usage.ru_utime + usage.ru_stime) * 1000, wall * 1000)


def measured(case: Case, runs: int) -> dict[str, Any]:
    """Return the medians of some runs of a process."""
    spent = [run(case) for _ in range(runs)]
    return {
        "process": case.name,
        "cpu ms": rounded(statistics.median(run_figures.cpu for run_figures in spent)),
        "wall ms": rounded(statistics.median(run_figures.wall for run_figures in spent)),
        "least cpu ms": rounded(min(run_figures.cpu for run_figures in spent)),
        "runs": runs,
    }


def peak(python: Path) -> float | None:
    """Return the MiB of a process after one small call with a budget; None if not on Linux."""
    code = f"import mckp\nmckp.encode(open({str(BUILDS)!r}).read(), budget={BUDGET}){PEAK}"
    if not Path("/proc/self/status").exists():
        return None
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True, env=plain()
    )
    return round(int(done.stdout) / 1024, 1)


def main(argv: Sequence[str] | None = None) -> None:
    """Install, measure, show and store."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, help="processes of each kind")
    parser.add_argument("--python", type=Path, help="measure the environment of this Python")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(argv)
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or installed_in(Path(folder) / "plain")
        budgeted = next(case for case in cases(python) if case.name == "mckp encode --budget")
        first = measured(budgeted, 1) | {"process": "the first mckp encode --budget"}
        rest = [
            measured(case, options.runs)
            for case in track(list(cases(python)), console=console, transient=True)
        ]
        figures = {
            "fresh": options.python is None,
            "processes": [first, *rest],
            "peak MiB": peak(python),
        }
    show(f"whole processes; peak of memory {figures['peak MiB']} MiB", [first, *rest], *first)
    store(options.json, figures)


if __name__ == "__main__":
    main()
