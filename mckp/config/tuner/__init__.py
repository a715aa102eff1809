"""A configuration made from what was recorded, which no replay shows to be worse.

>>> from mckp.config.tuner import Seen, tune
>>> read = Seen("Read", 0, content=1, call=1, source=1, chars=900, baseline=300, ways={"": 300})
>>> tuning = tune([read] * 40, {"dedup": {"enabled_per_endpoint": {"Read": False}}})
>>> tuning.before.tokens, tuning.after.tokens
(12000, 547)
"""

from __future__ import annotations

from mckp.config.tuner.habits import Changed, Compacted, Ended, Mark, Seen
from mckp.config.tuner.simulate import Layer, LayerSavings
from mckp.config.tuner.tune import Replay, Trial, Tuning, Verdict, of_marks, tune

__all__ = [
    "Changed",
    "Compacted",
    "Ended",
    "Layer",
    "LayerSavings",
    "Mark",
    "Replay",
    "Seen",
    "Trial",
    "Tuning",
    "Verdict",
    "of_marks",
    "tune",
]
