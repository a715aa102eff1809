"""Which of many documents have no chance of a part within a budget, so that nobody prices them.

By its scale, no part of a document is worth more per token than the document's factor, about; after
parts of t tokens it is ``factor / (1 + t / halving)``. As water finds its level, a budget is spent
on all documents down to one worth per token. In packs of files and of search chunks, with and
without a question, the lowest factor that got a part was 0.58 to 2.1 of the level; a document is
closed below half of it. The level falls with the budget, so more documents are open with more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.weights.fading import approximate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.packing.items import Item

FEW: Final = 50
"""The most documents that are all open."""

TIMES: Final = 8
"""A budget is small if the documents have this many times its tokens, about."""

BELOW: Final = 0.5
"""The share of the level below which a document is closed."""

_STEPS: Final = 60


def documents_to_name(items: Sequence[Item], budget: int | None) -> frozenset[int]:
    """Return the numbers of the documents that can only be named within a budget."""
    if budget is None or len(items) <= FEW:
        return frozenset()
    sizes = np.array([item.size for item in items])
    if sizes.sum() < TIMES * budget:
        return frozenset()
    factors = np.array([item.factor for item in items])
    halvings = np.array([item.halving for item in items])
    headings = np.array([approximate_tokens(item.heading) for item in items])
    low_level, high = 0.0, float(factors.max())
    for _ in range(_STEPS):
        level = (low_level + high) / 2
        tokens_at_level = (
            np.minimum(sizes, halvings * (factors / max(level, 1e-300) - 1)) + headings
        )
        low_level, high = (
            (level, high) if tokens_at_level[factors > level].sum() > budget else (low_level, level)
        )
    is_low = factors < BELOW * low_level
    return frozenset(
        number for number in np.flatnonzero(is_low).tolist() if not items[number].is_spoken_of
    )
