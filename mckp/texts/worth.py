"""The worth of a line: how likely a reader is to need it, from a table of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.texts.tables import ALARMS, GROUPS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.texts.lines import Numbers, Reals
    from mckp.texts.records import KindRecord

UNIT: Final = 1024
"""Worths are whole multiples of 1 / UNIT, so that sums are the same in any order."""

RULES: Final = {"nil": -1.5, "passing": -1.0, "odd cell": 2.0}
"""Weights of features set by rule, not fitted: a line that says that nothing failed is worth less
than one that does not mention failure, and a rare state in a table is worth more."""

SURE: Final = 4.0
"""Greatest odds of a failure, so the most that a line is worth for one, in multiples of `UNIT`."""


def fitted_worths(features: dict[str, Reals], kind: KindRecord) -> Numbers:
    """Return the worth of each line: the likelihood that it is needed, from 0 to `UNIT`.

    `features` has an array [lines] for each feature; blank lines are worth 0.
    """
    column = 1 + GROUPS.index(kind.group)
    table = {name: weights[0] + weights[column] for name, weights in WEIGHTS.items()}
    log_odds = _log_odds(table, features) + _log_odds(kind.adds, features)
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
