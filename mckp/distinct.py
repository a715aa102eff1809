"""Distinct values of an array, and indexes spread evenly over one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.table import Ints

Scalar = TypeVar("Scalar", bound=np.generic)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the distinct values of an array in ascending order.

    `numpy.unique` without counts imports `numpy.ma` to test for masked arrays (NumPy 2.3 and later,
    ``lib/_arraysetops_impl.py``). That import takes a twentieth of the time in which a hook
    shortens a result of 10 kB; with counts, it is avoided.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ascending: NDArray[Scalar] = np.unique(values, return_counts=True)[0]
    return ascending


def even_indexes(size: int, most: int) -> Ints:
    """Return at most `most` evenly spread indexes of an array, with the first and the last.

    If `most` is 1, the last is left out.

    Examples
    --------
    >>> even_indexes(9, 3), even_indexes(2, 5)
    (array([0, 4, 8]), array([0, 1]))
    """
    return distinct(np.linspace(0, size - 1, min(size, most)).astype(int))
