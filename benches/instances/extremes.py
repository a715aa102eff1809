"""Nested tables of extreme shape: as deep as they are long, and as wide."""

from __future__ import annotations

import numpy as np

from instances.instance import Instance, check_counts, check_part
from mckp.table import Table


def chain(depth: int = 10_000, *, seed: int = 1, part: float = 0.5) -> Instance:
    """Make classes each nested in the one before.

    A class is skipped, taken whole (cost and value uniform on 1 .. 100) or opened (cost
    1 .. 4, value 1 .. 10), which reaches the next.

    Parameters
    ----------
    depth
        How many classes.
    seed
        The same seed gives the same instance.
    part
        The budget, as a part of what it costs to open every class.

    Notes
    -----
    O(depth) time. Solvers that recurse overflow on it.

    Examples
    --------
    >>> chain(3).table
    Table(classes=3, options=8, depth=3)
    """
    check_counts(depth=depth)
    rng = np.random.default_rng(seed)
    zero = np.zeros(depth, dtype=np.int64)
    opening, gain = rng.integers(1, 5, depth), rng.integers(1, 11, depth)
    cost = np.stack([zero, rng.integers(1, 101, depth), opening], axis=1).ravel()[:-1]
    value = np.stack([zero, rng.integers(1, 101, depth), gain], axis=1).ravel()[:-1]
    start = np.minimum(3 * np.arange(depth + 1), 3 * depth - 1)
    table = Table(start, cost, value, 3 * np.arange(depth) - 1)
    budget = int(check_part(part) * int(opening[:-1].sum()))
    return Instance(f"chain-{depth}-p{part:g}-s{seed}", table, budget, "mckp: nested to the end")


def star(
    children: int = 100_000, *, seed: int = 1, largest: int = 100, part: float = 0.5
) -> Instance:
    """Make one class to skip or to open, and below it many to skip or to take.

    Parameters
    ----------
    children
        How many classes lie below.
    seed
        The same seed gives the same instance.
    largest
        Costs and values of what is taken are uniform on ``1 .. largest``.
    part
        The budget, as a part of what it costs to take everything.

    Notes
    -----
    O(children) time.

    Examples
    --------
    >>> star(4).table
    Table(classes=5, options=10, depth=2)
    """
    check_counts(children=children, largest=largest)
    rng = np.random.default_rng(seed)
    pairs = np.zeros((2, children + 1, 2), dtype=np.int64)
    pairs[:, 1:, 1] = rng.integers(1, largest + 1, (2, children))
    pairs[0, 0, 1] = 2
    owner = np.ones(children + 1, dtype=np.int64)
    owner[0] = -1
    table = Table(2 * np.arange(children + 2), pairs[0].ravel(), pairs[1].ravel(), owner)
    budget = int(check_part(part) * int(pairs[0].sum()))
    name = f"star-{children}-r{largest}-p{part:g}-s{seed}"
    return Instance(name, table, budget, "mckp: one class with all others below it")
