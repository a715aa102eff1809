"""An instance: a table and a budget, with a name and where they are from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem to solve, and where it is from.

    Parameters
    ----------
    name
        What to call it in a table of results: for a made instance all that made it, for one
        that was read the name of its file.
    table, budget
        What to choose from, and what it may cost.
    source
        The publication that defines the family, or the file and its format.

    Examples
    --------
    >>> from mckp.solvers import Table, solve
    >>> instance = Instance("two", Table.flat([[0, 40], [0, 60]], [[0, 9], [0, 5]]), 80, "by hand")
    >>> solve(instance.table, instance.budget).value
    9
    """

    name: str
    table: Table
    budget: int
    source: str

    @classmethod
    def from_grid(
        cls, name: str, cost: NDArray[np.int64], value: NDArray[Any], part: float, source: str
    ) -> Instance:
        """Make an instance without nesting, all of its classes of one length.

        Parameters
        ----------
        name, source
            As they will be in the instance.
        cost, value
            Arrays of the shape ``[classes, options]``.
        part
            Where the budget lies between the least cost of any selection (0) and the least
            cost of one with the greatest value (1).

        Notes
        -----
        O(classes x options) time and memory, in whole-array steps.

        Examples
        --------
        >>> grid = np.array([[0, 4], [0, 6]])
        >>> Instance.from_grid("tiny", grid, grid * 2, part=0.5, source="by hand").budget
        5
        """
        classes, options = map(int, cost.shape)
        table = Table(
            np.arange(classes + 1) * options, cost.ravel(), value.ravel(), np.full(classes, -1)
        )
        return cls(name, table, _budget(cost, value, part), source)


def check_part(part: float) -> float:
    """Return the part of the way to the best selection, or say what is wrong with it.

    Examples
    --------
    >>> check_part(0.5)
    0.5
    """
    if not (math.isfinite(part) and part >= 0):
        raise ValueError(f"part is a number of 0 or more, not {part!r}")
    return part


def check_counts(**counts: int) -> None:
    """Say which of the counts is below 1, if any.

    Examples
    --------
    >>> check_counts(classes=0)
    Traceback (most recent call last):
    ValueError: classes must be 1 or more, not 0
    """
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be 1 or more, not {count}")


def _budget(cost: NDArray[np.int64], value: NDArray[Any], part: float) -> int:
    check_part(part)
    best = value == value.max(axis=1, keepdims=True)
    wanted = int(np.where(best, cost, np.iinfo(np.int64).max).min(axis=1).sum())
    least = int(cost.min(axis=1).sum())
    return least + int(part * (wanted - least))
