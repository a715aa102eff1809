"""What the system reports about a process and about itself: memory, and how busy it is."""

from __future__ import annotations

import os
import resource
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

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
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def held() -> int:
    """Return the memory that this process holds now, in bytes; its peak where that is unknown."""
    return _status("VmRSS") if STATUS.exists() else peak()


def _status(name: str) -> int:
    lines = STATUS.read_text(encoding="utf-8").split("\n")
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


def load() -> float | None:
    """Return how many processes want to run, in the mean of the last minute; None if unknown."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None


@contextmanager
def spent(mark: str) -> Generator[dict[int, float]]:
    """Note the processor seconds of all processes that have a mark in their environment.

    Processes that others start, and that nobody waits for, are in no count of the system. They
    are looked for a few times a second; what they did since the last look is missing.

    Parameters
    ----------
    mark : str
        ``NAME=value``, which those that are started inherit.

    Yields
    ------
    dict
        The seconds by process; its values add up to all of them.
    """
    seconds: dict[int, float] = {}
    over = threading.Event()

    def look() -> None:
        others: set[int] = set()
        while not over.wait(0.2):
            _look(mark.encode(), seconds, others)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seconds
    finally:
        over.set()
        thread.join()


def _look(mark: bytes, seconds: dict[int, float], ignored: set[int]) -> None:
    tick = os.sysconf("SC_CLK_TCK")
    for name in filter(str.isdigit, os.listdir("/proc")):
        process = int(name)
        if process in ignored:
            continue
        with suppress(OSError, IndexError):
            if process not in seconds:
                known = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
                if mark not in known:
                    ignored.add(process)
                    continue
            times = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[11:13]
            seconds[process] = sum(map(int, times)) / tick
