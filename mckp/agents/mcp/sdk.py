"""Streams of the SDK as streams of plain messages: for HTTP, and for hosts on Windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

if TYPE_CHECKING:
    from mcp.types import JSONRPCMessage

    from mckp.agents.mcp.messages import Message


def plain(message: JSONRPCMessage) -> Message:
    """Return a message of the SDK as a plain one."""
    return message.model_dump(by_alias=True, exclude_unset=True, mode="json")


def modelled(message: Message, metadata: Any = None) -> SessionMessage:
    """Return a plain message as the SDK's streams carry it."""
    found = jsonrpc_message_adapter.validate_python(message, by_name=False)
    return SessionMessage(found, metadata)


class FromSdk:
    """Plain messages that come from a stream of the SDK."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __aiter__(self) -> FromSdk:
        return self

    async def __anext__(self) -> Message | Exception:
        item = await anext(self._stream)
        return plain(item.message) if isinstance(item, SessionMessage) else item


class ToSdk:
    """Plain messages that go to a stream of the SDK."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def metadata(self, message: Message) -> Any:
        """Return what the SDK is told of a message."""
        del message

    async def send(self, message: Message, /) -> None:
        """Send a message."""
        await self._stream.send(modelled(message, self.metadata(message)))

    async def aclose(self) -> None:
        """Send nothing more."""
        await self._stream.aclose()
