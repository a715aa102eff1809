"""The command as a process of its own: how it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn

from mckp.cli import main


def run() -> NoReturn:
    """Run one command, and end the process with its exit code."""
    end(main())


def end(code: int) -> NoReturn:
    """End a process that has run commands.

    Threads of Daft (0.7) may still be letting go of what is Python's then, and now and then they
    crash, with all work done; so where it was used the interpreter is not taken down. Ray has more
    to end than threads, and does that at the exit.
    """
    if "daft" not in sys.modules or "ray" in sys.modules:
        sys.exit(code)
    import logging

    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever read it has gone
            stream.flush()
    os._exit(code)
