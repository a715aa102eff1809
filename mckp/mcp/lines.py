r"""Bytes of a server to messages: in time that grows with their number, and within bounds.

Where a line is no message, as much is found out as can be, so that whoever waits for it is
told: bytes that are no UTF-8 and lone surrogates are replaced, and of a line that was cut the
id is looked for.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from mcp.types import jsonrpc_message_adapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.types import JSONRPCMessage, RequestId

MOST: Final = 256 << 20
"""Bytes of a message. More are not kept, and whoever waits for them is told."""

_KEPT: Final = 1 << 12
_ID: Final = r'"id"\s*:\s*(-?[0-9]{1,18}(?![0-9.eE])|"(?:[^"\\]|\\.){0,200}")'
_FIRST: Final = re.compile(r'\s*\{(?:(?!"(?:result|error|params)").)*?' + _ID, re.DOTALL)
_LAST: Final = re.compile(r'"jsonrpc"\s*:\s*"2\.0"\s*,\s*' + _ID + r"\s*\}\s*\Z")


class Unreadable(Exception):  # noqa: N818 - what the SDK's streams carry beside messages
    """A line that is no message.

    Attributes
    ----------
    id : int, str or None
        The id in it, if one can be made out.
    is_message : bool
        Whether it looks like one that was damaged, and not like a line of a log.
    """

    def __init__(self, why: str, found: RequestId | None, *, is_message: bool) -> None:
        self.id, self.is_message = found, is_message
        super().__init__(why)


class Splitter:
    r"""Cuts bytes that come in portions into lines.

    Parameters
    ----------
    most : int
        Bytes of a line. Of a longer one only the beginning is kept, and an `Unreadable`
        stands for it.

    Examples
    --------
    >>> splitter = Splitter()
    >>> [*splitter.feed(b"a\nb"), *splitter.feed(b"c\n\nd"), *splitter.end()]
    [b'a', b'bc', b'', b'd']
    """

    def __init__(self, most: int = MOST) -> None:
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
            self._parts = [b"".join(self._parts)[:_KEPT] or part[:_KEPT]]

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
    try:
        if line.lstrip()[:1] == b"{":
            return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    text = line.decode("utf-8", "replace")
    try:
        data: Any = json.loads(text)
        return jsonrpc_message_adapter.validate_json(_plain(data), by_name=False)
    except (ValueError, RecursionError) as error:
        why = type(error).__name__ if isinstance(error, RecursionError) else "not JSON-RPC"
        told = f"{why}: {text[:80]!r}{'…' if len(text) > 80 else ''}"
        raise Unreadable(told, id_in(text), is_message=_is_message(text)) from None


def _plain(data: Any) -> bytes:
    """Return JSON text without halves of characters, which no UTF-8 can hold."""
    text = json.dumps(data, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _is_message(text: str) -> bool:
    return text.lstrip()[:1] == "{" and ('"jsonrpc"' in text[:_KEPT] or '"result"' in text[:_KEPT])


def id_in(text: str) -> RequestId | None:
    """Return the id of a damaged message, None if it cannot be told.

    Examples
    --------
    >>> id_in('{"jsonrpc":"2.0","id":7,"result":{"cont'), id_in('{"result":{"id":3}')
    (7, None)
    """
    found = _FIRST.match(text[:_KEPT]) or _LAST.search(text[-_KEPT:])
    if found is None:
        return None
    try:
        value: RequestId = json.loads(found[1])
    except ValueError:
        return None
    return value
