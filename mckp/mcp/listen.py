"""Serving hosts over streamable HTTP: each has servers, a session and handles of its own."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import anyio
import uvicorn
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from mckp.errors import MckpError
from mckp.mcp.conversation import Conversation
from mckp.mcp.pipes import MAX_BYTES
from mckp.mcp.serve import prepare, signals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyio.abc import TaskGroup, TaskStatus
    from starlette.types import Receive, Scope, Send

    from mckp.mcp.servers import ProxySettings, ServerSpec

_LOG: Final = logging.getLogger(__name__)

PATH: Final = "/mcp"
MAX_HOSTS: Final = 64
"""Conversations at a time: each starts all servers."""

IDLE_SECONDS: Final = 30 * 60.0
"""Seconds without a request after which a conversation ends, as the SDK has it."""

_LOCAL: Final = ("127.0.0.1", "localhost", "::1")


class Hosts:
    """An application of ASGI that gives each host a conversation.

    Parameters
    ----------
    specs : sequence of ServerSpec
        What is started for each.
    settings : ProxySettings
        What may be done.
    tasks : TaskGroup
        Where conversations run.
    security : TransportSecuritySettings, optional
        Which hosts are let in; all by default.
    """

    def __init__(
        self,
        specs: Sequence[ServerSpec],
        settings: ProxySettings,
        tasks: TaskGroup,
        security: TransportSecuritySettings | None = None,
    ) -> None:
        self._specs, self._settings, self._tasks = specs, settings, tasks
        self._security = security
        self._found: dict[str, Conversation] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP."""
        request = Request(scope, receive)
        name = request.headers.get(MCP_SESSION_ID_HEADER)
        if request.url.path.rstrip("/") != PATH:
            await PlainTextResponse(f"MCP is at {PATH}\n", 404)(scope, receive, send)
        elif name is None:
            await self._open(scope, receive, send)
        elif name in self._found:
            await self._found[name].handle(scope, receive, send)
        else:
            await PlainTextResponse("no such session\n", 404)(scope, receive, send)

    async def close(self) -> None:
        """End all conversations."""
        for found in list(self._found.values()):
            await found.transport.terminate()

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self._found) >= MAX_HOSTS:
            _LOG.warning("%d hosts are served, another is refused", MAX_HOSTS)
            await PlainTextResponse("too many sessions\n", 503)(scope, receive, send)
            return
        name = uuid4().hex
        found = self._found[name] = Conversation(name, self._security, IDLE_SECONDS)
        await self._tasks.start(self._run, name, found)
        try:
            await found.handle(scope, receive, send)
        finally:
            if not found.is_greeted:
                with anyio.CancelScope(shield=True):
                    await found.transport.terminate()

    async def _run(self, name: str, found: Conversation, *, task_status: TaskStatus[None]) -> None:
        try:
            await found.run(self._specs, self._settings, task_status=task_status)
        except Exception:
            _LOG.exception("a conversation failed")
        finally:
            del self._found[name]


async def listen(
    specs: Sequence[ServerSpec],
    settings: ProxySettings,
    address: tuple[str, int],
    tell: Callable[[str], object],
) -> int:
    """Serve hosts over streamable HTTP until the process is told to end.

    Parameters
    ----------
    specs : sequence of ServerSpec
        The servers, started anew for each host.
    settings : ProxySettings
        What may be done.
    address : tuple of str and int
        A name and a port; port 0 for one that is free. At one of this machine only requests that
        call it so are let in, which keeps pages in a browser out; elsewhere all are.
    tell : callable
        Takes the address, once hosts are served there.

    Returns
    -------
    int
        The exit code of the process.

    Raises
    ------
    MckpError
        If the address cannot be used.
    """
    name, _ = address
    is_local = name in _LOCAL
    if not is_local:
        _LOG.warning("whoever reaches %s can call the servers: nothing asks who it is", name)
    with _bound(address) as bound:
        prepare(settings.tokenizer)
        async with signals(), anyio.create_task_group() as tasks:
            hosts = Hosts(specs, settings, tasks, _security() if is_local else None)
            config = uvicorn.Config(
                RequestBodyLimitMiddleware(hosts, MAX_BYTES),
                lifespan="off", ws="none", log_config=None, access_log=False,
                timeout_graceful_shutdown=1,
            )  # fmt: skip
            tell(f"http://{_in_url(name)}:{bound.getsockname()[1]}{PATH}")
            server = uvicorn.Server(config)
            tasks.start_soon(_farewell, server, hosts)
            await server.serve(sockets=[bound])
            tasks.cancel_scope.cancel()
    return 0


async def _farewell(server: uvicorn.Server, hosts: Hosts) -> None:
    """End what would otherwise be open when the server is told to end, and be cut off."""
    while not server.should_exit:
        await anyio.sleep(0.1)
    # Hosts that come again meanwhile are cut off, which would be logged as an error.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    await hosts.close()


def _bound(address: tuple[str, int]) -> socket.socket:
    name, port = address
    try:
        family, *_, place = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family)
    except (OSError, UnicodeError) as error:
        message = f"{name}:{port} cannot be listened at: {error}"
        raise MckpError(message) from error


def _security() -> TransportSecuritySettings:
    hosts = [each for name in map(_in_url, _LOCAL) for each in (name, f"{name}:*")]
    origins = [f"http://{each}" for each in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name
