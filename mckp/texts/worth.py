"""The worth of a line: how likely a reader is to need it, from a table of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.texts.kinds import TextKind
from mckp.texts.tables import ALARMS, GROUPS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.texts.lines import Numbers, Reals

UNIT: Final = 1024
"""Worths are whole numbers of 1 / UNIT, so that sums are the same in any order."""

RULES: Final = {"nil": -1.5, "passing": -1.0, "odd cell": 2.0}
"""By rule: what says that nothing failed is worth less than what says nothing of failure, and the
first of many alarms that are alike is one of another kind."""

_CHANGES: Final = {"added": 1.5}
OF_KIND: Final = {
    TextKind.PROGRAM: {"definition": 1.4, "import": -0.8},
    TextKind.DIFF: _CHANGES,
    TextKind.HISTORY: _CHANGES,
}
"""By rule: what is used of a program says little of its signatures, which are read and not said
again; and of a diff, an agent seldom says again what it has added itself."""

SURE: Final = 4.0
"""The most that a line can be worth, as a multiple of `UNIT`."""

GATES: Final = {
    TextKind.PROSE: 0.6,
    TextKind.CSV: 0.5,
    TextKind.SEARCH: 0.0,
    TextKind.PATHS: 0.0,
    TextKind.LISTING: 0.0,
    TextKind.CONFIG: 0.1,
    TextKind.PROGRAM: 0.0,
    TextKind.DIFF: 0.0,
    TextKind.MARKDOWN: 0.0,
    TextKind.HTML: 0.0,
    TextKind.LATEX: 0.0,
    TextKind.HISTORY: 0.0,
    TextKind.SNAPSHOT: 0.1,
    TextKind.SUBTITLES: 0.0,
    TextKind.CALENDAR: 0.1,
    TextKind.PLAN: 0.3,
}
"""How much failures count in each kind of text, by rule; 1 in those that are not here.

What a search or a list says besides what was found counts in full.
"""


def fitted(features: dict[str, Reals], kind: TextKind) -> Numbers:
    """Return the worth of each line: the likelihood that it is needed, scaled to 0 to UNIT."""
    column = next(
        (group_number for group_number, kinds in enumerate(GROUPS, 1) if kind.value in kinds),
        len(GROUPS) + 1,
    )
    table = {name: row[0] + row[column] for name, row in WEIGHTS.items()}
    odds = _odds(table, features)
    for name, more in OF_KIND.get(kind, {}).items():
        odds += more * features[name]
    likely = 1 / (1 + np.exp(-odds))
    worth = np.asarray(np.rint(UNIT * likely), np.int64)
    worth[features["blank"] > 0] = 0
    return worth


def alarming(features: dict[str, Reals]) -> Reals:
    """Return, for each line, the odds, from 0 to SURE, that it is about a failure."""
    odds = _odds(ALARMS, features) + _odds(RULES, features)
    odds = np.minimum(SURE, np.exp(np.minimum(odds, 10.0)))
    odds[features["blank line"] > 0] = 0
    return odds


def _odds(table: Mapping[str, float], features: dict[str, Reals]) -> Reals:
    """Return the odds that a table gives for features."""
    odds = np.full(len(next(iter(features.values()))), table.get("always", 0.0))
    for name, weight in table.items():
        if name in features:
            odds += weight * features[name]
    return odds
