"""The interface to Numba: functions are compiled, and cached on disk if possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    P = ParamSpec("P")
    R = TypeVar("R")

    def njit(fn: Callable[P, R]) -> Callable[P, R]:
        """Compile a function (to type checkers: leave it as it is)."""
        ...
else:
    import contextlib
    import sys
    import time

    import numba

    def njit(fn):
        """Compile a function, and keep the result on disk where there is a place for it."""
        try:
            compiled = numba.njit(cache=True)(fn)
        except RuntimeError as error:  # no writable folder, as in a read-only image without a home
            CACHE_ERRORS.append(error)
            compiled = numba.njit(fn)
        if (cache := getattr(compiled, "_cache", None)) is not None:
            cache.load_overload = _without_errors(cache.load_overload, cache.flush)
            cache.save_overload = _without_errors(cache.save_overload, cache.flush)
        if hasattr(compiled, "compile"):
            compiled.compile = _with_notice(compiled.compile, fn.__name__)
        return compiled

    def _without_errors(method, flush):
        """Return a method of the cache that returns None instead of raising, if it fails.

        The disk may be full, or the cache damaged. A damaged index can raise nearly anything while
        it is read; it is emptied, and the function is compiled again.
        """

        def call(*args):
            try:
                return method(*args)
            except Exception as error:
                CACHE_ERRORS.append(error)
                if not isinstance(error, OSError):
                    with contextlib.suppress(Exception):
                        flush()
                return None

        return call

    def _with_notice(compile_, name):
        """Return a compile method that prints `NOTICE`, once per process, if compiling is slow."""

        def call(*args):
            started = time.perf_counter()
            try:
                return compile_(*args)
            finally:
                _SPENT[0] += time.perf_counter() - started
                if _SPENT[0] > PATIENCE and not _SPENT[1]:
                    _SPENT[1] = 1
                    print(NOTICE, file=sys.stderr, flush=True)  # noqa: T201

        return call

    _SPENT = [0.0, 0]


CACHE_ERRORS: Final[list[Exception]] = []
"""Errors of the cache on disk in this process."""

PATIENCE: Final = 2.0
"""Seconds of compiling or loading after which the notice is printed."""

NOTICE: Final = "mckp: compiling the solver for large tables, once for each installation ..."
