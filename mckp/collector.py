"""Python's garbage collector waits while a document is encoded."""

from __future__ import annotations

import gc
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    P = ParamSpec("P")
    T = TypeVar("T")


class _Pauses:
    """Counts the calls under way, in all threads, that the collector waits for."""

    def __init__(self) -> None:
        self.lock, self.running, self.was_enabled = Lock(), 0, False

    def __enter__(self) -> None:
        with self.lock:
            if not self.running:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.running += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.running -= 1
            if not self.running and self.was_enabled:
                gc.enable()


_PAUSES: Final = _Pauses()


def without_collector(function: Callable[P, T]) -> Callable[P, T]:
    """Let the collector wait while a function runs: it makes many objects, but few cycles.

    If calls run at the same time, the collector starts again after the last one. One that the
    caller has disabled stays so.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with _PAUSES:
            return function(*args, **kwargs)

    return run
