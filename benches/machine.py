"""What the system tells of a process and of itself: memory, and how busy it is."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Final

STATUS: Final = Path("/proc/self/status")
CLEAR: Final = Path("/proc/self/clear_refs")


def reset_peak() -> int:
    """Set the peak of memory back to what is held now, where that is possible; return it."""
    with suppress(OSError):
        CLEAR.write_text("5")
    return peak()


def peak() -> int:
    """Return the peak of this process's memory in bytes.

    What Linux has in /proc is asked first: ``ru_maxrss`` of a process that another one starts
    begins with the peak of that one.
    """
    if STATUS.exists():
        lines = STATUS.read_text(encoding="utf-8").split("\n")
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def load() -> float | None:
    """Return how many processes want to run, in the mean of the last minute; None if unknown."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None
