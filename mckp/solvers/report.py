"""From options taken, or none, to the solution that a caller gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from mckp.solvers.base import Solution, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.jit import Ints
    from mckp.solvers.limits import Limits
    from mckp.solvers.scaling import Scaled
    from mckp.table import Table


@dataclass(frozen=True, eq=False)
class Report:
    """What a solution says whatever the solver: exact totals, floor, time.

    Parameters
    ----------
    table, scaled
        The table, and its values in whole units.
    floor
        The least cost of a selection, None if there is none.
    limits
        The clock.
    """

    table: Table
    scaled: Scaled
    floor: int | None
    limits: Limits

    def is_choice(self, choice: object) -> bool:
        """Whether this is the place of an option, or -1, for each class; anything may be asked."""
        if not isinstance(choice, np.ndarray):
            return False
        places, sizes = cast("Ints", choice), np.diff(self.table.start)
        if places.dtype.kind != "i" or places.shape != sizes.shape:
            return False
        return bool(((places >= -1) & (places < sizes)).all())

    def infeasible(self) -> Solution:
        """Say that nothing fits."""
        nothing = np.full(self.table.classes, -1, dtype=np.int64)
        return Solution(nothing, 0, 0, Status.INFEASIBLE, 0, self.floor, self.limits.seconds)

    def chosen(
        self,
        choice: Ints,
        status: Status,
        bound: int,
        price: float | None = None,
        statistics: Mapping[str, int] | None = None,
    ) -> Solution:
        """Report the place of an option for each class reached, with a bound in units."""
        reached = np.flatnonzero(choice >= 0)
        taken = self.table.start[reached] + choice[reached]
        return self.taken(taken, choice, status, bound, price, statistics)

    def taken(
        self,
        taken: Ints,
        choice: Ints,
        status: Status,
        bound: int,
        price: float | None = None,
        statistics: Mapping[str, int] | None = None,
    ) -> Solution:
        """Report options, and the choice that they are."""
        value, cost = self.scaled.value(taken), int(self.table.cost[taken].sum())
        most = max(value, self.scaled.bound(bound, self.table.classes))
        facts = statistics or dict[str, int]()
        seconds = self.limits.seconds
        return Solution(choice, value, cost, status, most, self.floor, seconds, price, facts)
