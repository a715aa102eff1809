"""The way to one server: its streams, whatever carries them."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio

from mckp.agents.mcp.pipes import Item, child
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mcp_types.jsonrpc import JSONRPCMessage

    from mckp.agents.mcp.servers import ServerSpec

_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class Reading(Protocol):
    """Where messages come from."""

    def __aiter__(self) -> Reading: ...
    async def __anext__(self) -> Item | Exception: ...


class Writing(Protocol):
    """Where messages go to."""

    async def send(self, item: Item, /) -> None: ...
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
        made = anyio.create_memory_object_stream[Item](math.inf)
        self._waiting, self._sent = made

    _waiting: Any = field(init=False)
    _sent: Any = field(init=False)

    def send(self, message: JSONRPCMessage) -> None:
        """Send a message once the server takes it."""
        metadata = None
        if self.has_headers:
            from mckp.agents.mcp.web import metadata_of

            metadata = metadata_of(self, message)
        with suppress(*_GONE):  # what it was asked is answered once that is noticed
            self._waiting.send_nowait(Item(message, metadata))

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
            from mckp.agents.mcp.web import streams_to

            streams = streams_to(spec.url, spec.headers)
            read, write = await stack.enter_async_context(streams)
        else:
            read, write = await stack.enter_async_context(child(spec))
        link = Link(spec.name, read, write, has_headers=bool(spec.url))
        stack.callback(link.close)
        yield link
