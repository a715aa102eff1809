"""Any order: what choosing is worth beside not choosing."""

from __future__ import annotations

from functools import partial
from random import Random
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
    seed: int = 0,
) -> Solution:
    """Put the root classes at their best in an order drawn from a seed, as far as there is room.

    Each class at the root goes from its cheapest selection to the best step that fits what is
    left, whatever that costs. A step is one option of the root class with all below at its
    best or at its cheapest.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Looked at before each class, which is one operation; at a limit the others stay
        as they are.
    start
        Taken if it fits the budget and is better.
    seed
        What the order is drawn from.

    Returns
    -------
    Solution
        Infeasible, or within the budget with the bound of the relaxation: optimal only if that
        bound proves it.

    Notes
    -----
    Time O(options x log options), memory O(options). The same seed gives the same choice on
    every machine. Definition, no source.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 30]] * 4, [[0, 9]] * 4)
    >>> solve(table, budget=60).choice.tolist(), solve(table, budget=60, seed=1).choice.tolist()
    ([0, 0, 1, 1], [1, 0, 0, 1])
    """
    limits = Limits(time_limit, work_limit)
    return upgraded(table, budget, partial(_rule, seed), limits, start)


def _rule(seed: int, upgrades: Upgrades) -> None:
    # Of all methods of Random, `random` alone is promised to stay the same.
    draw = Random(seed).random
    places = [draw() for _ in upgrades.steps]
    for root in upgrades.within_limits(sorted(range(len(places)), key=places.__getitem__)):
        upgrades.raise_within(root, upgrades.left)
