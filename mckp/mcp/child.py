"""A server that the proxy starts, as a transport of the SDK: streams of its messages.

The SDK's own takes time with the square of a message's length (a result of 50 MB takes it
12 s of CPU) and ends at bytes that are no UTF-8, so reading is done here; how a process and
what it started are ended is the SDK's.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import anyio
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage

from mckp.mcp.lines import MOST, Splitter, Unreadable, parsed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from anyio.abc import Process
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from mckp.mcp.servers import ServerSpec

    Received = SessionMessage | Exception
    Streams = tuple[
        MemoryObjectReceiveStream[Received],
        MemoryObjectSendStream[SessionMessage],
    ]

GRACE: Final = 2.0
"""Seconds that a server has to end once its input has, and again once it was told to."""

_LOG: Final = logging.getLogger(__name__)
_GONE: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


@asynccontextmanager
async def child(spec: ServerSpec, most: int = MOST) -> AsyncGenerator[Streams]:
    """Start a server, and end it.

    Parameters
    ----------
    spec : ServerSpec
        What to start.
    most : int
        Bytes of a message; see `mckp.mcp.lines.Splitter`.

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
    received, to_read = anyio.create_memory_object_stream["Received"](0)
    to_write, written = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, received, most)
            tasks.start_soon(_write, process, written)
            try:
                yield to_read, to_write
            finally:
                tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        for stream in (received, to_read, to_write, written):
            stream.close()


async def _read(
    process: Process, received: MemoryObjectSendStream[Received], most: int
) -> None:
    assert process.stdout is not None
    splitter = Splitter(most)
    async with received:
        with suppress(anyio.EndOfStream, *_GONE):
            while True:
                for line in splitter.feed(await process.stdout.receive(1 << 18)):
                    await _pass_on(line, received)
        for line in splitter.end():
            await _pass_on(line, received)


async def _pass_on(
    line: bytes | Unreadable, received: MemoryObjectSendStream[Received]
) -> None:
    if isinstance(line, bytes) and not line.strip():
        return
    with suppress(*_GONE):
        await received.send(line if isinstance(line, Unreadable) else _message(line))


def _message(line: bytes) -> Received:
    try:
        return SessionMessage(parsed(line))
    except Unreadable as error:
        return error


async def _write(process: Process, written: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async with written:
        with suppress(*_GONE):
            async for each in written:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _end(process: Process) -> None:
    if process.stdin is not None:
        with suppress(*_GONE):
            await process.stdin.aclose()
    if not await _has_ended(process):
        await _kill(process)
        if not await _has_ended(process):
            _LOG.warning("the server with the process id %d does not end", process.pid)
    if process.stdout is not None:
        with suppress(*_GONE):
            await process.stdout.aclose()


async def _kill(process: Process) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        await terminate_posix_process_tree(process, GRACE)


async def _has_ended(process: Process) -> bool:
    # Not process.wait(), which also waits for all that has inherited its pipes.
    with anyio.move_on_after(GRACE):
        while process.returncode is None:
            await anyio.sleep(0.01)
        return True
    return False
