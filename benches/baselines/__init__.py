"""Rules that others use to choose what fits, as solvers to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from baselines import density, fair, fifo, head_tail, random

if TYPE_CHECKING:
    from mckp.solvers import Solver

BASELINES: Final[dict[str, Solver]] = {
    "fifo": fifo.solve,
    "head-tail": head_tail.solve,
    "fair": fair.solve,
    "random": random.solve,
    "density": density.solve,
}
"""The baselines by name."""
