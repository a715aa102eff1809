"""Limit work: stop what takes too long, so that one result cannot use up all time."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class WorkLimitError(Exception):
    """Work was stopped because it exceeded its limit of processor seconds."""


class Stop(BaseException):  # no error, so that no `except Exception` of the work takes it
    """Raised in the thread of the work, and nowhere else."""


_LEAST_WAIT: Final = 0.05


def limited(
    work: Callable[[], T], seconds: float, begun: Callable[[Watch], object] | None = None
) -> T:
    """Return what `work` returns; stop it once its thread has used that many seconds.

    These are seconds of a processor, where the system counts them by thread, so a busy machine
    stops no ordinary work. Work is stopped between two instructions of Python, by an exception
    that is no `Exception`, and never while a module is imported; what the work changes must be
    whole after any exception. Nothing is raised in the thread once this has returned.

    Parameters
    ----------
    work : callable
        What to do.
    seconds : float
        The limit; infinity for none.
    begun : callable, optional
        Is given the watch at the beginning, so that another thread can stop the work.

    Raises
    ------
    WorkLimitError
        If it was stopped.

    Examples
    --------
    >>> limited(lambda: sum(range(9)), 1.0)
    36
    """
    watch = Watch(seconds)
    done: list[T] = []
    try:
        try:
            if begun is not None:
                begun(watch)
            if seconds < inf:
                watch.start()
            done.append(work())
        finally:
            watch.end()
    except Stop:
        if not done:
            raise WorkLimitError from None
    except BaseException:
        with suppress(Stop):  # again, since what was raised may have come before its end
            watch.end()
        raise
    return done[0]


class Watch:
    """Stops the work of the thread that makes it, at most once, and never after `end`."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._thread, self._used = seconds, threading.get_ident(), _clock()
        self._from = self._used()
        self._guard, self._over = threading.Lock(), threading.Event()
        self._is_stopped = False

    def start(self) -> None:
        threading.Thread(target=self._wait, name="mckp work limit", daemon=True).start()

    def end(self) -> None:
        """Stop nothing from now on; a pending stop is raised here."""
        with self._guard:
            self._over.set()
        # A stop comes at the next call or jump, unless the interpreter has forgotten that there is
        # one, as when another thread took its own: then it comes any time later. So it is asked
        # for again until it comes, here; a second one does no harm. To take it back instead would
        # leave CPython 3.11 and 3.12 waiting for it for good: each loop is slower then, and on 3.11
        # a function that is traced never ends.
        while self._is_stopped:
            _ask(self._thread)

    def stop(self) -> bool:
        """Stop the work, unless it has ended; return False if it cannot be stopped just now."""
        with self._guard:
            if not self._over.is_set() and not self._is_stopped:
                self._is_stopped = True  # also if the work's own thread asks, and is stopped here
                self._is_stopped = _raise_in(self._thread)
            return self._is_stopped or self._over.is_set()

    def _wait(self) -> None:
        left = self._seconds
        while left > 0 or not self.stop():
            if self._over.wait(max(left, _LEAST_WAIT)):
                return
            left = self._seconds - (self._used() - self._from)


def _clock() -> Callable[[], float]:
    """Return a clock of this thread that other threads may read."""
    if hasattr(time, "pthread_getcpuclockid"):
        own = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(own)
    return time.monotonic


def _raise_in(thread: int) -> bool:
    """Raise the stop in a thread, unless it is importing a module, which would stay broken."""
    time.sleep(0)  # has the interpreter to itself from here on, for some milliseconds
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    _ask(thread)
    return True


def _ask(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stop))
