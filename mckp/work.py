"""Limits work: stops what takes too long, so that one result cannot use up all the time."""

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


class Stop(BaseException):  # not an Exception, so that no `except Exception` catches it
    """Raised in the thread of the work, and nowhere else."""


_LEAST_WAIT: Final = 0.05


def run_limited(
    work: Callable[[], T], seconds: float, on_begin: Callable[[Watch], object] | None = None
) -> T:
    """Return what `work` returns; stop it once its thread has used that many seconds.

    If the system can measure a thread's CPU time, that counts, so ordinary work is not stopped on a
    busy machine. Work is stopped between two Python instructions by a `BaseException`, but never
    while a module is being imported; whatever it changes must stay consistent after any exception.
    Once this function has returned, nothing more is raised in the thread.

    Parameters
    ----------
    work : callable
        The work to do.
    seconds : float
        The limit; infinity for none.
    on_begin : callable, optional
        Called with the watch at the beginning, so that another thread can stop the work.

    Raises
    ------
    WorkLimitError
        If the work was stopped.

    Examples
    --------
    >>> run_limited(lambda: sum(range(9)), 1.0)
    36
    """
    watch = Watch(seconds)
    done: list[T] = []
    try:
        try:
            if on_begin is not None:
                on_begin(watch)
            if seconds < inf:
                watch.start()
            done.append(work())
        finally:
            watch.disarm()
    except Stop:
        if not done:
            raise WorkLimitError from None
    except BaseException:
        with suppress(Stop):  # again, since an exception may have interrupted the first call
            watch.disarm()
        raise
    return done[0]


class Watch:
    """Stops the work of the thread that creates it, at most once, and never after `disarm`."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._thread, self._seconds_used = (
            seconds,
            threading.get_ident(),
            _thread_clock(),
        )
        self._seconds_at_start = self._seconds_used()
        self._guard, self._over = threading.Lock(), threading.Event()
        self._is_stopped = False

    def start(self) -> None:
        """Start a thread that stops the work when its seconds are used up."""
        threading.Thread(target=self._stop_when_due, name="mckp work limit", daemon=True).start()

    def disarm(self) -> None:
        """Prevent any later stop; one that is pending is raised here."""
        with self._guard:
            self._over.set()
        # A stop is raised at the next call or jump, unless the interpreter has forgotten it, as
        # when another thread got its own; then it is raised at any later time. So it is requested
        # again until it is raised here; a second request does no harm. If it were cancelled
        # instead, CPython 3.11 and 3.12 would wait for it for good: each loop would be slower, and
        # on 3.11 a traced function would never end.
        while self._is_stopped:
            _request_stop(self._thread)

    def stop(self) -> bool:
        """Stop the work unless it has ended; return False if it cannot be stopped right now."""
        with self._guard:
            if not self._over.is_set() and not self._is_stopped:
                self._is_stopped = True  # before the request, which may stop this very thread
                self._is_stopped = _stop_thread(self._thread)
            return self._is_stopped or self._over.is_set()

    def _stop_when_due(self) -> None:
        """Wait until the work has ended or its seconds are used up; then stop it."""
        left = self._seconds
        while left > 0 or not self.stop():
            if self._over.wait(max(left, _LEAST_WAIT)):
                return
            left = self._seconds - (self._seconds_used() - self._seconds_at_start)


def _thread_clock() -> Callable[[], float]:
    """Return a function that reads the CPU time of this thread, if possible, from any thread."""
    if hasattr(time, "pthread_getcpuclockid"):
        clock_id = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(clock_id)
    return time.monotonic


def _stop_thread(thread: int) -> bool:
    """Stop a thread; return False if it is importing a module, which would be left broken."""
    time.sleep(0)  # from here on, this thread has the interpreter for some milliseconds
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    _request_stop(thread)
    return True


def _request_stop(thread: int) -> None:
    """Request that the interpreter raises `Stop` in a thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stop))
