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

    An option has a cost, a worth and the number of its class. The cheapest of a class comes first.
    All classes are done at once, since most have few options. An option that costs `most` of its
    class or more is not returned: that is the cost of the option that writes everything.

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
    """Flag which of the ascending costs are kept: the last one in each step of the given share.

    Among options that do not dominate each other, the last of a step is worth the most.
    """
    steps = np.floor(np.log(np.maximum(costs, 1)) / log1p(share))
    is_last = np.ones(costs.size, dtype=np.bool_)
    np.greater(steps[1:], steps[:-1], out=is_last[:-1])
    return is_last


def improve_worths(
    best: Floats, other: Floats, tokens: int, worth: float, chosen: NDArray[Any], number: int
) -> None:
    """Raise `best`, the greatest worth for each number of tokens, to `other` with an item.

    The item has `tokens` and `worth`; ``chosen[t]`` becomes `number` where it is taken.
    """
    if tokens >= len(best):
        return
    more = other[: len(other) - tokens] + worth
    behind = best[tokens:]
    np.putmask(chosen[tokens:], more > behind, number)
    np.maximum(more, behind, out=behind)
