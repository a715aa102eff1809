"""Any order: what choosing is worth beside not choosing."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from baselines.fill import filled

if TYPE_CHECKING:
    from mckp.solvers.base import Solution
    from mckp.table import Table


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take the classes in an order drawn from a seed, as far as each fits.

    No limit is heeded: one pass over the options is all the work.
    """
    # Of all methods of Random, `random` alone is promised to stay the same.
    draw = Random(0).random
    places = [draw() for _ in range(table.classes)]
    return filled(table, budget, lambda _, at: places[at], start)
