"""All that the proxy does itself: it shortens results, lists tools, and answers for its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.jsontext import is_object
from mckp.mcp.catalog import BETWEEN, Catalog, Listed, catalog, definition_of
from mckp.mcp.recall import Originals, recalled
from mckp.mcp.results import Called, Delivered, Deliverer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.mcp.servers import ProxySettings
    from mckp.session import Session

    Opens = Callable[[list[str]], Session]

_LOG: Final = logging.getLogger(__name__)


class Desk:
    """Knows the tools, and the session that their results pass through.

    Parameters
    ----------
    settings : ProxySettings
        What may be done.
    servers : sequence of str
        Names of the servers.
    opens : callable
        Makes the session, given the names of the tools that there are.
    """

    def __init__(self, settings: ProxySettings, servers: Sequence[str], opens: Opens) -> None:
        self.settings, self._servers, self._opens = settings, list(servers), opens
        self._counter = tokenizers.get(settings.tokenizer)
        self._originals = Originals()
        self._session: Session | None = None
        self._deliverer: Deliverer | None = None
        self.catalog = Catalog(own={"recall": "recall"} if settings.recall else {})

    @property
    def several(self) -> bool:
        """Whether names of tools say which server they are of."""
        return len(self._servers) > 1

    def list(self, found: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
        """Take what the servers list, and return what the host is to see."""
        made = catalog(found, self.settings, self._counter, several=self.several)
        self.catalog = made
        _LOG.info("%d tools; %d tokens, now %d", len(made.routes), made.tokens_before, made.tokens)
        return made.tools

    def own(self, name: Any) -> str:
        """Return what a tool of ours does, nothing if it is none."""
        return self.catalog.own.get(name, "") if isinstance(name, str) else ""

    def route(self, name: Any) -> Listed | None:
        """Return the tool that the host calls by a name; None if no server can have it."""
        if not isinstance(name, str):
            return None
        if name in self.catalog.routes:
            return self.catalog.routes[name]
        if not self.several:
            return Listed(self._servers[0], name, {})
        server, found, tool = name.partition(BETWEEN)
        return Listed(server, tool, {}) if found and server in self._servers else None

    def answer(self, does: str, args: Any) -> dict[str, Any]:
        """Return the result of a tool of ours; whatever fails, there is one."""
        try:
            return self._answer(does, args if is_object(args) else {})
        except Exception:
            _LOG.exception("%s failed", does)
            said = {"type": "text", "text": f"{does} failed; the log of the proxy says why"}
            return {"content": [said], "isError": True}

    def _answer(self, does: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if does == "tool_schema":
            return definition_of(self.catalog, given.get("name"), self._counter)
        limits = self.settings.limits
        limit = limits.get("", max(limits.values(), default=None))
        return recalled(self._opened(), self._originals, given, limit, self._counter)

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result of a server; whatever fails, there is something."""
        try:
            if self._deliverer is None:
                session = self._opened()
                count = self._counter.count
                self._deliverer = Deliverer(session, self.settings, count, self._originals)
        except Exception:
            _LOG.exception("%s: the result goes through as it came", called.name)
            return Delivered(result)
        return self._deliverer.deliver(called, result)

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that the host threw texts away, or never got them."""
        if self._deliverer is not None:
            self._deliverer.gone(numbers)

    def _opened(self) -> Session:
        if self._session is None:
            routes = self.catalog.routes.values()
            names = [Called(each.server, each.tool, None, "").name for each in routes]
            self._session = self._opens(names)
        return self._session
