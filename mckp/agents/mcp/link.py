"""The way to one server: its streams, whatever carries them."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio

from mckp.agents.mcp.pipes import child
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mckp.agents.mcp.messages import Message
    from mckp.agents.mcp.servers import ServerSpec

_GONE: Final = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class Reading(Protocol):
    """Where messages come from."""

    def __aiter__(self) -> Reading: ...
    async def __anext__(self) -> Message | Exception: ...


class Writing(Protocol):
    """Where messages go to."""

    async def send(self, message: Message, /) -> None: ...
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
    version: str = ""
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    schemas: dict[str, Any] = field(default_factory=dict[str, Any])
    noise: int = 0

    def __post_init__(self) -> None:
        made = anyio.create_memory_object_stream["Message"](math.inf)
        self._waiting, self._sent = made

    _waiting: Any = field(init=False)
    _sent: Any = field(init=False)

    def send(self, message: Message) -> None:
        """Send a message once the server takes it."""
        with suppress(*_GONE):  # what it was asked is answered once that is noticed
            self._waiting.send_nowait(message)

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

            read, write = await stack.enter_async_context(streams_to(spec.url, spec.headers))
            link = write.link = Link(spec.name, read, write)  # which knows the headers
        else:
            link = Link(spec.name, *await stack.enter_async_context(child(spec)))
        stack.callback(link.close)
        yield link
