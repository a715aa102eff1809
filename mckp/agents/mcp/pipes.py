"""Messages over pipes, and bytes of a server to messages: in time that grows with their number.

A server that the proxy starts, as a transport of the SDK: streams of its messages.

The SDK's own takes time with the square of a message's length (`benches/mcp_stress.py`) and ends at
bytes that are no UTF-8, so reading is done here.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import signal
import sys
from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import anyio
from anyio.abc import AsyncResource

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator

    from anyio.abc import Process
    from mcp.shared.message import SessionMessage
    from mcp_types.jsonrpc import JSONRPCMessage, RequestId

    from mckp.agents.mcp.servers import ServerSpec

    Item: TypeAlias = SessionMessage
    Received = Item | Exception
else:

    @dataclass(slots=True)
    class Item:
        """What streams carry, as the SDK's do; that takes a second to import."""

        message: JSONRPCMessage
        metadata: Any = None


MAX_BYTES: Final = 256 << 20
"""Bytes of a message. More are not kept, and whoever waits for them is told."""

READ_BYTES: Final = 1 << 18
"""Bytes that are read from a pipe at once."""

_KEPT_BYTES: Final = 1 << 12
_ID: Final = r'"id"\s*:\s*(-?[0-9]{1,18}(?![0-9.eE])|"(?:[^"\\]|\\.){0,200}")'
_FIRST: Final = re.compile(r'\s*\{(?:(?!"(?:result|error|params)").)*?' + _ID, re.DOTALL)
_LAST: Final = re.compile(r'"jsonrpc"\s*:\s*"2\.0"\s*,\s*' + _ID + r"\s*\}\s*\Z")


class Unreadable(Exception):  # noqa: N818 - what the SDK's streams carry beside messages
    """A line that is no message."""

    def __init__(self, why: str, found: RequestId | None, *, is_message: bool) -> None:
        self.id, self.is_message = found, is_message
        super().__init__(why)


class Splitter:
    r"""Cuts bytes that come in portions into lines; for one beyond `most` comes an `Unreadable`.

    Examples
    --------
    >>> splitter = Splitter()
    >>> [*splitter.feed(b"a\nb"), *splitter.feed(b"c\n\nd"), *splitter.end()]
    [b'a', b'bc', b'', b'd']
    """

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most, self._parts, self._size = most, list[bytes](), 0

    def feed(self, portion: bytes) -> Iterator[bytes | Unreadable]:
        """Yield the lines that a portion ends."""
        *ended, rest = portion.split(b"\n")
        for line in ended:
            self._keep(line)
            yield self._line()
        self._keep(rest)

    def end(self) -> Iterator[bytes | Unreadable]:
        """Yield what no line end follows."""
        if self._size:
            yield self._line()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._most:
            self._parts.append(part)
        else:
            self._parts = [b"".join(self._parts)[:_KEPT_BYTES] or part[:_KEPT_BYTES]]

    def _line(self) -> bytes | Unreadable:
        line, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size <= self._most:
            return line
        why = f"a message of {size:,} bytes, of which at most {self._most:,} are taken"
        return Unreadable(why, id_in(line.decode("utf-8", "replace")), is_message=True)


def parsed(line: bytes) -> JSONRPCMessage:
    """Return the message that a line is.

    Raises
    ------
    Unreadable
        If it is none.

    Examples
    --------
    >>> parsed(b'{"jsonrpc":"2.0","id":1,"result":{"a":"' + bytes([255]) + b'"}}').result
    {'a': '\ufffd'}
    """
    from mcp_types.jsonrpc import jsonrpc_message_adapter

    with suppress(ValueError):
        if line.lstrip()[:1] == b"{":
            return jsonrpc_message_adapter.validate_json(line, by_name=False)
    text = line.decode("utf-8", "replace")
    try:
        data: Any = json.loads(text)
        return jsonrpc_message_adapter.validate_json(_plain(data), by_name=False)
    except (ValueError, RecursionError) as error:
        why = type(error).__name__ if isinstance(error, RecursionError) else "not JSON-RPC"
        told = f"{why}: {text[:80]!r}{'…' if len(text) > 80 else ''}"
        raise Unreadable(told, id_in(text), is_message=_is_message(text)) from None


def unbatched(line: bytes) -> list[bytes]:
    """Return the messages of a batch, which the protocol had for one version; none if it is none.

    Examples
    --------
    >>> unbatched(b'[{"id": 1}, {"id": 2}]'), unbatched(b"[INFO] ready")
    ([b'{"id": 1}', b'{"id": 2}'], [])
    """
    try:
        members = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return []
    is_batch = is_array(members) and all(map(is_object, members))
    return [json.dumps(each).encode() for each in members] if is_batch else []


