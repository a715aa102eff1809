"""The connection to one server: its two streams, over pipes or HTTP."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias
from uuid import uuid4

import anyio

from mckp.agents.mcp.pipes import child
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from mckp.agents.mcp.messages import Message, RequestId
    from mckp.agents.mcp.servers import ServerSpec

_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)


Reading: TypeAlias = "AsyncIterator[Message | Exception]"
"""The stream from which messages come."""


class Writing(Protocol):
    """The stream to which messages go."""

    async def send(self, message: Message, /) -> None: ...
    async def aclose(self) -> None: ...


@dataclass(slots=True)
class Link:
    """The connection to a server.

    Messages to it wait in a queue without a bound, so a server that does not read holds up no
    messages to others.
    """

    name: str
    read: Reading
    write: Writing
    version: str = ""
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    schemas: dict[str, Any] = field(default_factory=dict[str, Any])
    noise: int = 0

    def __post_init__(self) -> None:
        self._queue = anyio.create_memory_object_stream["Message"](math.inf)

    _queue: Any = field(init=False)

    def send(self, message: Message) -> None:
        """Put a message into the queue."""
        with suppress(*_GONE):  # the relay answers its open requests when it notices the end
            self._queue[0].send_nowait(message)

    async def pump(self) -> None:
        """Send the messages of the queue, until the server is gone."""
        async with self._queue[1] as messages:
            try:
                async for message in messages:
                    await self.write.send(message)
            except _GONE:
                return

    def close(self) -> None:
        """Send nothing more."""
        for end in self._queue:
            end.close()

    def agreed(self, result: Mapping[str, Any]) -> None:
        """Note the answer to ``initialize`` or ``server/discover``."""
        version, able = result.get("protocolVersion"), result.get("capabilities")
        self.version = version if isinstance(version, str) else self.version
        self.capabilities = able if is_object(able) else {}


def secret() -> str:
    """Return an id that nobody can guess, so only who was asked can answer."""
    return f"mckp-{uuid4().hex}"


@dataclass(slots=True)
class Questions:
    """Requests of servers that the host has not answered."""

    several: bool
    """Whether there are several servers: then secret ids replace theirs."""
    most: int = 256
    """Most open requests of a server."""
    _open: dict[RequestId, tuple[Link, RequestId]] = field(
        default_factory=dict["RequestId", "tuple[Link, RequestId]"]
    )

    def ask(self, link: Link, number: RequestId) -> RequestId | None:
        """Return the id for the host's question; None if the server has asked too much."""
        if self._of(link, number) is not None or len(self.open(link)) == self.most:
            return None
        shown = secret() if self.several else number
        self._open[shown] = link, number
        return shown

    def answered(self, shown: RequestId) -> tuple[Link, RequestId] | None:
        """Return the server that asked, and its own id; None if nobody waits for an answer."""
        return self._open.pop(shown, None)

    def taken_back(self, link: Link, number: RequestId) -> RequestId | None:
        """Close a request and return the id that the host knows; None if it is not open."""
        shown = self._of(link, number)
        return None if shown is None or self.answered(shown) is None else shown

    def open(self, link: Link) -> list[RequestId]:
        """Return the ids that the host knows of a server's open requests."""
        return [shown for shown, (asker, _) in self._open.items() if asker is link]

    def _of(self, link: Link, number: RequestId) -> RequestId | None:
        """Return the id that the host knows; the ids ``7`` and ``"7"`` differ."""
        numbers = (
            n for n, (asker, its_id) in self._open.items() if asker is link and its_id == number
        )
        return next(numbers, None)


@asynccontextmanager
async def linked(spec: ServerSpec) -> AsyncGenerator[Link]:
    """Start a server, or connect to it; end it, or disconnect, afterwards."""
    async with AsyncExitStack() as stack:
        if spec.url:
            from mckp.agents.mcp.web import streams_to

            read, write = await stack.enter_async_context(streams_to(spec.url, spec.headers))
            link = write.link = Link(spec.name, read, write)  # which knows the headers
        else:
            link = Link(spec.name, *await stack.enter_async_context(child(spec)))
        stack.callback(link.close)
        yield link
