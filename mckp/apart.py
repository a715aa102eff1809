"""Run work in a thread while an event loop goes on."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TYPE_CHECKING, Final, TypeVar

from mckp.work import Watch, limited

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

T = TypeVar("T")

_PAUSE: Final = 0.01


async def apart(work: Callable[[], T], seconds: float = inf, executor: Executor | None = None) -> T:
    """Return what `work` returns, done in a thread of ours, or by an executor, while a loop runs.

    The thread of ours does one work after another: Python runs one thread at a time, so more would
    take turns from the loop and gain nothing. Work that is cancelled, or takes too long, is
    stopped; in an executor of the caller's it goes on after a cancellation.

    Examples
    --------
    >>> import asyncio
    >>> asyncio.run(apart(lambda: sum(range(9))))
    36
    """
    loop = asyncio.get_running_loop()
    if executor is not None:
        return await loop.run_in_executor(executor, limited, work, seconds)
    watches: list[Watch] = []
    with _OURS as thread:
        try:
            return await loop.run_in_executor(thread, limited, work, seconds, watches.append)
        except asyncio.CancelledError:
            while watches and not watches[0].stop():
                await asyncio.sleep(_PAUSE)
            raise


class _Thread:
    """The thread of this process. It ends when there is nothing to do; a child has its own."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
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
