"""What a line of any text is worth: how likely a reader is to need it, from a table of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from mckp.texts.lines import Numbers, Reals

UNIT: Final = 1024
"""Worths are whole numbers of 1 / UNIT, so that sums are the same in any order."""

WEIGHTS: Final = {
    "always": -4.44,
    "blank": -3.09,
    "short": -2.41,
    "log size": 2.79,
    "very long": -0.38,
    "place": 0.05,
    "first 3": -0.06,
    "last": -0.34,
    "last 3": 0.24,
    "indent": -0.49,
    "repeated": -0.20,
    "letters": -0.71,
    "braces only": -1.59,
    "path": -0.28,
    "url": -1.05,
    "path:line": -0.34,
    "dotted": 0.06,
    "quote": 0.12,
    "key: value": 0.11,
    "assign": -0.45,
    "bullet": 0.50,
    "heading": 0.67,
    "comment": -0.94,
    "added": -1.14,
    "removed": 0.69,
    "ref": -1.33,
    "definition": -0.20,
    "after definition": -0.44,
    "import": -1.03,
    "branch": -0.14,
    "return": -0.49,
    "identifiers": 0.47,
    "number": 0.04,
    "names": 0.35,
    "rare": -0.04,
    "mean rarity": 0.85,
    "words": 0.17,
    "asked": 0.41,
    "asked near": -0.05,
    "asked near 3": 0.08,
}
"""What each feature of a line adds to the log odds that it is needed.

Fitted by logistic regression to 748 results of coding agents and what these used of them later.
"""


def fitted(features: dict[str, Reals]) -> Numbers:
    """Return the worth of each line, 0 to UNIT: the likelihood that a reader needs it."""
    odds = WEIGHTS["always"] + sum(
        WEIGHTS[name] * values for name, values in features.items() if name in WEIGHTS
    )
    worth = np.asarray(np.rint(UNIT / (1 + np.exp(-odds))), np.int64)
    worth[features["blank"] > 0] = 0
    return worth
