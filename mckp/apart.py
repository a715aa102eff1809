"""Run work in a thread, so that an event loop is not blocked."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar

from mckp.work import Watch, run_limited

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

T = TypeVar("T")


async def run_apart(
    work: Callable[[], T], seconds: float = inf, executor: Executor | None = None
) -> T:
    """Return what `work` returns; it runs in another thread, so the event loop stays free.

    By default, one thread of ours does all such work in order: Python runs one thread at a time, so
    more threads would only slow the loop down. Work that is cancelled or takes too long is stopped,
    the latter with a `WorkLimitError`. In an executor of the caller's, cancelled work continues.

    Examples
    --------
    >>> import asyncio
    >>> asyncio.run(run_apart(lambda: sum(range(9))))
    36
    """
    loop = asyncio.get_running_loop()
    if executor is not None:
        return await loop.run_in_executor(executor, run_limited, work, seconds)
    watches: list[Watch] = []
    with _OURS as thread:
        try:
            return await loop.run_in_executor(thread, run_limited, work, seconds, watches.append)
        except asyncio.CancelledError:
            for watch in watches:
                watch.stop_after(0)
            raise


class _Thread:
    """The worker thread of this process; it ends when idle, and a forked child has its own."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Begin without a thread; a forked process does so, too."""
        self._guard, self._users = threading.Lock(), 0
        self._executor: ThreadPoolExecutor | None = None

    def __enter__(self) -> Executor:
        with self._guard:
            self._users += 1
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, "mckp")
            return self._executor

    def __exit__(self, *_: object) -> None:
        with self._guard:
            self._users -= 1
            if self._users == 0 and self._executor is not None:
                self._executor.shutdown(wait=False)
                self._executor = None


_OURS: Final = _Thread()
