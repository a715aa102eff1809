"""The textbook greedy: value per cost, and never less than the best single item."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from baselines.upgrades import NOTHING, Step, upgraded
from mckp.solvers.base import Limits

if TYPE_CHECKING:
    from baselines.upgrades import Upgrades
    from mckp.solvers.base import Solution
    from mckp.table import Table


class Part(NamedTuple):
    """A step on the hull of a root class, and the value per cost of going up to it."""

    root: int
    step: Step
    slope: float


def solve(
    table: Table,
    budget: int,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    start: Solution | None = None,
) -> Solution:
    """Take the steps of most value per cost first, or the best single step if that is more.

    Each class at the root begins at its cheapest selection and goes up along the upper hull of
    its steps; of all classes the steepest part is taken first, and a class whose next step does
    not fit goes no further. A step is one option of the root class with all below at its best or
    at its cheapest.

    Parameters
    ----------
    table, budget
        What to choose from, and what it may cost.
    time_limit, work_limit
        Looked at before each step, which is one operation; at a limit the others stay
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
    What is gained above the cheapest selection is at least half of what these steps can gain:
    the part that does not fit and all before it are more than the optimum, and the best single
    step is worth as much as that part. Without the guard it can be any fraction.

    Time O(options x log options), memory O(options). H. Kellerer, U. Pferschy, D. Pisinger,
    "Knapsack Problems", Springer 2004, sections 2.1 and 11.2.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 1], [0, 100]], [[0, 1], [0, 99]])
    >>> solve(table, budget=100).value
    99
    """
    limits = Limits(time_limit, work_limit)
    return upgraded(table, budget, _rule, limits, start)


def _rule(upgrades: Upgrades) -> None:
    parts = [part for root, steps in enumerate(upgrades.steps) for part in _hull(root, steps)]
    # Stable: equal slopes stay in the order of the document.
    parts.sort(key=lambda part: -part.slope)
    stuck: set[int] = set()
    for i in upgrades.within_limits(range(len(parts))):
        root, step, _ = parts[i]
        if root not in stuck and step.cost <= upgrades.left + upgrades.taken[root].cost:
            upgrades.take(root, step)
        else:
            stuck.add(root)
    _guard(upgrades)


def _guard(upgrades: Upgrades) -> None:
    roots = range(len(upgrades.steps))
    single = max(roots, key=lambda root: upgrades.most(root).gain, default=None)
    if single is not None and upgrades.most(single).gain > upgrades.gain:
        upgrades.reset()
        upgrades.take(single, upgrades.most(single))


def _hull(root: int, steps: list[Step]) -> list[Part]:
    """Return the steps on the upper hull of a class, each with the slope that leads to it."""
    hull = [NOTHING]
    for step in steps:
        while len(hull) > 1 and _rises(hull[-2], hull[-1], step):
            hull.pop()
        hull.append(step)
    return [
        Part(root, step, (step.gain - last.gain) / (step.cost - last.cost))
        for last, step in pairwise(hull)
    ]


def _rises(first: Step, middle: Step, last: Step) -> bool:
    """Whether the middle lies on or below the line from the first to the last."""
    up = (middle.gain - first.gain) * (last.cost - first.cost)
    return up <= (last.gain - first.gain) * (middle.cost - first.cost)
