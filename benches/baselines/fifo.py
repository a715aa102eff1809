"""First in, first out: a prefix of the document."""

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
    """Put the root classes at their best in the order of the document, until one does not fit.

    Each class at the root goes from its cheapest selection to its best. The first for which the
    budget has no room takes the best step there is room for, and all after it stay at their
    cheapest. A step is one option of the root class with all below at its best or at its
    cheapest; what could never fit is no step.

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
    Time O(options x log options), memory O(options). What tools do that cut a text at a limit;
    no source.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40, 25], [0, 60, 50], [0, 20]], [[0, 9, 8], [0, 6, 5], [0, 7]])
    >>> solve(table, budget=80).choice.tolist()
    [1, 0, 0]
    """
    limits = Limits(time_limit, work_limit)
    return upgraded(table, budget, _rule, limits, start)


def _rule(upgrades: Upgrades) -> None:
    upgrades.fill(range(len(upgrades.steps)), upgrades.spare)
