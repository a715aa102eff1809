"""Python's garbage collector waits while a document is encoded."""

from __future__ import annotations

import gc
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def without_collector(function: Callable[P, T]) -> Callable[P, T]:
    """Let the collector wait while a function runs: it makes many objects, but few cycles.

    Of calls at the same time, the one that found it enabled enables it again, so it may run during
    the others. One that the caller has disabled stays so.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        was_enabled = gc.isenabled()
        try:
            gc.disable()
            return function(*args, **kwargs)
        finally:
            if was_enabled:
                gc.enable()

    return run
