"""Tool-Schema Compression Grammar, twice: as its paper means it, and as it was released."""

from __future__ import annotations

from mckp.tools.foreign.tscg.pipeline import tscg
from mckp.tools.foreign.tscg.profiles import OPERATORS, PROFILES, operators_for
from mckp.tools.foreign.tscg.released import tscg_descriptions, tscg_released

__all__ = [
    "OPERATORS",
    "PROFILES",
    "operators_for",
    "tscg",
    "tscg_descriptions",
    "tscg_released",
]
