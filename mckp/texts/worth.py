"""What a line of any text is worth: how likely a reader is to need it, from a table of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.texts.kinds import TextKind

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


ALARMS: Final = {
    "always": -2.02,
    "alarm": 0.47,
    "alarm rare": 0.33,
    "alarm often": 0.08,
    "alarm first of many": 0.73,
    "alarm at all": 0.94,
    "sure at all": 0.59,
    "strong": 0.44,
    "strong rare": 0.37,
    "mark": 0.57,
    "mark alarm": 0.10,
    "nil": -0.32,
    "passing": -0.88,
    "warns": -0.33,
    "warns rare": -0.31,
    "code": -0.47,
    "level error": -0.27,
    "level error rare": 0.36,
    "level info": -0.56,
    "odd level": 0.39,
    "severe": 0.23,
    "odd cell": 0.47,
    "size": -0.28,
    "finding": 0.18,
    "finding few": 0.57,
    "finding few alarm": 0.73,
    "finding often": -0.53,
    "after few": 0.32,
    "after few 4": 0.15,
    "before few": 0.10,
    "caret": 0.14,
    "before caret": -0.22,
    "caret words": 0.39,
    "frame": 0.21,
    "own frame": 0.47,
    "others": -0.65,
    "last frame": 0.51,
    "value": 0.58,
    "value word": 0.33,
    "value in failure": 1.11,
    "after alarm 1": 0.26,
    "after alarm 2": -0.05,
    "after alarm 5": -0.36,
    "in failure": 0.64,
    "before alarm 3": 0.20,
    "path in failure": 0.06,
    "E line": 0.82,
    "E first": 0.13,
    "counts": 0.24,
    "counts late": 0.71,
    "last line": 0.41,
    "last lines": 0.97,
    "first lines": -0.28,
    "rule": -0.06,
    "rare line": 0.61,
    "often": -0.85,
    "repeat": -0.18,
    "after blank": 0.55,
    "blank line": -0.34,
    "indented": -0.05,
}
"""What each feature adds to the log odds that a line has the cause, its place or the verdict.

Fitted by logistic regression to 84 outputs of some 60 tools in which these lines are known.
"""

PENALTIES: Final = {"nil": -1.5, "passing": -1.0}
"""By rule: what says that nothing failed is worth less than what says nothing of failure."""

SURE: Final = 4.0
"""The most that a line can be worth, as a multiple of `UNIT`."""

GATES: Final = {
    TextKind.PROSE: 0.6,
    TextKind.CSV: 0.5,
    TextKind.SEARCH: 0.2,
    TextKind.PATHS: 0.3,
    TextKind.LISTING: 0.3,
    TextKind.CONFIG: 0.1,
    TextKind.PROGRAM: 0.03,
    TextKind.DIFF: 0.03,
    TextKind.MARKDOWN: 0.05,
    TextKind.HTML: 0.05,
    TextKind.LATEX: 0.02,
    TextKind.HISTORY: 0.05,
    TextKind.SNAPSHOT: 0.1,
    TextKind.SUBTITLES: 0.0,
    TextKind.CALENDAR: 0.1,
    TextKind.PLAN: 0.3,
}
"""How much failures count in each kind of text, by rule; 1 in those that are not here."""


def fitted(features: dict[str, Reals]) -> Numbers:
    """Return the worth of each line, 0 to UNIT: the likelihood that a reader needs it."""
    likely = 1 / (1 + np.exp(-_odds(WEIGHTS, features)))
    worth = np.asarray(np.rint(UNIT * likely), np.int64)
    worth[features["blank"] > 0] = 0
    return worth


def alarming(features: dict[str, Reals]) -> Reals:
    """Return the odds that each line has what went wrong, where, or how it ended, 0 to SURE."""
    odds = _odds(ALARMS, features) + _odds(PENALTIES, features)
    odds = np.minimum(SURE, np.exp(np.minimum(odds, 10.0)))
    odds[features["blank line"] > 0] = 0
    return odds


def _odds(table: dict[str, float], features: dict[str, Reals]) -> Reals:
    odds = np.full(len(next(iter(features.values()))), table.get("always", 0.0))
    for name, weight in table.items():
        if name in features:
            odds += weight * features[name]
    return odds
