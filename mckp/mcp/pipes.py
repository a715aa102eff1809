"""Messages over pipes: what the SDK calls streams, without queues and threads in between."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.message import SessionMessage

from mckp.mcp.lines import MOST, Splitter, Unreadable, parsed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Received = SessionMessage | Exception

GONE: Final = (
    *(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError),
    OSError,
)
"""What says that nobody is at the other end."""


class Incoming:
    """Messages that come in; where a line is none, an `Unreadable`.

    Parameters
    ----------
    receive : callable
        Waits for bytes, and returns them; none, or one of `GONE`, is the end.
    most : int
        Bytes of a message; see `mckp.mcp.lines.Splitter`.
    """

    def __init__(self, receive: Callable[[], Awaitable[bytes]], most: int = MOST) -> None:
        self._receive, self._splitter = receive, Splitter(most)
        self._lines: deque[bytes | Unreadable] = deque()
        self._has_ended = False

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> Received:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if isinstance(line, Unreadable):
                    return line
                if line and not line.isspace():
                    return _message(line)
            if self._has_ended:
                raise StopAsyncIteration
            await self._more()

    async def receive(self) -> Received:
        """Return the next message.

        Raises
        ------
        anyio.EndOfStream
            If there is none.
        """
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def _more(self) -> None:
        try:
            portion = await self._receive()
        except GONE:
            portion = b""
        self._has_ended = not portion
        self._lines.extend(self._splitter.feed(portion) if portion else self._splitter.end())

    async def aclose(self) -> None:
        """Read nothing more."""
        self._has_ended = True

    async def __aenter__(self) -> Incoming:
        """Return itself, as the SDK's streams do."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Read nothing more."""
        await self.aclose()


class Outgoing:
    """Messages that go out, a line each.

    Parameters
    ----------
    send : callable
        Waits until bytes are taken.
    close : callable
        Says that nothing more comes.
    """

    def __init__(
        self,
        send: Callable[[bytes], Awaitable[object]],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        self._send, self._close = send, close

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message.

        Raises
        ------
        anyio.BrokenResourceError
            If nobody is there to take it.
        """
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._send(text.encode() + b"\n")
        except GONE as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        """Say that nothing more comes."""
        with suppress(*GONE):
            await self._close()

    async def __aenter__(self) -> Outgoing:
        """Return itself, as the SDK's streams do."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Say that nothing more comes."""
        await self.aclose()


def _message(line: bytes) -> Received:
    try:
        return SessionMessage(parsed(line))
    except Unreadable as error:
        return error
