"""Serving hosts over streamable HTTP: each has servers, a session and handles of its own."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import anyio
import uvicorn
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp.shared.message import ServerMessageMetadata
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from mckp import tokenizers
from mckp.agents.mcp.messages import (
    CANCELLED,
    Code,
    cancelling,
    failure,
    is_request,
    params_of,
    progress_token,
)
from mckp.agents.mcp.pipes import GONE, MAX_BYTES
from mckp.agents.mcp.results import prepare
from mckp.agents.mcp.serve import Sessions, relaying, signals
from mckp.agents.mcp.web import ToSdk, plain
from mckp.errors import MckpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.abc import TaskGroup, TaskStatus
    from starlette.types import Message, Receive, Scope, Send

    from mckp.agents.mcp.messages import Message as Said
    from mckp.agents.mcp.messages import RequestId
    from mckp.agents.mcp.relay import Relay
    from mckp.agents.mcp.servers import ProxySettings, ServerSpec

_LOG: Final = logging.getLogger(__name__)
_ID: Final = "mckp.request"


class Taken(ToSdk):
    """Messages of a host, and what of it is not answered yet.

    Over HTTP each request has a stream of its own, on which also goes what a server says or asks
    before its answer; only who said it does not say to which request it belongs.
    """

    def __init__(self, read: Any, write: Any) -> None:
        super().__init__(write)
        self._read = read
        self._kept: list[Any] = []
        self._open: dict[RequestId, tuple[Said, Any]] = {}

    def __aiter__(self) -> Taken:
        return self

    async def __anext__(self) -> Said | Exception:
        try:
            item = self._kept.pop() if self._kept else await anext(self._read)
        except GONE:
            raise StopAsyncIteration from None
        if isinstance(item, Exception):
            return item
        message = plain(item.message)
        await self._note(message, item.metadata)
        return message

    async def is_there(self) -> bool:
        """Wait for the first message, which stays to be read; whether there is one."""
        with suppress(*GONE):
            async for item in self._read:
                self._kept.append(item)
                return True
        return False

    async def _note(self, message: Said, metadata: Any) -> None:
        if is_request(message):
            self._open[message["id"]] = message, metadata
            metadata.request_context.scope[_ID] = message["id"]
        elif message.get("method") == CANCELLED:
            end = self.forget(params_of(message).get("requestId"))
            if end is not None:
                await end()

    def forget(self, number: Any) -> Callable[[], Awaitable[None]] | None:
        """Wait no more for the answer to a request; return what ends its stream, if it has one."""
        known = isinstance(number, int | str) and number in self._open
        return self._open.pop(number)[1].on_request_unanswered if known else None

    async def send(self, message: Said, /) -> None:
        """Send the host a message, on the stream of the request that it belongs to."""
        number: Any = None if "method" in message else message["id"]
        if number is not None and self._open.pop(number, None) is None:
            return  # it was cancelled, and its stream has ended
        with suppress(*GONE):
            await super().send(message)

    def metadata(self, message: Said) -> ServerMessageMetadata | None:
        """Return the request whose progress is told, or else the latest that waits."""
        if "method" not in message:
            return None
        token, latest = params_of(message).get("progressToken"), next(reversed(self._open), None)
        own = (n for n, (asked, _) in self._open.items() if progress_token(asked) == token)
        number = latest if token is None else next(own, latest)
        return ServerMessageMetadata(related_request_id=number)


class Conversation:
    """What a host says at an address from its greeting on until it takes its leave."""

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
                    message = await anext(host)
                    if not isinstance(message, Exception) and is_request(message):
                        await host.send(failure(message["id"], Code.INTERNAL_ERROR, str(error)))
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
        if self._host is not None and self._relay is not None:
            self._host.forget(number)
            await self._relay.from_host(cancelling(number, "the connection has ended"))


PATH: Final = "/mcp"
MAX_HOSTS: Final = 64
"""Conversations at a time: each starts all servers."""

IDLE_SECONDS: Final = 30 * 60.0
"""Seconds without a request after which a conversation ends, as the SDK has it."""

_LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""What requests from this machine call it, besides the name that was given."""


