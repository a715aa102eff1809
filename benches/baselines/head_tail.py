"""The beginning and the end: what is in the middle goes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from baselines.upgrades import upgraded
from mckp.solvers.base import Limits

if TYPE_CHECKING:
    from baselines.upgrades import Upgrades
    from mckp.solvers.base import Solution
    from mckp.table import Table

HEAD: Final = 30
"""Percent of the spare budget that is spent from the front."""


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Spend 30 % of the spare budget from the front, and the rest from the back.

    The spare budget is what is left when every class is at its cheapest selection. Each part
    is filled as ``fifo`` fills, class by class at the root and each to its best, the second
    part beginning with the last class.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Looked at before each class, which is one operation; at a limit the others stay
        as they are.
    start
        Taken if it fits the budget and is better.

    Returns
    -------
    Solution
        Infeasible, or within the budget with the bound of the relaxation: optimal only if that
        bound proves it.

    Notes
    -----
    Time O(options x log options), memory O(options). The usual cut of logs, where the beginning
    and above all the end are wanted; no source.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 30]] * 4, [[0, 9]] * 4)
    >>> solve(table, budget=100).choice.tolist()
    [1, 0, 1, 1]
    """
    limits = Limits(time_limit, work_limit)
    return upgraded(table, budget, _rule, limits, start)


def _rule(upgrades: Upgrades) -> None:
    roots = range(len(upgrades.steps))
    upgrades.fill(roots, upgrades.spare * HEAD // 100)
    upgrades.fill(reversed(roots), upgrades.left)
