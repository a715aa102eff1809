"""Starts servers again that have ended, when the host needs them next."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import anyio

from mckp.agents.mcp.messages import RefusedError, notification

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from mckp.agents.mcp.link import Link
    from mckp.agents.mcp.relay import Relay

    Connect = Callable[[str], AbstractAsyncContextManager[Link]]

_LOG: Final = logging.getLogger(__name__)

MOST: Final = 3
"""How often a server is started again, unless it has run for `LONG_SECONDS` since."""

LONG_SECONDS: Final = 600.0


class Revivals:
    """Starts servers again that have ended, a few times each.

    A server that ended before it greeted the host is not started again, since it would end again.
    """

    def __init__(self, relay: Relay, connect: Connect | None) -> None:
        """Prepare; `connect` starts a server by its name, and None never starts one again."""
        self._relay, self._connect = relay, connect
        self._ended: dict[str, Link] = {}
        self._starting: dict[str, Link | None] = {}  # None until there is a connection
        self._locks: dict[str, anyio.Lock] = {}
        self._counts = Counter[str]()
        self._began: dict[str, float] = {}
        self.greeting: dict[str, Any] | None = None
        """The parameters of the host's ``initialize``, or None if there was none."""

    @property
    def names(self) -> list[str]:
        """The servers that have ended and can be started again, or are being started."""
        return [*self._ended, *self._starting]

    def is_starting(self, link: Link) -> bool:
        """Whether a server is being started again."""
        return self._starting.get(link.name) is link

    def note_end(self, link: Link) -> bool:
        """Note that a server has ended; return whether it can be started again."""
        name, now = link.name, anyio.current_time()
        if now - self._began.get(name, now) > LONG_SECONDS:
            self._counts[name] = 0
        has_greeted = bool(link.version or link.schemas)
        if self._connect is None or not has_greeted or self._counts[name] >= MOST:
            return False
        self._ended[name] = link
        return True

    async def link(self, name: str) -> Link | None:
        """Return the connection to a server, which is started again if it has ended.

        None if there is no such server, or if it does not start.
        """
        async with self._locks.setdefault(name, anyio.Lock()):
            if name in self._relay.links or name not in self._ended:
                return self._relay.links.get(name)
            self._counts[name] += 1
            _LOG.warning("%s is started again (%d of %d)", name, self._counts[name], MOST)
            is_ready = anyio.Event()
            self._starting[name] = None
            self._relay.tasks.start_soon(self._run, name, self._ended.pop(name), is_ready)
            await is_ready.wait()
            return self._relay.links.get(name)

    async def _run(self, name: str, former: Link, is_ready: anyio.Event) -> None:
        """Start a server, greet it, and relay its messages until it ends."""
        assert self._connect is not None
        try:
            async with self._connect(name) as link, anyio.create_task_group() as tasks:
                self._starting[name], self._began[name] = link, anyio.current_time()

                async def follow() -> None:
                    """Handle the messages of the server until it ends."""
                    await self._relay.follow(link)
                    tasks.cancel_scope.cancel()

                tasks.start_soon(link.pump)
                tasks.start_soon(follow)
                link.schemas = former.schemas
                try:
                    await self._greet(link)
                except (RefusedError, TimeoutError) as error:
                    _LOG.error("%s could not be started again: %s", name, error or "no answer")
                    tasks.cancel_scope.cancel()
                else:
                    self._relay.links[name] = link
                    del self._starting[name]
                    is_ready.set()
        except Exception as error:  # of any kind, since the other servers go on
            _LOG.error("%s could not be started again: %s", name, error)
            self.note_end(former)
        finally:
            if not is_ready.is_set():  # if it is, the server may already be started once more
                del self._starting[name]
                is_ready.set()
                await self._relay.end_if_lost()

    async def _greet(self, link: Link) -> None:
        """Greet a server as the host has greeted it before."""
        if self.greeting is None:
            return
        with anyio.fail_after(self._relay.desk.settings.patience):
            link.note_greeting(await self._relay.ask(link, "initialize", self.greeting))
        link.send(notification("notifications/initialized"))
