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
"""Less than any total, even a reduced one; never added to anything that is kept."""


class Status(StrEnum):
    """What is proved about a solution."""

    OPTIMAL = "optimal"
    """No selection within the budget has more value, and none of equal value costs less."""
    FEASIBLE = "feasible"
    """Within the budget; `Solution.bound` says how much better another could be."""
    INFEASIBLE = "infeasible"
    """No selection fits the budget."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A selection: one option for each reached class, and what is proved about it.

    Parameters
    ----------
    choice
        For each class the place of the option taken among its own options, counted from 0;
        -1 for a class that is not reached. All -1 if nothing fits.
    value, cost
        Totals over the options taken; 0 if nothing fits.
    status
        How far this is proved.
    bound
        No selection has more value than this; 0 if nothing fits. For values that are
        not whole or short decimal numbers it lies a rounding error above `value` even if
        the solution is optimal (see `mckp.solvers.scaling`).
    floor
        The least cost of any selection, so the least budget with a solution; None if no
        budget is enough, as when a class that is always reached has no options.
    seconds
        Time taken, on the wall clock.
    shadow_price
        Value that one more unit of cost is worth: the multiplier of the linear relaxation at
        this budget, a slope of its concave frontier and not the exact gain of one more unit.
        0 if the best option of every class fits; None where the solver has no relaxation.
    statistics
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
        """How much more value another selection could have, relative to this value."""
        return (self.bound - self.value) / max(1, abs(self.value))

    @property
    def is_optimal(self) -> bool:
        """Whether the solution is proved to be optimal."""
        return self.status is Status.OPTIMAL


class Solver(Protocol):
    """Anything that solves a table; a plain function will do."""

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

        At a limit, the best selection so far is returned, with a valid bound. Limits are checked
        between steps, so a solver may exceed one by a step. What is found within `time_limit`
        seconds depends on the machine. `work_limit` counts operations, such as options examined or
        states created, and gives the same result on every machine; if it is None, a solver may use
        its own. `start` is a solution of this table, or of one with the same classes and options,
        for any budget: it can save time but never affects what is proved. If it fits the budget,
        the result is at least as good.
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
    """The limits of a solver: seconds from now on, and operations; None means no limit.

    A solver adds its operations to `work`.

    Examples
    --------
    >>> limits = Limits(work_limit=10)
    >>> limits.work += 11
    >>> limits.exhausted
    True
    """

    time_limit: float | None = None
    work_limit: int | None = None
    work: int = 0
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Seconds since the solver began."""
        return time.perf_counter() - self.began

    @property
    def exhausted(self) -> bool:
        """Whether a limit has been reached."""
        over_time = self.time_limit is not None and self.seconds > self.time_limit
        return over_time or (self.work_limit is not None and self.work > self.work_limit)

    def quota(self, speed: int) -> int:
        """Return the total work allowed, given a speed in operations per second."""
        most = 2**62 if self.work_limit is None else self.work_limit
        if (seconds := self.time_left) is None:
            return most
        return min(most, self.work + int(seconds * speed))

    @property
    def time_left(self) -> float | None:
        """Seconds that are left for another solver, or None for no limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @property
    def work_left(self) -> int | None:
        """Operations that are left for another solver, or None for no limit."""
        return None if self.work_limit is None else max(0, self.work_limit - self.work)
