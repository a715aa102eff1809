"""Worth that falls by rank: the more of a document is kept, the less the rest of it adds.

This is the prior by which several documents share a budget. Without it, a megabyte of a log would
be worth a thousand times a plan of ten lines. It is computed before the selection, so the selection
is still proven optimal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

HALVING: Final = 100
"""Tokens of worthier parts after which a part has half of its weight."""

CHARACTERS: Final = 4.0
"""Characters of a token, about; sizes need no more for a prior."""


def halving_of(relevance: float) -> float:
    """Return the number of tokens after which a part of a document has half of its weight.

    A document that clearly matches the question fades more slowly: packs held the answers to .05 to
    .1 more of 60 questions about conversations of many sessions.

    Examples
    --------
    >>> halving_of(0.3), halving_of(5.0)
    (100.0, 500.0)
    """
    return HALVING * max(1.0, relevance)


def size_of(text: str) -> float:
    """Return the approximate number of tokens of a text."""
    return (len(text) + 1) / CHARACTERS


def faded(weights: ArrayLike, sizes: ArrayLike, halving: float = HALVING) -> NDArray[np.float64]:
    """Return the weights of the parts of a document, each faded by the parts ranked before it.

    Parts are ranked by weight per token; ties keep their order. A part that comes after t tokens
    has ``1 / (1 + t / halving)`` of its weight. So if all parts are alike, a document weighs about
    as much as the logarithm of its length. In packs of all results of a task, this kept more of
    what agents used later than the square root did.

    Parameters
    ----------
    weights : array [parts]
        What each part weighs, from 0 on.
    sizes : array [parts]
        Its tokens, about.
    halving : float, default `HALVING`
        Tokens of worthier parts after which a part has half of its weight.

    Examples
    --------
    >>> faded([1.0, 8.0, 1.0], [300, 300, 500]).round(2).tolist()
    [0.25, 8.0, 0.14]
    """
    alone, tokens = np.asarray(weights, np.float64), np.asarray(sizes, np.float64)
    order = np.argsort(-alone / np.maximum(tokens, 1e-9), kind="stable")
    before = np.cumsum(tokens[order]) - tokens[order]
    fading = np.empty(len(alone))
    fading[order] = alone[order] / (1 + before / halving)
    return fading
