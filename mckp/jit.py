"""The shim around Numba: what the kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    P = ParamSpec("P")
    R = TypeVar("R")

    def njit(fn: Callable[P, R]) -> Callable[P, R]:
        """Compile a function (to type checkers: leave it as it is)."""
        ...

    def leaf(fn: Callable[P, R]) -> Callable[P, R]:
        """Compile a function that makes no arrays (to type checkers: leave it as it is)."""
        ...

    Ints = NDArray[np.int64]
else:
    import pickle

    import numba

    def njit(fn, *, counts=True):
        """Compile a function, and keep the result on disk where there is a place for it."""
        # Said even where it is the default, for a function would take it over from its caller.
        options = {"_nrt": counts}
        try:
            compiled = numba.njit(cache=True, **options)(fn)
        except RuntimeError as error:  # no writable folder, as in a read-only image without a home
            LOST.append(error)
            return numba.njit(**options)(fn)
        if (cache := getattr(compiled, "_cache", None)) is not None:
            cache.load_overload = _forgiving(cache.load_overload)
            cache.save_overload = _forgiving(cache.save_overload)
        if hasattr(compiled, "get_call_template"):
            compiled.get_call_template = _widened(compiled.get_call_template)
        return compiled

    def _widened(template):
        """Return what takes all integers for those of 64 bits where one kernel calls another.

        Else each constant and each narrow integer would have a version of the callee compiled.
        """

        def call(arguments, named):
            return template(
                tuple(map(_wide, arguments)), {name: _wide(each) for name, each in named.items()}
            )

        return call

    def _wide(given):
        plain = numba.types.unliteral(given)
        narrow = isinstance(plain, numba.types.Integer) and plain.bitwidth < 64
        return numba.types.int64 if narrow else plain

    # The last two: what is on disk speaks of things that an upgrade has moved.
    _UNREADABLE = (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError)

    def _forgiving(method):
        """Return what does without the disk if that is full, or what is on it is damaged."""

        def call(*args):
            try:
                return method(*args)
            except _UNREADABLE as error:
                LOST.append(error)
                return None

        return call

    def leaf(fn):
        """Compile a function that makes and returns no arrays, so that none has to be counted.

        Counting references to arrays takes 10 ns a call and more, which is many times what
        appending a byte takes.
        """
        return njit(fn, counts=False)


LOST: Final[list[Exception]] = []
"""Why what was compiled in this process could not be kept on disk, or read from there."""

NEVER: Final = -(2**61)
"""Less than any reachable total; never added to anything that is kept."""