@dataclass(slots=True)
class Hosts:
    """An application of ASGI that gives each host a conversation."""

    _specs: Sequence[ServerSpec]
    _settings: ProxySettings
    _tasks: TaskGroup
    _security: TransportSecuritySettings | None = None
    _found: dict[str, Conversation] = field(default_factory=dict[str, Conversation])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP."""
        request = Request(scope, receive)
        name = request.headers.get(MCP_SESSION_ID_HEADER)
        if request.url.path.rstrip("/") != PATH:
            await PlainTextResponse(f"MCP is at {PATH}\n", 404)(scope, receive, send)
        elif name is None:
            await self._open(scope, receive, send)
        elif name in self._found:
            await self._found[name].handle(scope, receive, send)
        else:
            await PlainTextResponse("no such session\n", 404)(scope, receive, send)

    async def close(self) -> None:
        """End all conversations."""
        for found in list(self._found.values()):
            await found.transport.terminate()

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self._found) >= MAX_HOSTS:
            _LOG.warning("%d hosts are served, another is refused", MAX_HOSTS)
            await PlainTextResponse("too many sessions\n", 503)(scope, receive, send)
            return
        name = uuid4().hex
        found = self._found[name] = Conversation(name, self._security, IDLE_SECONDS)
        await self._tasks.start(self._run, name, found)
        try:
            await found.handle(scope, receive, send)
        finally:
            if not found.is_greeted:
                with anyio.CancelScope(shield=True):
                    await found.transport.terminate()

    async def _run(self, name: str, found: Conversation, *, task_status: TaskStatus[None]) -> None:
        try:
            await found.run(self._specs, self._settings, task_status=task_status)
        except Exception:
            _LOG.exception("a conversation failed")
        finally:
            del self._found[name]


async def listen(
    specs: Sequence[ServerSpec],
    settings: ProxySettings,
    address: tuple[str, int],
    tell: Callable[[str], object],
) -> int:
    """Serve hosts over streamable HTTP until the process is told to end.

    At an address of this machine only requests that call it so are let in, which keeps pages in a
    browser out; elsewhere all are. Port 0 is one that is free; `tell` is told which.
    """
    name, _ = address
    with bound(address) as listening:
        place, port, *_ = listening.getsockname()
        is_local = is_loopback(place)
        if not is_local:
            _LOG.warning("whoever reaches %s can call the servers: nothing asks who it is", name)
        # Before anybody waits: one host's first result would hold up the others.
        prepare(tokenizers.get(settings.tokenizer).name)
        async with signals(), anyio.create_task_group() as tasks:
            hosts = Hosts(specs, settings, tasks, _security(name, place) if is_local else None)
            config = uvicorn.Config(
                RequestBodyLimitMiddleware(hosts, MAX_BYTES),
                lifespan="off", ws="none", log_config=None, access_log=False,
                timeout_graceful_shutdown=1,
            )  # fmt: skip
            tell(f"http://{_in_url(name)}:{port}{PATH}")
            server = uvicorn.Server(config)
            tasks.start_soon(_farewell, server, hosts)
            await server.serve(sockets=[listening])
            tasks.cancel_scope.cancel()
    return 0


async def _farewell(server: uvicorn.Server, hosts: Hosts) -> None:
    """End what would otherwise be open when the server is told to end, and be cut off."""
    while not server.should_exit:
        await anyio.sleep(0.1)
    # Hosts that come again meanwhile are cut off, which would be logged as an error.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    await hosts.close()


def bound(address: tuple[str, int]) -> socket.socket:
    """Return a socket at an address; `MckpError` if it cannot be used."""
    name, port = address
    try:
        family, *_, place = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family)
    except (OSError, UnicodeError) as error:
        message = f"{name}:{port} cannot be listened at: {error}"
        raise MckpError(message) from error


def is_loopback(place: str) -> bool:
    """Whether an address is of this machine only, however it is written.

    Examples
    --------
    >>> [is_loopback(each) for each in ("127.0.0.9", "::ffff:127.0.0.1", "::1%1", "0.0.0.0")]
    [True, True, True, False]
    """
    found = ip_address(place.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return (mapped or found).is_loopback


def _security(*also: str) -> TransportSecuritySettings:
    """Return names by which requests may call this machine: a page elsewhere has another."""
    names = dict.fromkeys([*_LOCAL, *also, *map(str.lower, also)])
    hosts = [each for name in map(_in_url, names) for each in (name, f"{name}:*")]
    origins = [f"http://{each}" for each in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name
