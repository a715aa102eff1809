"""In the order of the document, as one that cuts a text off at its end."""

from __future__ import annotations

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
    """Take the classes in the order of the document, as far as each fits.

    No limit is heeded: one pass over the options is all the work.
    """
    return filled(table, budget, lambda _, at: at, start)
