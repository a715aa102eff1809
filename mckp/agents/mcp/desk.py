"""The work that the proxy does itself: shortening results, listing tools, answering its own."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.agents.host import UNKNOWN, Host, host_of
from mckp.agents.mcp.catalog import (
    BETWEEN,
    HostCatalog,
    ListedTool,
    catalog,
    most_chars,
    schema_result,
)
from mckp.agents.mcp.forged import escape_error, escape_result
from mckp.agents.mcp.messages import text_result
from mckp.agents.mcp.servers import ProxySettings, session_name
from mckp.agents.mcp.turns import Turns
from mckp.agents.mcp.wellformed import acceptable_result
from mckp.jsontext import is_object
from mckp.regexes import regex
from mckp.work import WorkLimitError, run_limited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.agents.config.settings import SessionSettings
    from mckp.agents.mcp.results import Deliverer, Shadow
    from mckp.agents.mcp.spill import Spill
    from mckp.agents.session import Session

    OpenSession = Callable[[], Session]

_LOG: Final = logging.getLogger(__name__)


_READS: Final = regex(
    r"(?:^|[_.-])(?:read|view|open|cat|show|get)(?:[_-]?(?:text|source|multiple|whole))?"
    r"[_-]?(?:files?|notebook)(?:[_-]?(?:contents?|lines|range|text))?$",
    re.IGNORECASE,
)
"""Names of tools that read files, such as ``read_text_file`` and ``get_file_contents``."""
_FILE_NAMES: Final = (
    *("path", "paths", "file", "files", "file_path", "filePath", "filename", "uri"),
    *("relative_path", "absolute_path", "target_file"),
)


REFERENCE: Final = "; > [ref #1] the same text as [#1]"
"""What the instructions say of a reference, whose own explanation may be gone from the context."""


@dataclass(frozen=True, slots=True)
class RoutedCall:
    """A tool call with its server, its time, and what the host shows of the result."""

    server: str
    tool: str
    args: Any
    fields: tuple[str, ...] = ()
    """Patterns that select parts of the result; empty for all of it."""
    at: float = 0.0
    """When the call came, by the clock of the turns."""
    most_chars: int | None = None
    """The limit that the tool declares in place of the host's, or None."""
    host: Host = UNKNOWN
    """What the host shows of the result."""

    @property
    def is_file_read(self) -> bool:
        """Whether the call reads files, which the model may edit and so needs verbatim."""
        names_file = is_object(self.args) and any(map(self.args.get, _FILE_NAMES))
        return bool(names_file) and _READS.search(self.tool) is not None

    def excess(self, texts: Sequence[str], *, is_error: bool = False) -> float:
        """Return the length of texts as a multiple of what the host shows of a result or error."""
        limit = self.host.failure_chars if is_error else None
        return self.host.excess(texts, most_chars=self.most_chars if limit is None else limit)

    @property
    def name(self) -> str:
        """The name of the tool in sessions and telemetry."""
        return session_name(self.server, self.tool)


@dataclass(slots=True)
class DeliveredResult:
    """A result for the host, the numbers of its texts, and the handles of the cut ones."""

    result: dict[str, Any]
    numbers: list[int] = field(default_factory=list[int])
    cut_handles: list[str] = field(default_factory=list[str])


