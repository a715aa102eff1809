"""JSON-RPC messages as plain objects, and their parsing from lines of bytes.

The SDK has classes for them, but these take .3 s to import, and longer to read and write.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import MAX_DEPTH, depth_of, is_array, is_object, load
from mckp.parsers.repair import repair_data, text_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

RequestId: TypeAlias = int | str
Message: TypeAlias = dict[str, Any]
"""A request has a method and an id, a notification a method, an answer a result or an error."""


class Code:
    """Error codes of the protocol and the SDK."""

    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    CONNECTION_CLOSED = -32000
    REQUEST_TIMEOUT = -32001


VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with ``initialize``."""

LISTS: Final = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Methods that request lists, each with the key of the list in the answer."""

CANCELLED: Final = "notifications/cancelled"
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""The key under which a request of a newer protocol has its version."""

CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
"""The key under which a request of a newer protocol names its client."""

KEPT_BYTES: Final = 1 << 12
"""Bytes at each end of a damaged message that are searched for its id."""

_ID: Final = r'"id"\s*:\s*(-?[0-9]{1,18}(?![0-9.eE])|"(?:[^"\\]|\\.){0,200}")'
_FIRST: Final = regex(r'\s*\{(?:(?!"(?:result|error|params)").)*?' + _ID, re.DOTALL)
_LAST: Final = regex(r'"jsonrpc"\s*:\s*"2\.0"\s*,\s*' + _ID + r"\s*\}\s*\Z")


def request(request_id: RequestId, method: str, params: dict[str, Any] | None) -> Message:
    """Return a request."""
    body = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": request_id, "method": method, **body}


def notification(method: str, params: dict[str, Any] | None = None) -> Message:
    """Return a notification."""
    return {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}


def response(request_id: RequestId, result: dict[str, Any]) -> Message:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def text_result(text: str, *, is_error: bool = False) -> dict[str, Any]:
    """Return a tool result with one text."""
    return {"content": [{"type": "text", "text": text}], **({"isError": True} if is_error else {})}


def failure(request_id: RequestId | None, code: int, why: str) -> Message:
    """Return the error that answers a request, or one without an id for an unreadable request."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": why}}


def cancellation(request_id: RequestId) -> Message:
    """Return the notification that cancels a request."""
    return notification(CANCELLED, {"requestId": request_id, "reason": "the request was cancelled"})


def is_request(message: Message) -> bool:
    """Whether a message expects an answer."""
    return "method" in message and message.get("id") is not None


def params_of(message: Message) -> dict[str, Any]:
    """Return the parameters of a message, or an empty object if it has none."""
    return message.get("params") or {}


def meta_of(message: Message) -> dict[str, Any]:
    """Return the metadata of a request, or an empty object if it has none."""
    meta = params_of(message).get("_meta")
    return meta if is_object(meta) else {}


def client_name(message: Message) -> str | None:
    """Return the name that the host gives itself in a request, or None."""
    client_info = (
        params_of(message).get("clientInfo") if message["method"] == "initialize" else None
    )
    client_info = meta_of(message).get(CLIENT_KEY) if client_info is None else client_info
    name = client_info.get("name") if is_object(client_info) else None
    return name if isinstance(name, str) else None


def progress_token(message: Message) -> Any:
    """Return the token for notifications of a request's progress, or None."""
    return meta_of(message).get("progressToken")


class RefusedError(Exception):
    """A server answered with an error, or the relay did in its place."""

    def __init__(self, error: dict[str, Any]) -> None:
        """Keep the error and its message."""
        self.error = error
        super().__init__(error["message"])


class Unreadable(Exception):  # noqa: N818 - what streams carry beside messages
    """A line that is not a message.

    `id` is the id of the message that it was meant to be, or None if that is not known.
    `is_message` says whether it looks like a damaged message, rather than something else.
    """

    def __init__(self, why: str, request_id: RequestId | None, *, is_message: bool) -> None:
        """Keep what is wrong, the id, and whether the line looks like a message."""
        self.id, self.is_message = request_id, is_message
        super().__init__(why)


