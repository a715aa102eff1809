"""Work beside an event loop, which goes on meanwhile."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
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
    try:
        return await loop.run_in_executor(_thread(), limited, work, seconds, watches.append)
    except asyncio.CancelledError:
        while watches and not watches[0].stop():
            await asyncio.sleep(_PAUSE)
        raise


@cache
def _thread() -> Executor:
    """Return the thread of this process; a child process has its own."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_thread.cache_clear)
    return ThreadPoolExecutor(1, "mckp")
