"""Kernels read named tuples of arrays that they are lent, and give them back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mckp.borrowed import borrowed
from mckp.jit import leaf, njit

if TYPE_CHECKING:
    from mckp.jit import Ints


@borrowed
class Inner(NamedTuple):
    """Part of what is lent."""

    numbers: Ints


@borrowed
class Outer(NamedTuple):
    """What is lent."""

    first: Ints
    inner: Inner


@leaf
def _changed(inner: Inner, by: int) -> int:
    inner.numbers[0] += by
    return int(inner.numbers[0])


@njit
def joined(outer: Outer, by: int) -> Ints:
    """Return the first numbers with one more behind them, which is changed in place as well."""
    found = np.empty(outer.first.size + 1, np.int64)
    found[:-1] = outer.first
    found[-1] = _changed(outer.inner, by)
    return found


@njit
def firsts(outer: Outer) -> Ints:
    """Return an array that was lent."""
    return outer.first


def outer() -> Outer:
    """Return numbers to lend."""
    return Outer(np.array([1, 2]), Inner(np.array([3])))


def test_members_are_read_and_written_at_any_depth() -> None:
    lent = outer()
    assert joined(lent, 4).tolist() == [1, 2, 7]
    assert joined(lent, 1).tolist() == [1, 2, 8]
    assert lent.inner.numbers.tolist() == [8]


def test_a_part_can_be_lent_alone() -> None:
    assert _changed(outer().inner, 5) == 8


def test_what_is_lent_is_given_back() -> None:
    lent = outer()
    before = sys.getrefcount(lent.first), sys.getrefcount(lent.inner.numbers)
    for _ in range(10):
        joined(lent, 1)
        firsts(lent)
    assert (sys.getrefcount(lent.first), sys.getrefcount(lent.inner.numbers)) == before


def test_what_is_returned_of_it_outlives_it() -> None:
    lent = outer()
    kept = firsts(lent)
    del lent
    assert kept.tolist() == [1, 2]
