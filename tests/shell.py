"""Programs, and commands of ``mckp``, in a process that is not this one."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SCRIPT = """
import shlex, sys
from mckp.cli import main
if __name__ == "__main__":
    for line in sys.stdin.read().splitlines():
        print("=", main(shlex.split(line)), flush=True)
"""


def python(code: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        env=os.environ | environment,
    )
    return done.stdout


def calls(commands: Iterable[str], folder: Path | None = None) -> tuple[list[str], str]:
    """Return what commands print, each with its exit code on a line behind it, and the errors.

    Commands have no ``mckp`` before them. They share a process, for many start faster together.
    """
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(commands),
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd=folder,
    )
    return done.stdout.splitlines(), done.stderr


def codes(lines: Iterable[str]) -> list[int]:
    return [int(line[2:]) for line in lines if line.startswith("= ")]
