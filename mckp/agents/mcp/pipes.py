"""Messages over pipes, and servers that the proxy starts.

The SDK's transport takes time quadratic in a message's length, and stops at bytes that are not
UTF-8. So pipes are read here.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio

from mckp.agents.mcp.messages import KEPT_BYTES, Message, Unreadable, id_in, read_messages
from mckp.jsontext import dump_bytes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator

    from anyio.abc import Process

    from mckp.agents.mcp.servers import ServerSpec

MAX_BYTES: Final = 256 << 20
"""The most bytes of a message; a longer one is dropped, and its recipient gets an error."""

READ_BYTES: Final = 1 << 18
"""The most bytes that are read from a pipe at once."""


class Splitter:
    r"""Cuts a stream of bytes into lines; a line longer than `max_bytes` becomes an `Unreadable`.

    Examples
    --------
    >>> splitter = Splitter()
    >>> [*splitter.feed(b"a\nb"), *splitter.feed(b"c\n\nd"), *splitter.end()]
    [b'a', b'bc', b'', b'd']
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Begin with an empty line."""
        self._max_bytes, self._parts, self._size = max_bytes, list[bytes](), 0

    def feed(self, portion: bytes) -> Iterator[bytes | Unreadable]:
        """Yield the lines that end in the next portion; for one that is too long, what is wrong."""
        *ended, unfinished = portion.split(b"\n")
        for line in ended:
            self._keep(line)
            yield self._take_line()
        self._keep(unfinished)

    def end(self) -> Iterator[bytes | Unreadable]:
        """Yield the last line, if it has no line end."""
        if self._size:
            yield self._take_line()

    def _keep(self, part: bytes) -> None:
        """Keep a part of a line; of a line that is too long, only the beginning."""
        self._size += len(part)
        if self._size <= self._max_bytes:
            self._parts.append(part)
        else:
            self._parts = [b"".join(self._parts)[:KEPT_BYTES] or part[:KEPT_BYTES]]

    def _take_line(self) -> bytes | Unreadable:
        """Return the line that is complete, or what is wrong with it."""
        line, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size <= self._max_bytes:
            return line
        why = f"a message of {size:,} bytes; the limit is {self._max_bytes:,}"
        return Unreadable(why, id_in(line.decode("utf-8", "replace")), is_message=True)


GONE: Final = (
    *(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError),
    OSError,
)
"""Exceptions that mean that the other end is gone."""


class Incoming:
    """The incoming messages; a line that is not a message becomes an `Unreadable`."""

    def __init__(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        self._receive, self._splitter = receive, Splitter()
        self._unread: deque[Message | Unreadable] = deque()
        self._has_ended = False

    def __aiter__(self) -> Incoming:
        """Return itself."""
        return self

    async def __anext__(self) -> Message | Exception:
        """Return the next message, or what is wrong with it; stop when the stream has ended."""
        while not self._unread:
            if self._has_ended:
                raise StopAsyncIteration
            await self._receive_more()
        return self._unread.popleft()

    async def _receive_more(self) -> None:
        """Read the next bytes, and keep the messages that end in them."""
        try:
            portion = await self._receive()
        except GONE:
            portion = b""
        self._has_ended = not portion
        for line in self._splitter.feed(portion) if portion else self._splitter.end():
            self._unread.extend([line] if isinstance(line, Unreadable) else read_messages(line))


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Writes outgoing messages, one per line."""

    _send: Callable[[bytes], Awaitable[object]]
    _close: Callable[[], Awaitable[object]]

    async def send(self, message: Message, /) -> None:
        """Send a message; raise `anyio.BrokenResourceError` if the other end is gone."""
        try:
            await self._send(dump_bytes(message) + b"\n")
        except GONE as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        """Close the stream, so that the other end knows that nothing more comes."""
        with suppress(*GONE):
            await self._close()


GRACE_SECONDS: Final = 0.9
"""Seconds that a server has to end after its input ended, and again after a signal.

Hosts wait two seconds before they send a signal to a process, and two more before they kill it; a
proxy that is killed leaves its servers running.
"""

_LOG: Final = logging.getLogger(__name__)


@asynccontextmanager
async def child_streams(spec: ServerSpec) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """Start a server (or raise an `OSError`), yield its streams, and end it afterwards."""
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
            Incoming(partial(process.stdout.receive, READ_BYTES)),
            Outgoing(process.stdin.send, process.stdin.aclose),
        )
    finally:
        with anyio.CancelScope(shield=True):
            await _end_process(process)


async def _end_process(process: Process) -> None:
    """End a server: close its input and wait, then end it by force if it still runs."""
    if process.stdin is not None:
        with suppress(*GONE):
            await process.stdin.aclose()
    if not await _has_ended(process):
        await _kill_group(process)
        if not await _has_ended(process):
            _LOG.warning("the server with the process id %d does not exit", process.pid)
    if process.stdout is not None:
        # A pipe that is closed before it was read to its end stays open.
        with suppress(*GONE), anyio.move_on_after(GRACE_SECONDS):
            while await process.stdout.receive(READ_BYTES):
                pass
        with suppress(*GONE):
            await process.stdout.aclose()


async def _kill_group(process: Process) -> None:
    """End a server with all processes that it has started; kill them if a signal does not help."""
    if sys.platform == "win32":
        process.kill()
        return
    # The process leads a group of its own, with all processes that it has started.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
        with anyio.move_on_after(GRACE_SECONDS):
            while _is_group_alive(process):
                await anyio.sleep(0.01)
            return
        os.killpg(process.pid, signal.SIGKILL)


def _is_group_alive(process: Process) -> bool:
    """Whether any process of a process's group is left; also reaps the process if it has ended."""
    _ = process.returncode
    try:
        os.killpg(process.pid, 0)
    except OSError as error:
        return isinstance(
            error, PermissionError
        )  # macOS raises this for a process that was not reaped
    return True


async def _has_ended(process: Process) -> bool:
    """Wait up to `GRACE_SECONDS` for a process, and return whether it has ended."""
    # Not process.wait(), which also waits for all processes that inherited its pipes.
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
        return True
    return False
