"""Arrays that compiled code may hand on without counting who holds them.

Numba counts the holders of an array atomically, once for each array of a tuple wherever a
function gets one; a tape is a tuple of many. Whoever calls a kernel holds the arrays all the while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from mckp.columns.tape import Tape
from mckp.jit import njit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    T = TypeVar("T", bound=np.generic)

    def borrowed(array: NDArray[T]) -> NDArray[T]:
        """Return the same array, whose holders are not counted."""
        ...

else:
    import numba
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def _borrowed(typing_context, array):
        def build(context, builder, signature, arguments):
            view = cgutils.create_struct_proxy(array)(context, builder, value=arguments[0])
            for name in ("meminfo", "parent"):
                setattr(view, name, cgutils.get_null_value(getattr(view, name).type))
            return view._getvalue()  # noqa: SLF001

        return array(array), build

    def borrowed(array):
        """Return the same array, whose holders are not counted."""
        return array

    if not numba.config.DISABLE_JIT:
        borrowed = _borrowed


@njit
def borrowed_tape(tape: Tape) -> Tape:
    """Return the same tape in arrays whose holders are not counted."""
    return Tape(
        borrowed(tape.text),
        borrowed(tape.kind),
        borrowed(tape.start),
        borrowed(tape.end),
        borrowed(tape.begin),
        borrowed(tape.stop),
        borrowed(tape.key),
        borrowed(tape.next),
        borrowed(tape.size),
        borrowed(tape.facts),
        borrowed(tape.same),
        borrowed(tape.inner),
        borrowed(tape.spelling),
        borrowed(tape.key_start),
        borrowed(tape.key_end),
        borrowed(tape.key_begin),
        borrowed(tape.key_stop),
    )
