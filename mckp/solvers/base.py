"""The interface of solvers: from a table and a budget to a solution with its proof."""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol, SupportsIndex, cast

from mckp.table import SUM_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from mckp.table import Table

NEVER: Final = -2 * SUM_LIMIT
"""Less than any total, even a reduced one; it marks what is impossible."""


class Status(StrEnum):
    """What is proved about a solution."""

    OPTIMAL = "optimal"
    """No selection within the budget has more value, and none of equal value costs less."""
    FEASIBLE = "feasible"
    """The selection is within the budget; `Solution.bound` says how much better another may be."""
    INFEASIBLE = "infeasible"
    """No selection fits the budget."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A selection: one option for each reached class, and what is proved about it.

    Parameters
    ----------
    choice : array of int64 [classes]
        For each class, the index of the option taken among its own options; -1 for a class that is
        not reached. All are -1 if nothing fits.
    value, cost : int or float, int
        Totals over the options taken, with setup costs; 0 if nothing fits.
    status : Status
        What is proved.
    bound : int or float
        No selection has more value than this; 0 if nothing fits. For values that are neither whole
        nor short decimal numbers, it is a rounding error above `value` even if the solution is
        optimal (see `mckp.solvers.scaling`).
    floor : int or None
        The least cost of any selection, so the least budget with a solution; None if no budget is
        enough, as when a class that is always reached has no options.
    seconds : float, default 0.0
        The time taken, on the wall clock.
    shadow_price : float or None, default None
        The value of one more unit of cost: the multiplier of the linear relaxation at this budget.
        It is a slope of the concave frontier, not the exact gain of one more unit. It is 0 if the
        best option of every class fits, and None if the solver has no relaxation.
    statistics : mapping of str to int, default {}
        Counts that explain the time taken, by name; which ones depends on the solver.
    """

    choice: NDArray[np.int64]
    value: int | float
    cost: int
    status: Status
    bound: int | float
    floor: int | None
    seconds: float = 0.0
    shadow_price: float | None = None
    statistics: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def gap(self) -> float:
        """How much more value another selection may have, as a share of this value.

        If the value is between -1 and 1, it is a share of 1.
        """
        return (self.bound - self.value) / max(1, abs(self.value))

    @property
    def is_optimal(self) -> bool:
        """Whether the solution is proved to be optimal."""
        return self.status is Status.OPTIMAL


class Solver(Protocol):
    """A function that solves a table."""

    def __call__(
        self,
        table: Table,
        budget: int,
        *,
        time_limit: float | None = None,
        work_limit: int | None = None,
        start: Solution | None = None,
    ) -> Solution:
        """Choose the options with the greatest total value and a total cost within the budget.

        Parameters
        ----------
        table : Table
            The classes and their options.
        budget : int
            The greatest total cost.
        time_limit : float, optional
            Seconds; the result at a time limit depends on the machine.
        work_limit : int, optional
            Operations, such as options examined or states created; the result is the same on every
            machine. If it is None, a solver may use a limit of its own.
        start : Solution, optional
            A solution of this table, or of one with the same classes and options, for any budget.
            It can save time but never affects what is proved. If it fits the budget, the result is
            at least as good.

        Returns
        -------
        Solution
            At a limit, the best selection so far, with a valid bound. Limits are checked between
            steps, so a solver may exceed one by a step.
        """
        ...


def check_budget(budget: object) -> int:
    """Return the budget as an int; raise a `ValueError` if it is negative or not whole."""
    try:
        number = operator.index(cast("SupportsIndex", budget))
    except TypeError:
        raise ValueError(f"a budget must be a whole number, not {budget!r}") from None
    if number < 0:
        raise ValueError(f"a budget cannot be negative: {number}")
    return number


@dataclass
class Limits:
    """The limits of a solver; None means no limit.

    Attributes
    ----------
    time_limit : float, optional
        Seconds from the creation of this object.
    work_limit : int, optional
        Operations.
    work : int, default 0
        The operations done so far; a solver adds its own.
    started : float
        The clock when this object was created, in seconds.

    Examples
    --------
    >>> limits = Limits(work_limit=10)
    >>> limits.work += 11
    >>> limits.is_exhausted
    True
    """

    time_limit: float | None = None
    work_limit: int | None = None
    work: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Seconds since the solver began."""
        return time.perf_counter() - self.started

    @property
    def is_exhausted(self) -> bool:
        """Whether a limit has been exceeded."""
        over_time = self.time_limit is not None and self.seconds > self.time_limit
        return over_time or (self.work_limit is not None and self.work > self.work_limit)

    def quota(self, speed: int) -> int:
        """Return the value of `work` at which a limit is reached; without limits, ``2 ** 62``.

        `speed`, in operations per second, turns the time that is left into work.
        """
        quota = 2**62 if self.work_limit is None else self.work_limit
        if (seconds := self.time_left) is None:
            return quota
        return min(quota, self.work + int(seconds * speed))

    @property
    def time_left(self) -> float | None:
        """Seconds that are left for another solver, or None for no limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @property
    def work_left(self) -> int | None:
        """Operations that are left for another solver, or None for no limit."""
        return None if self.work_limit is None else max(0, self.work_limit - self.work)
