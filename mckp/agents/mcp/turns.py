"""The budget of a turn: tokens that results share while calls come without a pause."""

from __future__ import annotations

import time
from math import inf
from threading import Lock
from typing import TYPE_CHECKING

from mckp.agents.mcp.servers import MIN_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable


class Turns:
    """Keeps the tokens that are left for the results of a turn.

    A turn goes on while each call comes within ``pause`` seconds of the result before it. However
    little is left, a result gets at least ``floor`` tokens, for its beginning and a handle that
    recalls the rest.

    Examples
    --------
    >>> turns = Turns(1000, pause=30, floor=100, clock=lambda: 7)
    >>> turns.reserve(5, 800), turns.reserve(5, 800), turns.reserve(5, 800)
    (800, 200, 100)
    >>> turns.spend(5, tokens=90, reserved=800)
    >>> turns.reserve(36, None), turns.reserve(99, None)
    (610, 1000)
    """

    def __init__(
        self,
        budget: int | None,
        pause: float = 30.0,
        floor: int = MIN_TOKENS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget, self._pause, self._floor, self.clock = budget, pause, floor, clock
        self._left, self._last = budget or 0, -inf
        self._lock = Lock()  # a recall may run while a result is delivered

    def reserve(self, at: float, limit: int | None) -> int | None:
        """Reserve tokens for the result of a call, up to its limit, and return their number.

        The call came at the time `at`. The number is at least the floor, unless the limit is lower;
        without a budget, it is the limit.
        """
        if self._budget is None:
            return limit
        with self._lock:
            self._start_turn_if_due(at)
            room = max(self._left, self._floor)
            room = room if limit is None else min(limit, room)
            self._left -= room
        return room

    def spend(self, at: float, tokens: int, reserved: int = 0) -> None:
        """Count the tokens that were sent for a call, and release those reserved for it."""
        with self._lock:
            self._start_turn_if_due(at)
            self._left += reserved - tokens
            self._last = self.clock()

    def _start_turn_if_due(self, at: float) -> None:
        """Begin a new turn with the whole budget if no result was sent for longer than a pause."""
        if at - self._last > self._pause:
            self._left, self._last = self._budget or 0, at
