"""The way to a server over streamable HTTP: a client of the SDK, and headers of its requests."""

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
from mcp.shared.message import ClientMessageMetadata
from mcp.types import (
    CONNECTION_CLOSED,
    PROTOCOL_VERSION_META_KEY,
    JSONRPCNotification,
    JSONRPCRequest,
)

from mckp.agents.mcp.pipes import MAX_BYTES
from mckp.jsontext import dump, is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp.types import JSONRPCMessage

    from mckp.agents.mcp.link import Link

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


@asynccontextmanager
async def streams_to(url: str, headers: Mapping[str, str]) -> AsyncGenerator[Any]:
    """Get in touch with a server, and leave it again."""
    async with Client(headers) as client:
        streams = streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BYTES)
        async with streams as found:
            yield found


def metadata_of(link: Link, message: JSONRPCMessage) -> ClientMessageMetadata | None:
    if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
        return _plain_headers(link)
    if message.method == "initialize":
        return None
    params = message.params or {}
    meta = params.get("_meta")
    said = meta.get(PROTOCOL_VERSION_META_KEY) if is_object(meta) else None
    if not isinstance(said, str):
        return _plain_headers(link)
    headers = {MCP_PROTOCOL_VERSION_HEADER: said}
    if isinstance(message, JSONRPCRequest):
        headers |= _routing(link, message.method, params)
    return ClientMessageMetadata(headers=headers)


def _plain_headers(link: Link) -> ClientMessageMetadata:
    headers = {MCP_PROTOCOL_VERSION_HEADER: link.version} if link.version else {}
    return ClientMessageMetadata(headers=headers)


def _routing(link: Link, method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Return headers that say again what is asked for, as newer versions want them."""
    headers = {MCP_METHOD_HEADER: method}
    name = params.get(NAME_BEARING_METHODS.get(method, ""))
    if isinstance(name, str):
        headers[MCP_NAME_HEADER] = encode_header_value(name)
    arguments = params.get("arguments")
    if method == "tools/call" and is_object(arguments) and name in link.schemas:
        headers |= mcp_param_headers(x_mcp_header_map(link.schemas[name]), arguments)
    return headers
