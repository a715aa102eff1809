"""Limits work: stops what takes too long, so that one result cannot use up all the time."""

from __future__ import annotations

import _weakrefset
import gc
import sys
import threading
import time
import weakref
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
_IGNORED_AFTER: Final = 0.05  # unwinding takes less; a stop that has not ended the work was ignored
_WEAK: Final = frozenset({weakref.__file__, _weakrefset.__file__})
"""The files with the callbacks of weak references."""


def run_limited(
    work: Callable[[], T], seconds: float, on_begin: Callable[[Watch], object] | None = None
) -> T:
    """Return what `work` returns; stop it once its thread has used that many seconds.

    If the system can measure a thread's CPU time, that counts, so ordinary work is not stopped on a
    busy machine. Work is stopped between two Python instructions by a `BaseException`, but never
    while a module is being imported; whatever it changes must stay consistent after any exception.
    Python ignores exceptions in callbacks of the garbage collector and in `__del__`, so work that
    goes on is stopped again. Once this function has returned, nothing more is raised in the thread.

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
    watch = Watch()
    results: list[T] = []
    try:
        try:
            if on_begin is not None:
                on_begin(watch)
            if seconds < inf:
                watch.stop_after(seconds)
            results.append(work())
        finally:
            watch.disarm()
    except BaseException as error:
        with suppress(Stop):  # again, since an exception may have interrupted the first call
            watch.disarm()
        if not isinstance(error, Stop) or not watch.has_stopped:
            raise  # also if it is the stop of work that this work is a part of
        if not results:
            raise WorkLimitError(
                f"the work was stopped after {seconds:g} seconds of processor time; give it more "
                "seconds, or less data"
            ) from None
    return results[0]


class Watch:
    """Stops the work of the thread that creates it, but never after `disarm`."""

    def __init__(self) -> None:
        self._thread, self._seconds_used = threading.get_ident(), _thread_clock()
        self._seconds_at_start = self._seconds_used()
        self._guard, self._over = threading.Lock(), threading.Event()
        self.has_stopped = False

    def stop_after(self, seconds: float) -> None:
        """Stop the work, from a new thread, once it has used that many seconds since its start."""
        due = self._seconds_at_start + seconds
        threading.Thread(
            target=self._stop_when_due, args=(due,), name="mckp work limit", daemon=True
        ).start()

    def disarm(self) -> None:
        """Prevent any later stop; one that is pending is raised here."""
        with self._guard:
            self._over.set()
        # A stop is raised at the next call or jump, unless the interpreter has forgotten it, as
        # when another thread got its own; then it is raised at any later time. So it is requested
        # again until it is raised here; a second request does no harm. If it were cancelled
        # instead, CPython 3.11 and 3.12 would wait for it for good: each loop would be slower, and
        # on 3.11 a traced function would never end.
        while self.has_stopped:
            _request_stop(self._thread)

    def _stop_when_due(self, due: float) -> None:
        """Stop the work when its clock reads `due`, and again each time that this is ignored."""
        left = 0.0
        while not self._over.wait(left):
            with self._guard:  # so the thread cannot end meanwhile, and its clock can be read
                if self._over.is_set():
                    return
                left = due - self._seconds_used()
                if left <= 0 and _may_stop(self._thread):
                    self.has_stopped = True
                    _request_stop(self._thread)
                    due = self._seconds_used() + _IGNORED_AFTER
            left = max(left, _LEAST_WAIT)


def _thread_clock() -> Callable[[], float]:
    """Return a function that reads the CPU time of this thread, if possible, from any thread."""
    if hasattr(time, "pthread_getcpuclockid"):
        clock_id = time.pthread_getcpuclockid(threading.get_ident())
        return lambda: time.clock_gettime(clock_id)
    return time.monotonic


def _may_stop(thread: int) -> bool:
    """Return whether an exception in a thread would neither do harm nor be ignored right now."""
    time.sleep(0)  # from here on, this thread has the interpreter for some milliseconds
    collector_codes = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):  # the module would be left broken
            return False
        # Python ignores exceptions there, and a set of weak references would keep what is gone.
        if code.co_name == "__del__" or code in collector_codes or code.co_filename in _WEAK:
            return False
        frame = frame.f_back
    return True


def _request_stop(thread: int) -> None:
    """Request that the interpreter raises `Stop` in a thread."""
    import ctypes  # most work ends in time

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stop))
