"""The command line: ``mckp encode``, ``decode``, ``compare``, ``tools`` and others.

Nothing heavy is imported here, so ``mckp --help`` answers at once.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from mckp.cli import streams
from mckp.cli.options import parse_arguments
from mckp.errors import (
    BudgetError,
    MckpError,
    MissingExtraError,
    UnknownNameError,
    UnusableReaderError,
)

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

HOOK, KINDS = "hook", "kinds"

COMMANDS: Final = {
    "encode": "commands.encode",
    "decode": "commands.decode",
    "compare": "commands.compare",
    "inspect": "commands.inspect",
    "recall": "commands.recall",
    "why": "commands.explain",
    HOOK: "hooking.answer",
    "view": "commands.view",
    "pack": "packing.pack",
    "batch": "lines.encode_lines",
    "tools": "tools.write_tools",
    "accuracy": "accuracy.ask",
    "replay": "statistics.print_replay",
    "stats": "statistics.print_statistics",
    "discover": "saving.print_costs",
    "gain": "saving.print_gains",
    "tokenizers": "tokenizers.write",
    "tune": "tuning.run",
    "config": "tuning.explain",
    KINDS: "kinds.run",
    "mcp": "proxying.run",
    "install": "hosting.install",
    "uninstall": "hosting.uninstall",
    "doctor": "hosting.examine",
    "completion": "completion.write",
}
"""The module and function of each command, which are imported when the command runs."""

GC_THRESHOLD: Final = 300_000
"""New objects before Python looks for cycles: imports create many objects, but no cycles."""

_OPTION_ERRORS: Final = (UnknownNameError, MissingExtraError, UnusableReaderError)
"""Errors that are not the fault of the file."""


class Exit(IntEnum):
    """The exit codes."""

    DONE = 0
    UNUSABLE = 1
    TOO_SMALL = 3
    INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; wrong usage exits with 2."""
    try:
        return _run_command(parse_arguments(argv))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        streams.discard_output()
        return Exit.DONE


def run() -> NoReturn:
    """Run one command, and end the process with its exit code."""
    warnings.filterwarnings(
        "ignore", ".*divides characters by"
    )  # commands print a note of their own
    gc.set_threshold(GC_THRESHOLD)
    code = main()
    if sys.argv[1:2] == [HOOK]:
        # A host waits for the hook to end, and freeing all modules takes a tenth of its time.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run_command(arguments: Namespace) -> int:
    """Call the function of a command; return its exit code, also if it fails."""
    module, function = COMMANDS[arguments.command].split(".")
    command: Callable[[Namespace], int | None] = getattr(
        import_module(f"mckp.cli.{module}"), function
    )
    try:
        if arguments.command != KINDS:
            _add_own_kinds()
        return command(arguments) or Exit.DONE
    except BrokenPipeError:
        raise
    except (MckpError, ValueError, OSError) as error:
        _print_error(error, arguments.file)
        return Exit.TOO_SMALL if isinstance(error, BudgetError) else Exit.UNUSABLE


def _add_own_kinds() -> None:
    """Add the kinds of texts of the user and of this folder; a wrong file is left out and said."""
    from mckp.agents.places import kinds_files

    for file in filter(os.path.isfile, kinds_files(Path.cwd())):
        from mckp.texts import register

        try:
            register(file)
        except (MckpError, OSError, ValueError) as error:
            sys.stderr.write(f"mckp: warning: kinds left out: {streams.printable(str(error))}\n")


def _print_error(error: Exception, file: str) -> None:
    """Print an error as one line that names the file or option at fault."""
    message = str(error)
    if isinstance(error, OSError):
        name = file if error.filename is None else error.filename
        place = f"{streams.shown_name(name)}: " if name else ""
        message = f"{place}{error.strerror or error}"
        if str(name).startswith(("http://", "https://")):
            message += "; mckp reads only files: try curl -s ADDRESS | mckp"
    elif file and not isinstance(error, _OPTION_ERRORS):
        message = f"{streams.shown_name(file)}: {message}"
    sys.stderr.write(f"mckp: error: {streams.printable(message)}\n")
