"""The command as a process of its own: how it ends."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from typing import NoReturn

from mckp.cli import main


def run() -> NoReturn:
    """Run one command, and end the process with its exit code."""
    code = main()
    if "daft" in sys.modules and "ray" not in sys.modules:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """End the process without taking the interpreter down.

    Threads of Daft (0.7) may still be letting go of what is Python's then, and now and then they
    crash, with all work done. Ray has more to end than threads, and does that at the exit.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever read it has gone
            stream.flush()
    os._exit(code)