def _plain(data: Any) -> bytes:
    """Return JSON text without halves of characters, which no UTF-8 can hold."""
    text = json.dumps(data, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _is_message(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and (
        '"jsonrpc"' in text[:_KEPT_BYTES] or '"result"' in text[:_KEPT_BYTES]
    )


def id_in(text: str) -> RequestId | None:
    """Return the id of a damaged message, None if it cannot be told.

    Examples
    --------
    >>> id_in('{"jsonrpc":"2.0","id":7,"result":{"cont'), id_in('{"result":{"id":3}')
    (7, None)
    """
    found = _FIRST.match(text[:_KEPT_BYTES]) or _LAST.search(text[-_KEPT_BYTES:])
    if found is None:
        return None
    try:
        value: RequestId = json.loads(found[1])
    except ValueError:
        return None
    return value


GONE: Final = (
    *(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError),
    OSError,
)
"""What says that nobody is at the other end."""


class Incoming(AsyncResource):
    """Messages that come in; where a line is none, an `Unreadable`."""

    def __init__(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        self._receive, self._splitter = receive, Splitter()
        self._lines: deque[bytes | Unreadable] = deque()
        self._has_ended = False

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> Received:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if isinstance(line, Unreadable):
                    return line
                if line.lstrip()[:1] == b"[" and (members := unbatched(line)):
                    self._lines.extendleft(reversed(members))
                elif line and not line.isspace():
                    return _message(line)
            if self._has_ended:
                raise StopAsyncIteration
            await self._more()

    async def receive(self) -> Received:
        """Return the next message.

        Raises
        ------
        anyio.EndOfStream
            If there is none.
        """
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def _more(self) -> None:
        try:
            portion = await self._receive()
        except GONE:
            portion = b""
        self._has_ended = not portion
        self._lines.extend(self._splitter.feed(portion) if portion else self._splitter.end())

    async def aclose(self) -> None:
        """Read nothing more."""
        self._has_ended = True


class Outgoing(AsyncResource):
    """Messages that go out, a line each."""

    def __init__(
        self,
        send: Callable[[bytes], Awaitable[object]],
        close: Callable[[], Awaitable[object]],
    ) -> None:
        self._send, self._close = send, close

    async def send(self, item: Item, /) -> None:
        """Send a message.

        Raises
        ------
        anyio.BrokenResourceError
            If nobody is there to take it.
        """
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._send(text.encode() + b"\n")
        except GONE as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        """Say that nothing more comes."""
        with suppress(*GONE):
            await self._close()


def _message(line: bytes) -> Received:
    try:
        return Item(parsed(line))
    except Unreadable as error:
        return error


GRACE_SECONDS: Final = 0.9
"""Seconds that a server has to end once its input has, and again once it was told to.

Hosts give a process two seconds before they tell it, and two more before they kill it; a proxy that
is killed leaves its servers behind.
"""

_LOG: Final = logging.getLogger(__name__)


@asynccontextmanager
async def child(spec: ServerSpec) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """Start a server, and end it.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    process = await anyio.open_process(
        [shutil.which(spec.command) or spec.command, *spec.args],
        env={**os.environ, **spec.env},
        cwd=spec.cwd,
        stderr=None,
        start_new_session=sys.platform != "win32",
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (
            Incoming(partial(process.stdout.receive, READ_BYTES)),
            Outgoing(process.stdin.send, process.stdin.aclose),
        )
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _end(process: Process) -> None:
    if process.stdin is not None:
        with suppress(*GONE):
            await process.stdin.aclose()
    if not await _has_ended(process):
        await _kill(process)
        if not await _has_ended(process):
            _LOG.warning("the server with the process id %d does not end", process.pid)
    if process.stdout is not None:
        # What is closed before its end was read stays open.
        with suppress(*GONE), anyio.move_on_after(GRACE_SECONDS):
            while await process.stdout.receive(READ_BYTES):
                pass
        with suppress(*GONE):
            await process.stdout.aclose()


async def _kill(process: Process) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # The process leads a group of its own, in which all are that it has started.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
        with anyio.move_on_after(GRACE_SECONDS):
            while _is_there(process):
                await anyio.sleep(0.01)
            return
        os.killpg(process.pid, signal.SIGKILL)


def _is_there(process: Process) -> bool:
    """Whether anybody is left of the group of a process; asking for its code reaps the process."""
    _ = process.returncode
    try:
        os.killpg(process.pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)  # so macOS says of who was not reaped
    return True


async def _has_ended(process: Process) -> bool:
    # Not process.wait(), which also waits for all that has inherited its pipes.
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(0.01)
        return True
    return False
