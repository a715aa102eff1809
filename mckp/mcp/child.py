"""A server that the proxy starts, as a transport of the SDK: streams of its messages.

The SDK's own takes time with the square of a message's length (`benches/mcp_stress.py`) and ends at
bytes that are no UTF-8, so reading is done here; how a process and what it started are ended is the
SDK's.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
from mcp.os.posix.utilities import terminate_posix_process_tree

from mckp.mcp.pipes import GONE, MAX_BYTES, READ_BYTES, Incoming, Outgoing

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from anyio.abc import Process

    from mckp.mcp.servers import ServerSpec

GRACE_SECONDS: Final = 0.9
"""Seconds that a server has to end once its input has, and again once it was told to.

Hosts give a process two seconds before they tell it, and two more before they kill it; a proxy that
is killed leaves its servers behind.
"""

_LOG: Final = logging.getLogger(__name__)


@asynccontextmanager
async def child(
    spec: ServerSpec, most: int = MAX_BYTES
) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """Start a server, and end it.

    Parameters
    ----------
    spec : ServerSpec
        What to start.
    most : int
        Bytes of a message; see `mckp.mcp.pipes.Splitter`.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    process = await anyio.open_process(
        [shutil.which(spec.command) or spec.command, *spec.args],
        env={**os.environ, **spec.env},
        cwd=spec.cwd,
        stderr=None,
        start_new_session=sys.platform != "win32",
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (
            Incoming(partial(process.stdout.receive, READ_BYTES), most),
            Outgoing(process.stdin.send, process.stdin.aclose),
        )
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _end(process: Process) -> None:
    if process.stdin is not None:
        with suppress(*GONE):
            await process.stdin.aclose()
    if not await _has_ended(process):
        await _kill(process)
        if not await _has_ended(process):
            _LOG.warning("the server with the process id %d does not end", process.pid)
    if process.stdout is not None:
        with suppress(*GONE):
            await process.stdout.aclose()


async def _kill(process: Process) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        await terminate_posix_process_tree(process, GRACE_SECONDS)


async def _has_ended(process: Process) -> bool:
    # Not process.wait(), which also waits for all that has inherited its pipes.
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
        return True
    return False
