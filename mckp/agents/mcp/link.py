"""The connection to one server: its two streams, over pipes or HTTP."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias
from uuid import uuid4

import anyio

from mckp.agents.mcp.pipes import child_streams
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from mckp.agents.mcp.messages import Message, RequestId
    from mckp.agents.mcp.servers import ServerSpec

_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)


Reading: TypeAlias = "AsyncIterator[Message | Exception]"
"""The stream from which messages come."""


class MessageWriter(Protocol):
    """The stream to which messages go."""

    async def send(self, message: Message, /) -> None:
        """Send a message."""

    async def aclose(self) -> None:
        """Close the stream."""


@dataclass(slots=True)
class Link:
    """The connection to a server.

    Messages to it wait in an unbounded queue, so a server that does not read does not hold up
    messages to others.
    """

    name: str
    read: Reading
    write: MessageWriter
    version: str = ""
    """The version of the protocol that the server speaks; empty if it is not known yet."""
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    schemas: dict[str, Any] = field(default_factory=dict[str, Any])
    """The schemas of arguments, by the server's names of its tools."""
    noise: int = 0
    """The number of unreadable messages so far."""

    def __post_init__(self) -> None:
        self._queue = anyio.create_memory_object_stream["Message"](math.inf)

    _queue: Any = field(init=False)

    def send(self, message: Message) -> None:
        """Queue a message for the server."""
        with suppress(*_GONE):  # the relay answers its open requests when it notices the end
            self._queue[0].send_nowait(message)

    async def pump(self) -> None:
        """Send the queued messages until the server is gone."""
        async with self._queue[1] as messages:
            try:
                async for message in messages:
                    await self.write.send(message)
            except _GONE:
                return

    def close(self) -> None:
        """Close the queue, so that nothing more is sent."""
        for end in self._queue:
            end.close()

    def note_greeting(self, result: Mapping[str, Any]) -> None:
        """Note what a server says about itself when it answers ``initialize`` or the like."""
        version, capabilities = result.get("protocolVersion"), result.get("capabilities")
        self.version = version if isinstance(version, str) else self.version
        self.capabilities = capabilities if is_object(capabilities) else {}


def secret_id() -> str:
    """Return an id that cannot be guessed, so that only the recipient can answer."""
    return f"mckp-{uuid4().hex}"


@dataclass(slots=True)
class Questions:
    """Requests of servers that the host has not answered."""

    has_several_servers: bool
    """Whether there are several servers, in which case secret ids replace theirs."""
    max_open: int = 256
    """The most open requests of a server."""
    _open: dict[RequestId, tuple[Link, RequestId]] = field(
        default_factory=dict["RequestId", "tuple[Link, RequestId]"]
    )

    def ask(self, link: Link, server_id: RequestId) -> RequestId | None:
        """Return the id for asking the host; None if `server_id` is in use or too many are open."""
        if self._host_id(link, server_id) is not None or len(self.open_ids(link)) == self.max_open:
            return None
        host_id = secret_id() if self.has_several_servers else server_id
        self._open[host_id] = link, server_id
        return host_id

    def close(self, host_id: RequestId) -> tuple[Link, RequestId] | None:
        """Close a request; return the server that asked and its id, or None if it is unknown."""
        return self._open.pop(host_id, None)

    def withdraw(self, link: Link, server_id: RequestId) -> RequestId | None:
        """Close a request that its server cancels; return the host's id, or None if unknown."""
        host_id = self._host_id(link, server_id)
        return None if host_id is None or self.close(host_id) is None else host_id

    def open_ids(self, link: Link) -> list[RequestId]:
        """Return the host's ids of the requests that a server has open."""
        return [host_id for host_id, (asker, _) in self._open.items() if asker is link]

    def _host_id(self, link: Link, server_id: RequestId) -> RequestId | None:
        """Return the host's id for a server's open request, or None; ``7`` and ``"7"`` differ."""
        host_ids = (
            host_id
            for host_id, (asker, other_id) in self._open.items()
            if asker is link and other_id == server_id
        )
        return next(host_ids, None)


@asynccontextmanager
async def link_to(spec: ServerSpec) -> AsyncGenerator[Link]:
    """Yield the connection to a server; start the server or connect, and end it afterwards."""
    async with AsyncExitStack() as stack:
        if spec.url:
            from mckp.agents.mcp.web import streams_to

            read, write = await stack.enter_async_context(streams_to(spec.url, spec.headers))
            link = write.link = Link(
                spec.name, read, write
            )  # its version and schemas give the headers
        else:
            link = Link(spec.name, *await stack.enter_async_context(child_streams(spec)))
        stack.callback(link.close)
        yield link
