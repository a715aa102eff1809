"""TSCG as its package 1.4.3 behaves, known defects included: something to compare with.

The eight operators are functions of their own; `tscg_released` is the pipeline of a profile.
"""

from __future__ import annotations

from foreign.tscg_released.descriptions import tscg_descriptions
from foreign.tscg_released.pipeline import (
    OPERATORS,
    PROFILES,
    operators_of,
    tscg_released,
)

__all__ = ["OPERATORS", "PROFILES", "operators_of", "tscg_descriptions", "tscg_released"]