class Desk:
    """Lists tools, answers calls of our own tools, and passes results through a session."""

    def __init__(
        self,
        settings: ProxySettings,
        servers: Sequence[str],
        open_session: OpenSession,
        rules: Callable[[], SessionSettings],
    ) -> None:
        self.settings, self._servers, self._open_session = settings, list(servers), open_session
        self._rules = rules
        # One thread at a time imports modules: with two, import circles among them would fail.
        self._loading = RLock()
        self._counter = tokenizers.get(settings.tokenizer)
        self._deliverer: Deliverer | None = None
        self.shadow: Shadow | None = None
        if settings.shadow:
            from mckp.agents.mcp.results import Shadow

            self.shadow = Shadow(self._counter.count)
        self.host = UNKNOWN
        self.turns = Turns(settings.turn_budget, settings.turn_pause)
        self._spill: Spill | None = None
        if settings.spill and not settings.shadow:
            from mckp.agents.mcp.spill import Spill

            self._spill = Spill(settings.spill)
        recall = settings.recall and not settings.shadow
        self.catalog = HostCatalog(
            self._counter, own_tools={settings.recall_name: "recall"} if recall else {}
        )

    @property
    def has_several_servers(self) -> bool:
        """Whether there are several servers, so that tool names begin with their server."""
        return len(self._servers) > 1

    def note_host(self, client: str | None) -> None:
        """Note which host this is, by the name that it gives itself, if any."""
        if client is not None:
            self.host = host_of(client)

    def greet(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the servers' answer to a greeting; if they have tools, it also explains our signs.

        In shadow mode it is unchanged.
        """
        if self.shadow is not None:
            return answer
        capabilities, instructions = answer.get("capabilities"), answer.get("instructions")
        try:
            with self._loading:
                from mckp.agents.session.short_names import EXPLAINED
                from mckp.answers.primer import instruction

                tools = self.catalog.own_tools.items()
                recall = next((name for name, function in tools if function == "recall"), "")
                line = ""
                if is_object(capabilities) and "tools" in capabilities:
                    rules = self._rules()
                    line = instruction(rules.formats, recall)
                    line += REFERENCE if rules.references else ""
                    line += EXPLAINED if rules.short_names else ""
        except Exception:
            _LOG.exception("the instructions could not be extended, and are passed on unchanged")
            line = ""
        text = (
            f"{instructions}\n\n{line}" if isinstance(instructions, str) and instructions else line
        )
        return {**answer, "instructions": text} if line else answer

    def list(self, by_server: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
        """Make the host's list of tools from the servers' lists; keep it and return it.

        In shadow mode, the definitions are not shortened.
        """
        several = self.has_several_servers
        with self._loading:
            host_catalog = catalog(
                by_server, self.settings, self._counter, several=several, rules=self._rules()
            )
            if self.shadow is not None:
                tokens = f"{host_catalog.tokens:,} instead of {host_catalog.tokens_before:,}"
                self.shadow.list_note = f"; the list of tools would have had {tokens}"
                kept = ProxySettings(structured={"": "keep"}, recall=False)
                host_catalog = catalog(by_server, kept, self._counter, several=several)
            self.catalog = host_catalog
        return host_catalog.tools

    def own_function(self, name: Any) -> str:
        """Return what our own tool with this name does, or an empty string if it is not ours."""
        return self.catalog.own_tools.get(name, "") if isinstance(name, str) else ""

    def find_tool(self, name: Any) -> ListedTool | None:
        """Return the tool that the host means by a name, or None if no server can have it.

        A tool that was not listed has an empty definition.
        """
        if not isinstance(name, str):
            return None
        if name in self.catalog.routes:
            return self.catalog.routes[name]
        if not self.has_several_servers:
            return ListedTool(self._servers[0], name, {})
        server, separator, tool = name.partition(BETWEEN)
        return ListedTool(server, tool, {}) if separator and server in self._servers else None

    def new_call(self, listed: ListedTool, args: Any, fields: tuple[str, ...]) -> RoutedCall:
        """Return a call with the present time, and with what the host shows of its result."""
        size, at = most_chars(listed.definition), self.turns.clock()
        return RoutedCall(listed.server, listed.tool, args, fields, at, size, self.host)

    def split_arguments(self, listed: ListedTool, args: Any) -> tuple[Any, tuple[str, ...]]:
        """Split a call's arguments into those for the server and the patterns that select parts.

        Without patterns, all of the result is kept. A `PathError` is raised unless they are a list
        of texts of an allowed size, and a `PatternError` if one is not valid. `listed` is the tool
        as the host sees it.
        """
        name = listed.fields
        if not name or not is_object(args) or name not in args:
            return args, ()
        from mckp.agents.session.selection import checked_fields

        fields = checked_fields(args[name])
        return {key: value for key, value in args.items() if key != name}, fields

    def with_ids(self, args: Any) -> Any:
        """Return the arguments of a call with ids in place of the short names of the session.

        Raises an `MckpError` for an argument that is nothing but an unknown name.
        """
        return args if self._deliverer is None else self._deliverer.session.resolve(args)

    def answer(self, function: str, args: Any) -> dict[str, Any]:
        """Return the result of one of our tools; if it fails, an error for the model.

        `function` is what the tool does: ``recall`` or ``tool_schema``.
        """
        try:
            answer = self._answer(function, args if is_object(args) else {})
            return acceptable_result(answer, reads_json=self.host.reads_json)
        except Exception:
            _LOG.exception("%s failed", function)
            return text_result(f"{function} failed; the log of the proxy says why", is_error=True)

    def _answer(self, function: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of one of our tools, or an error result if it takes too long."""
        if function == "tool_schema":
            with self._loading:
                return schema_result(self.catalog, arguments.get("name"))
        session = self._get_deliverer().session
        from mckp.agents.session.recall import answer

        limit, most_seconds = session.settings.answer_budget, self.settings.work
        try:
            text, is_error = run_limited(
                lambda: answer(session, arguments, limit, self._shown_name), most_seconds
            )
        except WorkLimitError:
            advice = "ask for less: a path, fields, offset and limit"
            why = f"the answer took over {most_seconds:g} s; {advice}"
            return text_result(why, is_error=True)
        if self.settings.turn_budget is not None:
            # A recall may exceed what the turn has left; later results of the turn get less.
            self.turns.spend(self.turns.clock(), self._counter.count(text))
        return text_result(text, is_error=is_error)

    def _shown_name(self, tool: str) -> str:
        """Return the name by which the host knows a tool of the session."""
        routes = self.catalog.routes.items()
        names = (name for name, route in routes if session_name(route.server, route.tool) == tool)
        unlisted = tool.removeprefix("mcp__")
        return next(names, unlisted if self.has_several_servers else unlisted.split(BETWEEN, 1)[-1])

    def deliver(self, call: RoutedCall, result: dict[str, Any]) -> DeliveredResult:
        """Return what to send for a server's result; if encoding fails, it is cut plainly."""
        delivered = self._shorten(call, result)
        if self.shadow is None:
            reads_json = call.host.reads_json
            delivered.result = acceptable_result(
                escape_result(delivered.result), reads_json=reads_json
            )
        return delivered

    def _shorten(self, call: RoutedCall, result: dict[str, Any]) -> DeliveredResult:
        """Return a result shortened, or cut plainly if that fails or takes too long.

        In shadow mode, what this would save is counted, and the result is unchanged.
        """
        seconds = self.settings.work
        try:
            deliverer = self._get_deliverer()
            delivered = run_limited(lambda: deliverer.deliver(call, result), seconds)
        except WorkLimitError:
            _LOG.warning("%s: writing the result took over %g s", call.name, seconds)
            return self._cut_plainly(call, result)
        except Exception:
            _LOG.exception("%s: the result could not be encoded", call.name)
            return self._cut_plainly(call, result)
        if self.shadow is None:
            return delivered
        self.shadow.note(result, delivered.result)
        return DeliveredResult(result, delivered.numbers)

    def _cut_plainly(self, call: RoutedCall, result: dict[str, Any]) -> DeliveredResult:
        """Return a result that could not be encoded, cut to its limit like any other.

        Without a limit it is unchanged; if it cannot be cut either, an error takes its place.
        """
        if self.shadow is not None:
            return DeliveredResult(result)
        try:
            limit = self._rules().of(call.name).limit
            if limit is None and self.settings.turn_budget is None:
                return DeliveredResult(result)
            return self._get_deliverer().cut_plainly(call, result)
        except Exception:
            _LOG.exception("%s: the result could not be cut, and is left out", call.name)
            why = "the result cannot be shown within its limit; the log of the proxy says why"
            return DeliveredResult(text_result(why, is_error=True))

    def safe_error(self, error: Any) -> Any:
        """Return a server's error with lines like ours escaped, or unchanged in shadow mode."""
        return escape_error(error) if self.shadow is None else error

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that the texts with these numbers did not get into the context."""
        if self._deliverer is not None:
            self._deliverer.gone(numbers)

    def compact(self) -> None:
        """Note that the host has compacted its context: nothing may refer to its texts now."""
        if self._deliverer is not None:
            self._deliverer.session.compact()

    def close(self) -> None:
        """Delete the files of whole results."""
        if self._spill is not None:
            self._spill.close()

    def prepare(self) -> None:
        """Load what the first result needs, while a server works on it; errors are logged."""
        try:
            self._get_deliverer()
        except Exception:
            _LOG.exception("the modules that shorten results cannot be loaded")

    def _get_deliverer(self) -> Deliverer:
        """Return the deliverer of results; the first call creates it and its session.

        Other threads wait until it exists.
        """
        with self._loading:
            if self._deliverer is None:
                from mckp.agents.mcp.results import Deliverer, prepare

                is_limited = self._rules().has_budgets or self.settings.turn_budget is not None
                prepare(self._counter, limited=is_limited)
                session = self._open_session()
                self._deliverer = Deliverer(session, self.settings, self.turns, self._spill)
            return self._deliverer