def read_messages(line: bytes) -> list[Message | Unreadable]:
    r"""Return the message in a line, or all messages of a batch; none for a blank line.

    An `Unreadable` takes the place of anything that is not a message.

    Examples
    --------
    >>> line = b'{"jsonrpc":"2.0","id":1,"result":{"a":"' + bytes([255]) + b'"}}'
    >>> read_messages(line)[0]["result"]
    {'a': 'ÿ'}
    >>> read_messages(b'[{"jsonrpc":"2.0","method":"a"}, {"id": 2}]')
    [{'jsonrpc': '2.0', 'method': 'a'}, Unreadable('not JSON-RPC: \'{"id": 2}\'')]
    """
    text = text_of(line)[0]
    if not text or text.isspace():
        return []
    try:
        data = _load_json(text)
    except RecursionError:
        return [_unreadable(text, "RecursionError")]
    except ValueError:
        return [_unreadable(text)]
    if is_array(data) and data and all(map(is_object, data)):
        return [_check_message(message, json.dumps(message)) for message in data]
    return [_check_message(data, text)]


def _check_message(data: Any, text: str) -> Message | Unreadable:
    """Return parsed data if they are a message that is not too deep, else what is wrong.

    `text` is the JSON text of the data.
    """
    is_valid = _is_message(data) and depth_of(data) <= MAX_DEPTH
    return data if is_valid else _unreadable(text)


def _unreadable(text: str, why: str = "not JSON-RPC") -> Unreadable:
    """Return what replaces an unreadable line: the reason `why`, and the id if it is known."""
    message = f"{why}: {text[:80]!r}{'…' if len(text) > 80 else ''}"
    start = text[:KEPT_BYTES]
    is_message = start.lstrip()[:1] in ("{", "[") and ('"jsonrpc"' in start or '"result"' in start)
    return Unreadable(message, id_in(text), is_message=is_message)


def _load_json(text: str) -> Any:
    """Parse a JSON text, with lone surrogates replaced."""
    try:
        return load(text)
    except ValueError:
        # Lone surrogates, which JSON can escape but UTF-8 cannot encode.
        return repair_data(json.loads(text))


def _is_message(data: Any) -> bool:
    """Whether data have the form of a JSON-RPC message."""
    if not is_object(data) or data.get("jsonrpc") != "2.0":
        return False
    request_id = data.get("id")
    has_id = isinstance(request_id, int | str) and not isinstance(request_id, bool)
    if "method" in data:
        has_params = data.get("params") is None or is_object(data["params"])
        return isinstance(data["method"], str) and has_params and (has_id or request_id is None)
    if is_object(error := data.get("error")):
        is_complete = type(error.get("code")) is int and isinstance(error.get("message"), str)
        return is_complete and "id" in data and (has_id or request_id is None)
    return has_id and is_object(data.get("result"))


def id_in(text: str) -> RequestId | None:
    """Return the id of a damaged message, or None if it is not certain.

    Examples
    --------
    >>> id_in('{"jsonrpc":"2.0","id":7,"result":{"cont'), id_in('{"result":{"id":3}')
    (7, None)
    """
    match = _FIRST.match(text[:KEPT_BYTES]) or _LAST.search(text[-KEPT_BYTES:])
    if match is None:
        return None
    try:
        value: RequestId = json.loads(match[1])
    except ValueError:
        return None
    return value


def is_same_token(token: Any, other: Any) -> bool:
    """Whether two progress tokens are equal and of the same type; false if they are None."""
    return token is not None and type(token) is type(other) and bool(token == other)


def page_items(page: Mapping[str, Any], kind: str) -> list[Any]:
    """Return the items on a page of a list, which are under the key `kind`; none by default."""
    items = page.get(kind)
    return list(items) if is_array(items) else []


def is_compaction(message: Message) -> bool:
    """Whether a notification says that the host has compacted its context.

    Hosts have no common name for it yet; the names end alike.

    Examples
    --------
    >>> is_compaction(notification("notifications/mckp/compact"))
    True
    """
    method: str = message["method"]
    return method.startswith("notifications/") and method.endswith(("/compact", "/compacted"))
