"""Simple rules that choose from a menu, as solvers of `mckp.encode`: what an optimum is beside.

Importing this registers them, so that ``encode(..., solver="density")`` runs all of `encode`.
"""

from __future__ import annotations

from typing import Final

from mckp.solvers import SOLVERS

RULES: Final = ("whole", "density", "first", "random")

SOLVERS.update({rule: f"baselines.{rule}" for rule in RULES})
