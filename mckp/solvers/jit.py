"""The interface to Numba (extra ``jit``): functions are compiled, and cached on disk if possible.

Without Numba the same functions run as plain Python: the same answers, later.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
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
    import time

    def njit(fn):
        """Compile a function, and keep the result on disk where there is a place for it."""
        if not is_installed():
            return fn
        import numba  # on use: the default solver imports this module and needs no compiled code

        try:
            compiled = numba.njit(cache=True)(fn)
        except RuntimeError as error:  # no writable folder, as in a read-only image without a home
            CACHE_ERRORS.append(error)
            compiled = numba.njit(fn)
        if (cache := getattr(compiled, "_cache", None)) is not None:
            cache.load_overload = _without_errors(cache.load_overload, cache.flush)
            cache.save_overload = _without_errors(cache.save_overload, cache.flush)
        if hasattr(compiled, "compile"):
            compiled.compile = _with_notice(compiled.compile, lambda: compiled.stats.cache_hits)
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

    def _with_notice(compile_, hits):
        """Return a compile method that prints `NOTICE`, once per process, if compiling is slow.

        What is found in the cache on disk is loaded, not compiled, and prints nothing.
        """

        def call(*args):
            started, before = time.perf_counter(), sum(hits().values())
            try:
                return compile_(*args)
            finally:
                if sum(hits().values()) == before:
                    _SPENT[0] += time.perf_counter() - started
                if _SPENT[0] > PATIENCE:
                    _print_once(NOTICE)

        return call

    _SPENT = [0.0]


CACHE_ERRORS: Final[list[Exception]] = []
"""Errors of the cache on disk in this process."""

PATIENCE: Final = 2.0
"""Seconds of compiling after which the notice is printed."""

NOTICE: Final = "mckp: compiling the solver for large tables, once for each installation ..."

ADVICE: Final = (
    "mckp: this knapsack is hard; pip install 'mckp[jit]' solves such tables many times faster"
)


def is_installed() -> bool:
    """Return whether Numba can be imported; nothing is imported to find out."""
    return find_spec("numba") is not None


def advise() -> None:
    """Print once per process that Numba would help, if it is missing."""
    if ADVICE not in _PRINTED:
        _PRINTED.add(ADVICE)  # the search for Numba takes long, too
        if not is_installed():
            print(ADVICE, file=sys.stderr, flush=True)  # noqa: T201


def _print_once(line: str) -> None:
    if line not in _PRINTED:
        _PRINTED.add(line)
        print(line, file=sys.stderr, flush=True)  # noqa: T201


_PRINTED: set[str] = set()
