"""Giving memory back between the stages of a large document."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE: Final = 1 << 21
"""Bytes of a document from which on that is worth the moment it takes."""


def give_back(size: int) -> None:
    """Have memory that was freed returned to the system, if a document is so large.

    GNU's library keeps freed arrays of up to 32 MB for later ones, yet those of a document
    have sizes of their own, so most of what one stage leaves would lie idle in the next.
    """
    if size >= LARGE and (trim := trimming()) is not None:
        trim(0)


@cache
def trimming() -> Callable[[int], int] | None:
    """Return what does that, where there is such a thing."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    return found
