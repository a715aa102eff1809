"""The contract of a solver, as one call: for solvers that are not part of mckp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.solvers import brute
from mckp.solvers.outside import checked
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mckp.solvers.outside import Answer

SEED: Final = 39


class Report(NamedTuple):
    """How a solver did on small tables with known optima.

    Attributes
    ----------
    tables : int
        How many pairs of a table and a budget it was given.
    best : int
        In how many its value was the greatest there is.
    worst : float
        The least share of the greatest value that it had, where that is above 0.
    """

    tables: int
    best: int
    worst: float


def check(solver: Callable[..., Answer], *, tables: int = 200) -> Report:
    """Give a solver small tables, flat and nested, and compare its answers with brute force.

    Parameters
    ----------
    solver : callable
        With the signature of `mckp.solvers.Solver`; it may return a choice alone.
    tables : int, default 200
        How many tables, always the same ones, each within three budgets.

    Returns
    -------
    Report
        How often it was best. A heuristic passes, too.

    Raises
    ------
    ValueError
        If an answer is no selection within its budget, or there is none though one fits.

    Examples
    --------
    >>> from mckp.solvers import get
    >>> check(get("dp"), tables=20)
    Report(tables=60, best=60, worst=1.0)
    """
    random, call = np.random.default_rng(SEED), checked(solver)
    count, best, worst = 0, 0, 1.0
    for _ in range(tables):
        table = Table.nested([_class(random, 1) for _ in range(random.integers(1, 3))])
        floor = brute.solve(table, 0).floor or 0
        for share in (0, 0.3, 0.8):
            budget = floor + int(share * int(table.cost.sum()))
            most, answer = brute.solve(table, budget), call(table, budget)
            count += 1
            best += answer.value == most.value
            if most.value > 0:
                worst = min(worst, max(0.0, answer.value / most.value))
    return Report(count, best, worst)


def _class(random: np.random.Generator, depth: int) -> list[tuple[Any, ...]]:
    """Return a class of nested lists: an option that cuts, and some that cost or open others."""
    options: list[tuple[Any, ...]] = [(int(random.integers(0, 2)), 0, (), 0, True)]
    for _ in range(random.integers(1, 4)):
        below = [_class(random, depth - 1) for _ in range(random.integers(0, 3))] if depth else []
        cost, value, setup = (int(random.integers(0, most)) for most in (12, 10, 3))
        options.append((cost, value, below, setup))
    return options
