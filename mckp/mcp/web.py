"""A client of HTTP for which a server that cannot be reached is an answer.

The SDK's transport ends with all that goes through it if a connection fails, so that one server
that is down would take all others with it. Here whoever asked is told, and may ask again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import httpx2
from mcp.types import CONNECTION_CLOSED

from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

TIMEOUT: Final = httpx2.Timeout(30.0, read=None)
"""Seconds to reach a server; how long an answer may take is for the host to say."""


class Client(httpx2.AsyncClient):
    """The client; see the module.

    Parameters
    ----------
    headers : mapping of str to str
        Headers of each request.
    """

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
