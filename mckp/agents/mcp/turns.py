"""The budget of a turn: tokens that results share as long as calls come without a pause."""

from __future__ import annotations

import time
from math import inf
from threading import Lock
from typing import TYPE_CHECKING

from mckp.agents.mcp.servers import MIN_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable


class Turns:
    """The tokens that are left for results of a turn.

    A turn goes on as long as each call comes within ``pause`` seconds of the result before it.
    However little is left, a result may have ``floor`` tokens: its beginning, and a handle to
    recall the rest.

    Examples
    --------
    >>> turns = Turns(1000, pause=30, floor=100, clock=lambda: 7)
    >>> turns.room(5, 800), turns.room(5, 800), turns.room(5, 800)
    (800, 200, 100)
    >>> turns.spend(5, tokens=90, reserved=800)
    >>> turns.room(36, None), turns.room(99, None)
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

    def room(self, at: float, limit: int | None) -> int | None:
        """Reserve and return tokens for the result of a call at a time, with a limit of its own."""
        if self._budget is None:
            return limit
        with self._lock:
            self._go_on(at)
            room = max(self._left, self._floor)
            room = room if limit is None else min(limit, room)
            self._left -= room
        return room

    def spend(self, at: float, tokens: int, reserved: int = 0) -> None:
        """Count the tokens that were sent, and release those that were reserved for them."""
        with self._lock:
            self._go_on(at)
            self._left += reserved - tokens
            self._last = self.clock()

    def _go_on(self, at: float) -> None:
        if at - self._last > self._pause:
            self._left, self._last = self._budget or 0, at
