"""Thin out options: keep undominated ones, one for each step of cost."""

from __future__ import annotations

from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FINENESS: Final = 0.01
"""Options of one frontier differ in cost by at least this share."""


def frontier(costs: Ints, worths: Floats, classes: Ints, most: Ints) -> Ints:
    """Return the numbers of the options that no other of their class dominates, thinned.

    `costs`, `worths` and `classes` have the cost, the worth and the class number of each option,
    and `most` has the cost of writing all of each class. An option that costs as much or more, or
    is worth nothing, is not returned. The options of a class come by rising cost. All classes are
    done at once, since most have few options.

    Examples
    --------
    >>> costs, worths, classes = [4, 2, 3, 9, 1], [5.0, 2.0, 1.0, 7.0, 1.0], [0, 0, 0, 0, 1]
    >>> frontier(np.array(costs), np.array(worths), np.array(classes), np.array([9, 9])).tolist()
    [1, 0, 4]
    """
    order = np.lexsort((-worths, costs, classes))
    groups, gains = classes[order], worths[order]
    before = np.full(len(order), -np.inf)
    starts = (np.flatnonzero(groups[1:] != groups[:-1]) + 1).tolist()
    for first, end in pairwise((0, *starts, len(order))):
        np.maximum.accumulate(gains[first : end - 1], out=before[first + 1 : end])
    order = order[(gains > before) & (costs[order] < most[groups]) & (gains > 0)]
    is_kept, groups = thinned(costs[order], FINENESS), classes[order]
    is_kept[:-1] |= groups[1:] != groups[:-1]
    return order[is_kept]


def thinned(costs: Ints, share: float) -> NDArray[np.bool_]:
    """Flag which of the ascending costs are kept: the last one of each step.

    A step is a range of costs that differ by less than the given share. Among options that do not
    dominate each other, the last of a step is worth the most.
    """
    steps = np.floor(np.log(np.maximum(costs, 1)) / log1p(share))
    is_last = np.ones(costs.size, dtype=np.bool_)
    np.greater(steps[1:], steps[:-1], out=is_last[:-1])
    return is_last


def improve_worths(
    best: Floats, other: Floats, tokens: int, worth: float, chosen: NDArray[Any], number: int
) -> None:
    """Raise `best`, the greatest worth within each number of tokens, where an item improves it.

    The item has `tokens` and `worth`, which are added to those in `other`: the greatest worths
    without the item. Where it is taken, ``chosen[t]`` becomes `number`.
    """
    if tokens >= len(best):
        return
    with_item = other[: len(other) - tokens] + worth
    reached = best[tokens:]
    np.putmask(chosen[tokens:], with_item > reached, number)
    np.maximum(with_item, reached, out=reached)
