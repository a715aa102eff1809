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
"""Worths are whole multiples of 1 / UNIT, so that sums are the same in any order."""

RULES: Final = {"nil": -1.5, "passing": -1.0, "odd cell": 2.0}
"""Weights of features set by rule, not fitted: a line that says that nothing failed is worth less
than one that does not mention failure, and a rare state in a table is worth more."""

_CHANGES: Final = {"added": 1.5}
KIND_WEIGHTS: Final = {
    TextKind.PROGRAM: {"definition": 1.4, "import": -0.8},
    TextKind.DIFF: _CHANGES,
    TextKind.HISTORY: _CHANGES,
}
"""Further weights of features for a kind of text, set by rule: what agents used of programs and
diffs says little of signatures and added lines, which are read but not repeated."""

SURE: Final = 4.0
"""Greatest odds of a failure, so the most that a line is worth for one, in multiples of `UNIT`."""

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
"""Weight of failures in each kind of text, set by rule; 1 for kinds that are not here.

The lines of a search or a listing that are a tool's own words have weight 1 too.
"""


def fitted_worths(features: dict[str, Reals], kind: TextKind) -> Numbers:
    """Return the worth of each line: the likelihood that it is needed, from 0 to `UNIT`.

    `features` has an array [lines] for each feature; blank lines are worth 0.
    """
    column = next(
        (group_number for group_number, kinds in enumerate(GROUPS, 1) if kind.value in kinds),
        len(GROUPS) + 1,
    )
    table = {name: weights[0] + weights[column] for name, weights in WEIGHTS.items()}
    log_odds = _log_odds(table, features)
    for name, weight in KIND_WEIGHTS.get(kind, {}).items():
        log_odds += weight * features[name]
    likelihood = 1 / (1 + np.exp(-log_odds))
    worths = np.asarray(np.rint(UNIT * likelihood), np.int64)
    worths[features["blank"] > 0] = 0
    return worths


def alarm_odds(features: dict[str, Reals]) -> Reals:
    """Return, for each line, the odds that it is about a failure, from 0 to `SURE`."""
    log_odds = _log_odds(ALARMS, features) + _log_odds(RULES, features)
    log_odds = np.minimum(SURE, np.exp(np.minimum(log_odds, 10.0)))
    log_odds[features["blank line"] > 0] = 0
    return log_odds


def _log_odds(table: Mapping[str, float], features: dict[str, Reals]) -> Reals:
    """Return the log odds of each line: the sum of its features, weighted by a table."""
    log_odds = np.full(len(next(iter(features.values()))), table.get("always", 0.0))
    for name, weight in table.items():
        if name in features:
            log_odds += weight * features[name]
    return log_odds
