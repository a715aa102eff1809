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

    Ints = NDArray[np.int64]
else:
    import numba

    def njit(fn):
        """Compile a function, and keep the result on disk where there is a place for it."""
        try:
            return numba.njit(cache=True)(fn)
        except RuntimeError:  # no writable folder, as in a read-only image without a home
            return numba.njit(fn)


NEVER: Final = -(2**61)
"""Less than any reachable total; never added to anything that is kept."""
