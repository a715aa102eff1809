"""The textbook greedy: classes of most worth a token first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines.fill import filled

if TYPE_CHECKING:
    from baselines.fill import Reach
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
    """Take the classes first that gain most for a token, as far as each fits.

    No limit is heeded: one pass over the options is all the work.
    """

    def rank(reach: Reach, at: int) -> float:
        low, high = reach.cheapest[at], reach.best[at]
        gain = reach.worth[high] - reach.worth[low]
        return -gain / max(1, reach.most[high] - reach.least[low])

    return filled(table, budget, rank, start)
