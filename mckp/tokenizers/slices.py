"""Slices of a buffer as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mckp.jit import Ints

    Bytes = NDArray[np.uint8]


def texts_of(buffer: Bytes, starts: Ints, ends: Ints) -> list[str]:
    """Read slices of a buffer.

    Parameters
    ----------
    buffer : array of uint8
        UTF-8; surrogates may be written in it like other characters.
    starts, ends : array of int64
        Where the slices stand.

    Returns
    -------
    list of str
        One text a slice.

    Raises
    ------
    UnicodeDecodeError
        If a slice is no UTF-8.
    """
    if not starts.size:
        return []
    first = starts.min()
    content = buffer[first : ends.max()].tobytes()
    slices = zip((starts - first).tolist(), (ends - first).tolist(), strict=True)
    return [content[start:end].decode("utf-8", "surrogatepass") for start, end in slices]
