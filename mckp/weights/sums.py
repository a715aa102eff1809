"""Valid weights, and their prefix sums over the leaves, rounded so that they are exact."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import frexp, fsum, inf
from numbers import Real
from sys import float_info
from typing import TYPE_CHECKING, Final

from mckp.errors import WeightError
from mckp.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence


def as_weight(value: object) -> float | None:
    """Return a value as a weight, or None if it is not a finite number of at least 0.

    Booleans are not numbers here.
    """
    if isinstance(value, float):  # nearly all are
        return value if 0 <= value < inf else None
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if 0 <= number < inf else None


FINEST: Final = -20
"""Weights are multiples of 2 to this power, or of a greater power if their total is large."""

_BITS: Final = float_info.mant_dig - 1


@frozen
class Weights:
    """The weights of the leaves of a document, as sums up to each leaf.

    Every weight is a multiple of one power of two, a millionth in most documents, and the total is
    below 2 to the 53rd times that power. So all sums of weights are exact, in whatever order they
    are added. A positive weight is at least that power.

    Attributes
    ----------
    sums : list of float
        ``sums[j] - sums[i]`` is the total weight of the leaves from i up to, but without, j.
    pins, dropped : list of int
        The same for the number of leaves that must stay, and of leaves that go first.
    unmatched : tuple of str
        The patterns that cover no leaf.
    is_plain : bool
        Whether each leaf weighs as much as it has facts; then all else is empty.
    request : str or None
        What the reader asks; of a long text, what clearly matches it stays first.
    lift : float
        How many times as much the request raises an average leaf as a typical one.
    """

    sums: list[float]
    pins: list[int]
    dropped: list[int]
    unmatched: tuple[str, ...] = ()
    is_plain: bool = False
    request: str | None = None
    lift: float = 1.0

    def of(self, at: int, count: int) -> float:
        """Return the total weight of `count` consecutive leaves from an index on."""
        return self.sums[at + count] - self.sums[at]

    def is_pinned(self, at: int, count: int) -> bool:
        """Whether at least one of `count` consecutive leaves from an index on must stay."""
        return self.pins[at + count] > self.pins[at]

    def pinned(self) -> list[int]:
        """Return the indexes of the leaves that must stay."""
        return [
            number for number, (before, after) in enumerate(pairwise(self.pins)) if after > before
        ]


PLAIN: Final = Weights([], [], [], is_plain=True)
"""The model that weighs by facts, which are counted where they are needed."""


def exact_sums(weights: Sequence[float]) -> list[float]:
    """Return the prefix sums of weights, which are rounded first so that the sums are exact.

    There is one sum more than weights, since the first is 0. A positive weight stays positive.
    Raises `WeightError` if the total is infinite.

    Examples
    --------
    >>> exact_sums([1.0, 1e-9, 0.0])
    [0.0, 1.0, 1.0000009536743164, 1.0000009536743164]
    """
    try:
        total = fsum(weights)
    except OverflowError:
        total = inf
    if total == inf:
        raise WeightError("weights", "their sum is too large; make them smaller")
    unit = 2.0 ** max(FINEST, frexp(total)[1] - _BITS)
    counts = (max(1, round(weight / unit)) if weight else 0 for weight in weights)
    return [count * unit for count in accumulate(counts, initial=0)]
