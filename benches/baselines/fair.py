"""Weighted fair queueing: to each its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines.upgrades import upgraded
from mckp.solvers.base import Limits

if TYPE_CHECKING:
    from baselines.upgrades import Upgrades
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
    """Give each root class a share of the spare budget in proportion to what it could gain.

    The spare budget is what is left when every class is at its cheapest selection; the weight
    of a class is what its best selection is worth above that. In turn each class takes the
    best step within its share of what is left, and what it does not use is shared by those
    after it. Further turns share what the last one left; when that changes nothing, each takes
    in turn what it can. A step is one option of the root class with all below at its best
    or at its cheapest.

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
    Time O(options x log options) and O(classes x log options) a turn, a few turns as a rule
    and as many as there are steps at worst; memory O(options). The idea is that of A. Demers,
    S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing algorithm", ACM SIGCOMM
    1989, with weights.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 10], [0, 60, 30]], [[0, 9, 3], [0, 9, 5]])
    >>> solve(table, budget=70).choice.tolist()
    [2, 1]
    """
    limits = Limits(time_limit, work_limit)
    return upgraded(table, budget, _rule, limits, start)


def _rule(upgrades: Upgrades) -> None:
    gain = -1
    while upgrades.gain > gain:
        gain = upgrades.gain
        _turn(upgrades)
    for root in upgrades.within_limits(range(len(upgrades.steps))):
        upgrades.raise_within(root, upgrades.left)


def _turn(upgrades: Upgrades) -> None:
    roots = range(len(upgrades.steps))
    wanting = [root for root in roots if upgrades.taken[root] != upgrades.most(root)]
    total = sum(upgrades.most(root).gain for root in wanting)
    for root in upgrades.within_limits(wanting):
        weight = upgrades.most(root).gain
        upgrades.raise_within(root, upgrades.left * weight // total)
        total -= weight
