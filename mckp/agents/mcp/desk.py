"""All that the proxy does itself: it shortens results, lists tools, and runs its own tools."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.agents.mcp.catalog import BETWEEN, Catalog, Listed, catalog, definition_of, most_chars
from mckp.agents.mcp.messages import told
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.turns import Turns
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.agents.mcp.results import Deliverer, Shadow
    from mckp.agents.mcp.spill import Spill
    from mckp.agents.session import Session

    Opens = Callable[[list[str]], Session]
    Formats = Callable[[], str | tuple[str, ...]]

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool, its time, and how much of the result the host shows."""

    server: str
    tool: str
    args: Any
    fields: tuple[str, ...] = ()
    at: float = 0.0
    most_chars: int | None = None

    @property
    def name(self) -> str:
        """The name of the tool in sessions and telemetry."""
        return f"mcp__{self.server}__{self.tool}"


@dataclass(slots=True)
class Delivered:
    """A result for the host, with the numbers of its texts, and of those that were cut."""

    result: dict[str, Any]
    numbers: list[int] = field(default_factory=list[int])
    cut: list[str] = field(default_factory=list[str])


class Desk:
    """Has the tools, and the session through which their results pass."""

    def __init__(
        self, settings: ProxySettings, servers: Sequence[str], opens: Opens, formats: Formats
    ) -> None:
        self.settings, self._servers, self._opens = settings, list(servers), opens
        self._formats = formats
        self._counter = tokenizers.get(settings.tokenizer)
        self._session: Session | None = None
        self._deliverer: Deliverer | None = None
        self.shadow: Shadow | None = None
        if settings.shadow:
            from mckp.agents.mcp.results import Shadow

            self.shadow = Shadow(self._counter.count)
        self.turns = Turns(settings.turn_budget, settings.turn_pause)
        self._spill: Spill | None = None
        if settings.spill and not settings.shadow:
            from mckp.agents.mcp.spill import Spill

            self._spill = Spill(settings.spill)
        recall = settings.recall and not settings.shadow
        self.catalog = Catalog(
            self._counter, own={settings.recall_name: "recall"} if recall else {}
        )

    @property
    def several(self) -> bool:
        """Whether there are several servers, so that names of tools begin with their server."""
        return len(self._servers) > 1

    def greet(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the greeting of servers; if they have tools, it also explains signs in results."""
        if self.shadow is not None:
            return answer
        able, own = answer.get("capabilities"), answer.get("instructions")
        try:
            from mckp.answers.primer import instruction

            line = instruction(self._formats()) if is_object(able) and "tools" in able else ""
        except Exception:
            _LOG.exception("the instructions go through as they came")
            line = ""
        return {**answer, "instructions": f"{own}\n\n{line}" if own else line} if line else answer

    def list(self, found: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
        """Take the lists of the servers, and return the list for the host."""
        made = catalog(found, self.settings, self._counter, several=self.several)
        if self.shadow is not None:
            tokens = f"{made.tokens:,} instead of {made.tokens_before:,}"
            self.shadow.lists = f"; the list of tools would have had {tokens}"
            bare = ProxySettings(structured={"": "keep"}, recall=False)
            made = catalog(found, bare, self._counter, several=self.several)
        self.catalog = made
        return made.tools

    def own(self, name: Any) -> str:
        """Return what our tool of a name does; an empty string if it is none of ours."""
        return self.catalog.own.get(name, "") if isinstance(name, str) else ""

    def route(self, name: Any) -> Listed | None:
        """Return the tool of a name that the host calls; None if no server has it."""
        if not isinstance(name, str):
            return None
        if name in self.catalog.routes:
            return self.catalog.routes[name]
        if not self.several:
            return Listed(self._servers[0], name, {})
        server, found, tool = name.partition(BETWEEN)
        return Listed(server, tool, {}) if found and server in self._servers else None

    def called(self, found: Listed, args: Any, fields: tuple[str, ...]) -> Called:
        """Return a call that is made now."""
        most, at = most_chars(found.definition), self.turns.clock()
        return Called(found.server, found.tool, args, fields, at, most)

    def taken(self, found: Listed, args: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the arguments for a server, and the patterns that select parts of the result."""
        name = found.fields
        if not name or not is_object(args) or name not in args:
            return args, ()
        from mckp.agents.session.selection import checked_fields

        fields = checked_fields(args[name])
        return {key: value for key, value in args.items() if key != name}, fields

    def answer(self, does: str, args: Any) -> dict[str, Any]:
        """Return the result of a tool of ours, also if something fails."""
        try:
            return self._answer(does, args if is_object(args) else {})
        except Exception:
            _LOG.exception("%s failed", does)
            return told(f"{does} failed; the log of the proxy says why", is_error=True)

    def _answer(self, does: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if does == "tool_schema":
            return definition_of(self.catalog, given.get("name"))
        from mckp.agents.session.recall import answer

        text, is_error = answer(self._opened(), given, self.settings.recall_limit)
        if self.settings.turn_budget is not None:
            # A recall gets what the turn has cut, but later results of the turn have less.
            self.turns.spend(self.turns.clock(), self._counter.count(text))
        return told(text, is_error=is_error)

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result of a server, also if something fails."""
        try:
            if self._deliverer is None:
                from mckp.agents.mcp.results import Deliverer

                self._deliverer = Deliverer(self._opened(), self.settings, self.turns, self._spill)
            delivered = self._deliverer.deliver(called, result)
        except Exception:
            _LOG.exception("%s: the result is cut without reading it", called.name)
            delivered = Delivered(result if self.shadow else self._cut(called, result))
        if self.shadow is None:
            return delivered
        self.shadow.note(result, delivered.result)
        return Delivered(result, delivered.numbers)

    def _cut(self, called: Called, result: dict[str, Any]) -> dict[str, Any]:
        from mckp.agents.mcp.results import cut_plainly

        limit = self.settings.limit(called.server, called.tool)
        return cut_plainly(result, limit, self._counter.count)

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that the host dropped texts, or never got them."""
        if self._deliverer is not None:
            self._deliverer.gone(numbers)

    def close(self) -> None:
        """Delete the files of whole results."""
        if self._spill is not None:
            self._spill.close()

    def prepare(self) -> None:
        """Load what the first result needs, while a server works on it."""
        from mckp.agents.mcp.results import prepare

        prepare(self._counter.name)

    def _opened(self) -> Session:
        if self._session is None:
            routes = self.catalog.routes.values()
            names = [Called(each.server, each.tool, None).name for each in routes]
            self._session = self._opens(names)
        return self._session
