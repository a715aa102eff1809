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
            LOST.append(error)
            compiled = numba.njit(fn)
        if (cache := getattr(compiled, "_cache", None)) is not None:
            cache.load_overload = _forgiving(cache.load_overload, cache.flush)
            cache.save_overload = _forgiving(cache.save_overload, cache.flush)
        if hasattr(compiled, "compile"):
            compiled.compile = _announced(compiled.compile, fn.__name__)
        return compiled

    def _forgiving(method, flush):
        """Return what does without the disk if that is full, or what is on it is damaged.

        A damaged index can raise nearly anything while it is read; it is emptied, and the function
        compiled again.
        """

        def call(*args):
            try:
                return method(*args)
            except Exception as error:
                LOST.append(error)
                if not isinstance(error, OSError):
                    with contextlib.suppress(Exception):
                        flush()
                return None

        return call

    def _announced(compile_, name):
        """Return what says in one line, once a process, that compiling takes long."""

        def call(*args):
            began = time.perf_counter()
            try:
                return compile_(*args)
            finally:
                _SPENT[0] += time.perf_counter() - began
                if _SPENT[0] > PATIENCE and not _SPENT[1]:
                    _SPENT[1] = 1
                    print(NOTICE, file=sys.stderr, flush=True)  # noqa: T201

        return call

    _SPENT = [0.0, 0]


LOST: Final[list[Exception]] = []
"""Why what was compiled in this process could not be kept on disk, or read from there."""

PATIENCE: Final = 2.0
"""Seconds of compiling or loading after which a line says so."""

NOTICE: Final = "mckp: compiling the solver for large tables, once for each installation ..."
