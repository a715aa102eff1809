"""The way to one server: its streams, whatever carries them, and a client of HTTP."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    PROTOCOL_VERSION_META_KEY,
    JSONRPCNotification,
    JSONRPCRequest,
)

from mckp.jsontext import dump, is_object
from mckp.mcp.pipes import MAX_BYTES, child

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp.types import JSONRPCMessage

    from mckp.mcp.servers import ServerSpec

TIMEOUT: Final = httpx2.Timeout(30.0, read=None)
"""Seconds to reach a server; how long an answer may take is for the host to say."""


class Client(httpx2.AsyncClient):
    """The client; see the module."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__(headers=dict(headers), timeout=TIMEOUT)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the response; one that says so, if the server cannot be reached."""
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            return _failed(request, error)
        if isinstance(response.stream, httpx2.AsyncByteStream) and not response.is_closed:
            response.stream = _Ending(response.stream)
        return response


def _failed(request: httpx2.Request, error: httpx2.TransportError) -> httpx2.Response:
    why = f"{request.url.host} cannot be reached: {error or type(error).__name__}"
    problem = {"code": CONNECTION_CLOSED, "message": why}
    return httpx2.Response(
        502,
        request=request,
        headers={"content-type": "application/json"},
        content=dump({"jsonrpc": "2.0", "id": None, "error": problem}),
    )


class _Ending(httpx2.AsyncByteStream):
    """Bytes that end where the connection breaks."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        try:
            async for portion in self._stream:
                yield portion
        except httpx2.TransportError:
            return

    async def aclose(self) -> None:
        await self._stream.aclose()


_INITIALIZE: Final = "initialize"
_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class Reading(Protocol):
    """Where messages come from."""

    def __aiter__(self) -> Reading: ...
    async def __anext__(self) -> SessionMessage | Exception: ...


class Writing(Protocol):
    """Where messages go to."""

    async def send(self, item: SessionMessage, /) -> None: ...
    async def aclose(self) -> None: ...


@dataclass(slots=True)
class Link:
    """The way to a server.

    What is sent waits here without bound: it comes from the host, and a server that does not
    read must not keep the others from what is for them.
    """

    name: str
    read: Reading
    write: Writing
    has_headers: bool = False
    version: str = ""
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    schemas: dict[str, Any] = field(default_factory=dict[str, Any])
    noise: int = 0

    def __post_init__(self) -> None:
        made = anyio.create_memory_object_stream[SessionMessage](math.inf)
        self._waiting, self._sent = made

    _waiting: Any = field(init=False)
    _sent: Any = field(init=False)

    def send(self, message: JSONRPCMessage) -> None:
        """Send a message once the server takes it."""
        metadata = self._metadata(message) if self.has_headers else None
        with suppress(*_GONE):  # what it was asked is answered once that is noticed
            self._waiting.send_nowait(SessionMessage(message, metadata))

    async def pump(self) -> None:
        """Pass on what is sent, until the server is gone."""
        async with self._sent:
            try:
                async for message in self._sent:
                    await self.write.send(message)
            except _GONE:
                return

    def close(self) -> None:
        """Send nothing more."""
        self._waiting.close()
        self._sent.close()

    def agreed(self, result: Mapping[str, Any]) -> None:
        """Note what the answer to ``initialize`` or ``server/discover`` says."""
        version, able = result.get("protocolVersion"), result.get("capabilities")
        self.version = version if isinstance(version, str) else self.version
        self.capabilities = able if is_object(able) else {}

    def _metadata(self, message: JSONRPCMessage) -> ClientMessageMetadata | None:
        if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
            return self._plain_headers()
        if message.method == _INITIALIZE:
            return None
        params = message.params or {}
        meta = params.get("_meta")
        said = meta.get(PROTOCOL_VERSION_META_KEY) if is_object(meta) else None
        if not isinstance(said, str):
            return self._plain_headers()
        headers = {MCP_PROTOCOL_VERSION_HEADER: said}
        if isinstance(message, JSONRPCRequest):
            headers |= self._routing(message.method, params)
        return ClientMessageMetadata(headers=headers)

    def _plain_headers(self) -> ClientMessageMetadata:
        headers = {MCP_PROTOCOL_VERSION_HEADER: self.version} if self.version else {}
        return ClientMessageMetadata(headers=headers)

    def _routing(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        """Return headers that say again what is asked for, as newer versions want them."""
        headers = {MCP_METHOD_HEADER: method}
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        arguments = params.get("arguments")
        if method == "tools/call" and is_object(arguments) and name in self.schemas:
            headers |= mcp_param_headers(x_mcp_header_map(self.schemas[name]), arguments)
        return headers


@asynccontextmanager
async def linked(spec: ServerSpec) -> AsyncGenerator[Link]:
    """Start a server, or get in touch with it, and leave it again.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    async with AsyncExitStack() as stack:
        if spec.url:
            client = await stack.enter_async_context(Client(spec.headers))
            streams = streamable_http_client(
                spec.url, http_client=client, max_sse_event_size=MAX_BYTES
            )
            read, write = await stack.enter_async_context(streams)
        else:
            read, write = await stack.enter_async_context(child(spec))
        link = Link(spec.name, read, write, has_headers=bool(spec.url))
        stack.callback(link.close)
        yield link
