"""One host that comes over HTTP: its messages, its servers, its session."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from mckp.errors import MckpError
from mckp.jsontext import is_object
from mckp.mcp.pipes import GONE
from mckp.mcp.serve import Sessions, relaying

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.abc import TaskStatus
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import JSONRPCMessage, RequestId
    from starlette.types import Message, Receive, Scope, Send

    from mckp.mcp.link import Reading, Writing
    from mckp.mcp.relay import Relay
    from mckp.mcp.servers import ProxySettings, ServerSpec

_LOG: Final = logging.getLogger(__name__)
_ID: Final = "mckp.request"
_CANCELLED: Final = "notifications/cancelled"


class Taken:
    """Messages of a host, and what of it is not answered yet.

    Over HTTP each request has a stream of its own, on which also goes what a server says or asks
    before its answer; only who said it does not say to which request it belongs.

    Parameters
    ----------
    read, write : stream
        Those of the transport.
    """

    def __init__(self, read: Reading, write: Writing) -> None:
        self._read, self._write = read, write
        self._kept: list[SessionMessage | Exception] = []
        self._open: dict[RequestId, SessionMessage] = {}

    def __aiter__(self) -> Taken:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            item = self._kept.pop() if self._kept else await anext(self._read)
        except GONE:
            raise StopAsyncIteration from None
        if isinstance(item, SessionMessage):
            await self._note(item)
        return item

    async def is_there(self) -> bool:
        """Wait for the first message, which stays to be read; whether there is one."""
        with suppress(*GONE):
            async for item in self._read:
                self._kept.append(item)
                return True
        return False

    async def _note(self, item: SessionMessage) -> None:
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._open[message.id] = item
            _metadata(item).request_context.scope[_ID] = message.id
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            cancelled = self.forget((message.params or {}).get("requestId"))
            unanswered = None if cancelled is None else _metadata(cancelled).on_request_unanswered
            if unanswered is not None:
                await unanswered()  # ends its stream

    def forget(self, number: Any) -> SessionMessage | None:
        """Wait no more for the answer to a request, which is returned if there is one."""
        return self._open.pop(number, None) if isinstance(number, int | str) else None

    async def send(self, item: SessionMessage, /) -> None:
        """Send the host a message, on the stream of the request that it belongs to."""
        message = item.message
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            if message.id is not None and self.forget(message.id) is None:
                return  # it was cancelled, and its stream has ended
        else:
            related = self._related(message)
            item = SessionMessage(message, ServerMessageMetadata(related_request_id=related))
        with suppress(*GONE):
            await self._write.send(item)

    async def aclose(self) -> None:
        """Send nothing more."""
        await self._write.aclose()

    def _related(self, message: JSONRPCNotification | JSONRPCRequest) -> RequestId | None:
        """Return the request whose progress is told, or else the latest that waits."""
        token = (message.params or {}).get("progressToken")
        for number, item in self._open.items():
            if token is not None and _token(item.message) == token:
                return number
        return next(reversed(self._open), None)


class Conversation:
    """What a host says at an address from its greeting on until it takes its leave.

    Parameters
    ----------
    name : str
        What it is called in the headers of HTTP.
    security : TransportSecuritySettings or None
        Which hosts are let in; None for all.
    idle : float
        Seconds without any request after which it ends.

    Attributes
    ----------
    transport : StreamableHTTPServerTransport
        What speaks HTTP.
    is_greeted : bool
        Whether a first message has come.
    """

    def __init__(self, name: str, security: TransportSecuritySettings | None, idle: float) -> None:
        self.transport = StreamableHTTPServerTransport(
            name, security_settings=security, idle_timeout=idle
        )
        self._host: Taken | None = None
        self._relay: Relay | None = None
        self.is_greeted = False
        self._unsaid = 0

    async def run(
        self,
        specs: Sequence[ServerSpec],
        settings: ProxySettings,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Relay until the host leaves, is idle for too long, or all servers have ended."""
        async with self.transport.connect() as (read, write):
            task_status.started()
            host = self._host = Taken(read, write)
            with self.transport.idle_scope or anyio.CancelScope():
                # Servers start for whoever greets, and not for whoever knocks.
                self.is_greeted = await host.is_there()
                try:
                    if self.is_greeted:
                        await self._relay_to(host, specs, settings)
                except MckpError as error:
                    _LOG.error("%s", error)
                    await _refuse(host, str(error))
            with anyio.CancelScope(shield=True):
                await self._all_said()
                await self.transport.terminate()

    async def _relay_to(
        self, host: Taken, specs: Sequence[ServerSpec], settings: ProxySettings
    ) -> None:
        async with relaying(host, host, specs, settings, Sessions(settings)) as relay:
            self._relay = relay
            await relay.run()

    async def _all_said(self) -> None:
        """Wait for answers that are still being sent: who terminates throws them away."""
        with anyio.move_on_after(1.0):
            while self._unsaid and not self.transport.is_terminated:
                await anyio.sleep(0.01)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP; one whose answer nobody took is cancelled."""
        is_done = False

        async def watched(message: Message) -> None:
            nonlocal is_done
            await send(message)
            is_done = message["type"] == "http.response.body" and not message.get("more_body")

        is_post = scope["method"] == "POST"
        self._unsaid += is_post
        try:
            await self.transport.handle_request(scope, receive, watched)
        finally:
            self._unsaid -= is_post
            if _ID in scope and not is_done:
                await self._gone(scope[_ID])

    async def _gone(self, number: RequestId) -> None:
        """Take back a request whose connection has ended: nobody saw the text, to refer to it."""
        params = {"requestId": number, "reason": "the connection has ended"}
        cancelled = JSONRPCNotification(jsonrpc="2.0", method=_CANCELLED, params=params)
        if self._host is not None and self._relay is not None:
            self._host.forget(number)
            await self._relay.from_host(cancelled)


async def _refuse(host: Taken, why: str) -> None:
    item = await anext(host)
    if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
        error = ErrorData(code=INTERNAL_ERROR, message=why)
        answer = JSONRPCError(jsonrpc="2.0", id=item.message.id, error=error)
        await host.send(SessionMessage(answer))


def _metadata(item: SessionMessage) -> Any:
    return item.metadata


def _token(message: JSONRPCMessage) -> Any:
    params = message.params if isinstance(message, JSONRPCRequest) else None
    meta = (params or {}).get("_meta")
    return meta.get("progressToken") if is_object(meta) else None
