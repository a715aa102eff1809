"""When to stop: a clock, and a count of operations that is the same on every machine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Limits:
    """What a solver may still spend.

    Parameters
    ----------
    time_limit
        Seconds from now on, None for any number.
    work_limit
        Operations, None for any number.

    Examples
    --------
    >>> limits = Limits(work_limit=10)
    >>> limits.spend(11)
    >>> limits.exhausted
    True
    """

    time_limit: float | None = None
    work_limit: int | None = None
    work: int = 0
    began: float = field(default_factory=time.perf_counter)

    def spend(self, operations: int) -> None:
        """Count operations that were done."""
        self.work += operations

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return time.perf_counter() - self.began

    @property
    def exhausted(self) -> bool:
        """Whether a limit is passed."""
        over_time = self.time_limit is not None and self.seconds > self.time_limit
        return over_time or (self.work_limit is not None and self.work > self.work_limit)

    @property
    def time_left(self) -> float | None:
        """Seconds that another solver may still take."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @property
    def work_left(self) -> int | None:
        """Operations that another solver may still take."""
        return None if self.work_limit is None else max(0, self.work_limit - self.work)
