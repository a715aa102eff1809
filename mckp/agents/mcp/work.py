"""A limit of work: what takes too long is stopped, so that one result cannot take all there is."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class WorkLimitError(Exception):
    """Work was stopped, since it took more seconds of a processor than it may."""


_LEAST_WAIT: Final = 0.05


def limited(work: Callable[[], T], seconds: float) -> T:
    """Return what `work` returns; it is stopped once its thread has used so many seconds.

    These are seconds of a processor, where the system counts them by thread, so a busy machine
    stops no ordinary work. The exception is raised between two instructions of Python; what the
    work changes must be whole after any exception.

    Raises
    ------
    WorkLimitError
        If it was stopped.

    Examples
    --------
    >>> limited(lambda: sum(range(9)), 1.0)
    36
    """
    ident, used = threading.get_ident(), _clock()
    guard, end, is_done = threading.Lock(), threading.Event(), False
    start = used()

    def watch() -> None:
        left = seconds
        while not end.wait(max(left, _LEAST_WAIT)):
            left = seconds - (used() - start)
            if left <= 0:
                with guard:
                    if not is_done:
                        _raise_in(ident)
                return

    watcher = threading.Thread(target=watch, name="mckp work limit", daemon=True)
    watcher.start()
    try:
        return work()
    finally:
        with guard:
            is_done = True
        end.set()
        # What the watcher raised before it saw that the work is done comes at the next jump: here.
        # To take it back instead (a null exception) leaves Python 3.11 checking for one forever.
        for _ in range(2):
            pass


def _clock() -> Callable[[], float]:
    """Return a clock of this thread that other threads may read."""
    if hasattr(time, "pthread_getcpuclockid"):
        own = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(own)
    return time.monotonic


def _raise_in(ident: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(ident), ctypes.py_object(WorkLimitError)
    )
