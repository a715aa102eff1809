"""The budget of a turn: tokens that results share as long as calls come without a pause."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Turns:
    """What results may still have of the budget of their turn.

    A turn goes on as long as each call comes within a pause of the result before it.

    Parameters
    ----------
    budget : int or None
        Tokens that the results of a turn share; None for any number.
    pause : float
        Seconds between a result and the next call after which a turn is over.
    floor : int
        Tokens that each result may have in any case, unless its own limit is lower.
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> turns = Turns(1000, pause=30, floor=100, clock=lambda: 7)
    >>> turns.room(at=5, limit=800), turns.room(at=5, limit=800), turns.room(at=5, limit=800)
    (800, 200, 100)
    >>> turns.spend(at=5, tokens=90, reserved=800)
    >>> turns.room(at=36, limit=None), turns.room(at=99, limit=None)
    (610, 1000)
    """

    def __init__(
        self,
        budget: int | None,
        pause: float = 30.0,
        floor: int = 256,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget, self._pause, self._floor, self.clock = budget, pause, floor, clock
        self._left, self._last = budget or 0, float("-inf")
        self._lock = Lock()  # what is asked for again is answered beside what is delivered

    def room(self, at: float, limit: int | None) -> int | None:
        """Reserve tokens for the result of a call, and return how many.

        Parameters
        ----------
        at : float
            When it was called.
        limit : int or None
            The most that the result may have by itself.
        """
        if self._budget is None:
            return limit
        with self._lock:
            self._go_on(at)
            most = self._left if limit is None else min(limit, self._left)
            room = max(most, self._floor if limit is None else min(limit, self._floor))
            self._left -= room
        return room

    def spend(self, at: float, tokens: int, reserved: int = 0) -> None:
        """Note what was sent, and give back what was reserved for it."""
        with self._lock:
            self._go_on(at)
            self._left += reserved - tokens
            self._last = self.clock()

    def _go_on(self, at: float) -> None:
        """Begin another turn if there was a pause."""
        if at - self._last > self._pause:
            self._left, self._last = self._budget or 0, at
