"""Servers over streamable HTTP: the SDK's streams as streams of plain messages."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

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
from mcp.types import jsonrpc_message_adapter

from mckp.agents.mcp.messages import (
    VERSION_KEY,
    Code,
    failure,
    is_request,
    meta_of,
    params_of,
)
from mckp.agents.mcp.pipes import MAX_BYTES
from mckp.jsontext import dump_bytes, is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp.types import JSONRPCMessage

    from mckp.agents.mcp.link import Link
    from mckp.agents.mcp.messages import Message

TIMEOUT: Final = httpx2.Timeout(30.0, read=None)
"""Seconds to reach a server; the host decides how long an answer may take."""


class Client(httpx2.AsyncClient):
    """A client that returns an error response instead of raising if a server is unreachable."""

    def __init__(
        self, headers: Mapping[str, str], transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        """Make a client that sends headers with each request."""
        super().__init__(headers=dict(headers), timeout=TIMEOUT, transport=transport)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Return the response to a request; if it cannot be used, one with status 502 says why."""
        try:
            streamed: dict[str, Any] = {**options, "stream": True}
            response = await super().send(request, **streamed)
            kind = response.headers.get("content-type", "").lower()
            if isinstance(response.stream, httpx2.AsyncByteStream) and not response.is_closed:
                response.stream = _UntilBreak(response.stream)
            # The SDK limits the size of events; any other answer is limited here.
            if kind.startswith("text/event-stream") and options.get("stream"):
                return response
            return await _read_whole(response, request)
        except httpx2.TransportError as error:
            why = f"{request.url.host} cannot be reached: {error or type(error).__name__}"
        except (httpx2.DecodingError, _TooMuchError) as error:
            fault = error or type(error).__name__
            why = f"{request.url.host} sent an answer that cannot be used: {fault}"
        body = dump_bytes(failure(None, Code.CONNECTION_CLOSED, why))
        headers = {"content-type": "application/json"}
        return httpx2.Response(502, request=request, headers=headers, content=body)


class _TooMuchError(Exception):
    """An answer exceeds the limit for messages."""


async def _read_whole(response: httpx2.Response, request: httpx2.Request) -> httpx2.Response:
    """Read a whole response; raise `_TooMuchError` if it exceeds `MAX_BYTES` when unpacked."""
    body = bytearray()
    try:
        async for portion in response.aiter_bytes():
            if len(body) + len(portion) > MAX_BYTES:
                raise _TooMuchError(f"more than {MAX_BYTES:,} bytes")
            body += portion
    finally:
        await response.aclose()
    dropped = ("content-encoding", "content-length", "transfer-encoding")
    headers = [
        header for header in response.headers.multi_items() if header[0].lower() not in dropped
    ]
    return httpx2.Response(
        response.status_code, request=request, headers=headers, content=bytes(body)
    )


class _UntilBreak(httpx2.AsyncByteStream):
    """A stream that ends without an error where the connection breaks."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        """Keep the stream."""
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """Yield the parts of the stream up to the break."""
        try:
            async for portion in self._stream:
                yield portion
        except httpx2.TransportError:
            return

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


def plain_message(message: JSONRPCMessage) -> Message:
    """Return an SDK message as a plain one."""
    return message.model_dump(by_alias=True, exclude_unset=True, mode="json")


def sdk_message(message: Message, metadata: Any = None) -> SessionMessage:
    """Return a plain message as the SDK's streams carry it."""
    adapted = jsonrpc_message_adapter.validate_python(message, by_name=False)
    return SessionMessage(adapted, metadata)


class FromSdk:
    """Reads plain messages from an SDK stream."""

    def __init__(self, stream: Any) -> None:
        """Keep the stream."""
        self._stream = stream

    def __aiter__(self) -> FromSdk:
        """Return itself."""
        return self

    async def __anext__(self) -> Message | Exception:
        """Return the next message, or the error in its place."""
        item = await anext(self._stream)
        return plain_message(item.message) if isinstance(item, SessionMessage) else item


class ToSdk:
    """Writes plain messages to an SDK stream."""

    def __init__(self, stream: Any) -> None:
        """Keep the stream."""
        self._stream = stream

    def metadata(self, message: Message) -> Any:
        """Return the metadata of a message for the SDK; by default there is none."""
        del message

    async def send(self, message: Message, /) -> None:
        """Send a message."""
        await self._stream.send(sdk_message(message, self.metadata(message)))

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


class ToServer(ToSdk):
    """Writes messages to a server, with headers that repeat the method and its subject."""

    link: Link | None = None

    def metadata(self, message: Message) -> ClientMessageMetadata | None:
        """Return metadata with headers for a message, or None if it is ``initialize``."""
        if self.link is None or message.get("method") == "initialize":
            return None
        version_sent = meta_of(message).get(VERSION_KEY) if "method" in message else None
        version = version_sent if isinstance(version_sent, str) else self.link.version
        headers = {MCP_PROTOCOL_VERSION_HEADER: version} if version else {}
        if version is version_sent and is_request(message):
            headers |= _routing_headers(self.link, message["method"], params_of(message))
        return ClientMessageMetadata(headers=headers)


@asynccontextmanager
async def streams_to(
    url: str, headers: Mapping[str, str]
) -> AsyncGenerator[tuple[FromSdk, ToServer]]:
    """Connect to a server, yield its streams, and disconnect afterwards."""
    async with Client(headers) as client:
        streams = streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BYTES)
        async with streams as (read, write):
            yield FromSdk(read), ToServer(write)


def _routing_headers(link: Link, method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Return headers that repeat the method, subject and arguments, as newer protocols demand."""
    headers = {MCP_METHOD_HEADER: method}
    name = params.get(NAME_BEARING_METHODS.get(method, ""))
    if isinstance(name, str):
        headers[MCP_NAME_HEADER] = encode_header_value(name)
    arguments = params.get("arguments")
    if method == "tools/call" and is_object(arguments) and name in link.schemas:
        headers |= mcp_param_headers(x_mcp_header_map(link.schemas[name]), arguments)
    return headers
