"""The host, on standard input and output.

What the SDK has for this hands each line to threads and back, which on a machine that is busy takes
longer than all else; where the system has pipes that can be waited for, there are no threads here.
While it serves, standard output is standard error, so that whatever prints does not disturb.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from mcp.server.stdio import stdio_server

from mckp.mcp.pipes import Incoming, Outgoing

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mckp.mcp.link import Reading, Writing

_PORTION: Final = 1 << 18


@asynccontextmanager
async def host() -> AsyncGenerator[tuple[Reading, Writing]]:
    """Serve whoever started this process."""
    if sys.platform == "win32" or not (_can_wait(0) and _can_wait(1)):
        async with stdio_server() as (reading, writing), writing:  # it ends once that is closed
            yield reading, writing
        return
    wire = os.dup(1)
    os.dup2(2, 1)
    try:
        async with _piped(os.dup(0), os.dup(wire)) as streams:
            yield streams
    finally:
        os.dup2(wire, 1)
        os.close(wire)


def _can_wait(number: int) -> bool:
    """Whether a descriptor is a pipe, a socket or a terminal, and no file or null device."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)


@asynccontextmanager
async def _piped(source: int, target: int) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    taking, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(source, "rb", 0)
    )
    giving, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(target, "wb", 0)
    )
    giving.set_write_buffer_limits(0)  # what is sent is written, and not only taken
    writer = asyncio.StreamWriter(giving, protocol, None, loop)

    async def send(raw: bytes) -> None:
        writer.write(raw)
        await writer.drain()

    async def close() -> None:
        giving.close()

    try:
        yield Incoming(lambda: reader.read(_PORTION)), Outgoing(send, close)
    finally:
        taking.close()
        giving.close()
