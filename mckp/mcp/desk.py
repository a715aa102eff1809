"""All that the proxy does itself: it shortens results, lists tools, and answers for its own."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, MckpError, PathError
from mckp.jsontext import dump, is_array, is_object
from mckp.mcp.catalog import BETWEEN, Catalog, Listed, catalog, definition_of
from mckp.mcp.parts import projected
from mckp.mcp.recall import MAX_CHARS, Kept, excerpt, recalled
from mckp.mcp.servers import ProxySettings
from mckp.mcp.structured import arranged, texts_in
from mckp.session.classify import json_value
from mckp.signs import instruction
from mckp.weights.patterns import read_selection

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.session import Session

    Opens = Callable[[list[str]], Session]
    Formats = Callable[[], str | tuple[str, ...]]

_LOG: Final = logging.getLogger(__name__)

MIN_SHARE_TOKENS: Final = 48
"""Tokens below which texts of one result are joined, rather than cut one by one."""

_LABEL_TOKENS: Final = 8


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool."""

    server: str
    tool: str
    args: Any
    id: str
    fields: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What sessions and telemetry call the tool."""
        return f"mcp__{self.server}__{self.tool}"


@dataclass(slots=True)
class Delivered:
    """A result as it goes to the host."""

    result: dict[str, Any]
    numbers: list[int] = field(default_factory=list[int])


class Deliverer:
    """Makes results shorter, or leaves them as they are."""

    def __init__(
        self,
        session: Session,
        settings: ProxySettings,
        count: Callable[[str], int],
        kept: Kept | None = None,
    ) -> None:
        self._session, self._settings, self._count = session, settings, count
        self.kept = Kept() if kept is None else kept

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result; if anything fails, the result itself."""
        delivered = Delivered(result)
        try:
            return self._delivered(called, result, delivered)
        except Exception:
            _LOG.exception("%s: the result goes through as it came", called.name)
            self.gone(delivered.numbers)
            return Delivered(result)

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that texts did not reach the host, or were thrown away there."""
        for number in numbers:
            try:
                self._session.gone(number)
            except LookupError:
                _LOG.debug("#%d was forgotten already", number)

    def _delivered(self, called: Called, result: dict[str, Any], delivered: Delivered) -> Delivered:
        way = self._settings.structured_of(called.server, called.tool)
        result = delivered.result = arranged(result, way)
        blocks = result.get("content")
        places = list(texts_in(blocks)) if is_array(blocks) else []
        if not places or not is_array(blocks):
            return delivered
        limit = self._settings.limit(called.server, called.tool)
        given = [blocks[place]["text"] for place in places]
        is_error = result.get("isError") is True
        texts, notes = (given, []) if is_error else self._fields(called, given)
        if limit is not None:
            limit -= sum(map(self._count, notes))
        sent = self._as_they_came(texts, limit) if is_error else None
        if sent == given:
            return delivered
        if sent is None:
            sent = self._sent(called, texts, limit, delivered.numbers)
        kept = {place: {**blocks[place], "text": text} for place, text in zip(places, sent)}  # noqa: B905 - joined texts are fewer
        gone = set(places) - set(kept)
        content = [kept.get(n, block) for n, block in enumerate(blocks) if n not in gone]
        content += [{"type": "text", "text": note} for note in notes]
        return Delivered({**result, "content": content}, delivered.numbers)

    def _fields(self, called: Called, texts: list[str]) -> tuple[list[str], list[str]]:
        """Return texts with what is asked for only, and notes that say so."""
        fields = called.fields or self._settings.fields_of(called.server, called.tool)
        if not fields:
            return texts, []
        found, told = list(texts), ""
        for place, text in enumerate(texts):
            value = json_value(text)
            try:
                if value is not None and len(text) <= MAX_CHARS:
                    found[place] = dump(projected(value, fields))
            except PathError as error:
                told = f"{error}; " if called.fields else ""
        if found == texts and not told:
            return texts, []
        handle = self.kept.add(texts[0] if len(texts) == 1 else dump(texts))
        said = told or "only the fields asked for; "
        return found, [f"> [{said}handle {handle}]"]

    def _as_they_came(self, texts: Sequence[str], limit: int | None) -> list[str] | None:
        """Return texts with fakes marked, None if they are over the limit."""
        marked = [escape(text, raw=True) for text in texts]
        # A token has at least one character, so short texts need not be counted.
        if limit is None or sum(map(len, marked)) <= limit:
            return marked
        return marked if sum(map(self._count, marked)) <= limit else None

    def _sent(
        self, called: Called, texts: list[str], limit: int | None, numbers: list[int]
    ) -> list[str]:
        if limit is None or len(texts) == 1:
            return [self._one(called, text, limit, numbers) for text in texts]
        wants = [self._count(text) + _LABEL_TOKENS for text in texts]
        while len(texts) > 1 and sum(wants) > limit and limit < MIN_SHARE_TOKENS * len(texts):
            texts = [*texts[:-2], f"{texts[-2]}\n{texts[-1]}"]
            wants = [*wants[:-2], wants[-2] + wants[-1]]
        sent: list[str] = []
        for number, text in enumerate(texts):
            room = shares(wants[number:], limit)[0]
            sent.append(self._one(called, text, room, numbers))
            limit -= self._count(sent[-1])
        return sent

    def _one(self, called: Called, text: str, limit: int | None, numbers: list[int]) -> str:
        if len(text) > MAX_CHARS:
            return self._long(called, text, limit)
        try:
            delivery = self._session.add(
                tool=called.name, args=called.args, text=text, budget=limit, call_id=called.id
            )
        except BudgetError:
            return self._long(called, text, limit)
        if delivery.number is not None and delivery.layer != "L0":
            numbers.append(delivery.number)
            if delivery.elided:
                self.kept.cut(delivery.number, text, delivery.elided, delivery.text)
        return delivery.text

    def _long(self, called: Called, text: str, limit: int | None) -> str:
        if limit is None:
            _LOG.warning("%s: %s characters go through as they are", called.name, f"{len(text):,}")
            return escape(text, raw=True)
        return excerpt(text, limit, self.kept.add(text), self._count)


def shares(wants: Sequence[int], whole: int) -> list[int]:
    """Share a whole: who wants little gets it, and the others get equal parts of the rest.

    Examples
    --------
    >>> shares([10, 500, 900], 210), shares([10, 20], 99)
    ([10, 100, 100], [10, 20])
    """
    found = [0] * len(wants)
    left = whole
    order = sorted(range(len(wants)), key=lambda place: wants[place])
    for done, place in enumerate(order):
        found[place] = min(wants[place], left // (len(wants) - done))
        left -= found[place]
    return found


@dataclass(slots=True)
class Shadow:
    """What would have been saved, had anything been changed.

    Examples
    --------
    >>> shadow = Shadow(lambda text: len(text.split()))
    >>> long, short = ({"content": [{"type": "text", "text": "word " * n}]} for n in (40, 10))
    >>> shadow.note(long, short)
    >>> print(shadow)
    1 results of 40 tokens would have had 10 (75 % less)
    """

    count: Callable[[str], int]
    results: int = 0
    before: int = 0
    after: int = 0
    lists: str = ""

    def note(self, came: Mapping[str, Any], sent: Mapping[str, Any]) -> None:
        """Count a result as it came, and as it would have been sent."""
        self.results += 1
        self.before += self._tokens(came)
        self.after += self._tokens(sent)

    def _tokens(self, result: Mapping[str, Any]) -> int:
        blocks = result.get("content")
        texts = [blocks[place]["text"] for place in texts_in(blocks)] if is_array(blocks) else []
        if "structuredContent" in result:
            texts.append(dump(result["structuredContent"]))
        return sum(map(self.count, texts))

    def __str__(self) -> str:
        less = 100 * (1 - self.after / self.before) if self.before else 0
        said = f"{self.results:,} results of {self.before:,} tokens would have had {self.after:,}"
        return f"{said} ({less:.0f} % less){self.lists}"


class Desk:
    """Knows the tools, and the session that their results pass through."""

    def __init__(
        self, settings: ProxySettings, servers: Sequence[str], opens: Opens, formats: Formats
    ) -> None:
        self.settings, self._servers, self._opens = settings, list(servers), opens
        self._formats = formats
        self._counter = tokenizers.get(settings.tokenizer)
        self._kept = Kept()
        self._session: Session | None = None
        self._deliverer: Deliverer | None = None
        self.shadow = Shadow(self._counter.count) if settings.shadow else None
        recall = settings.recall and not settings.shadow
        self.catalog = Catalog(self._counter, own={"recall": "recall"} if recall else {})

    @property
    def several(self) -> bool:
        """Whether names of tools say which server they are of."""
        return len(self._servers) > 1

    def greet(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return what servers greet with; if they have tools, signs in results are told below."""
        if self.shadow is not None:
            return answer
        able, own = answer.get("capabilities"), answer.get("instructions")
        try:
            told = instruction(self._formats()) if is_object(able) and "tools" in able else ""
        except Exception:
            _LOG.exception("the instructions go through as they came")
            told = ""
        return {**answer, "instructions": f"{own}\n\n{told}" if own else told} if told else answer

    def list(self, found: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
        """Take what the servers list, and return what the host is to see."""
        made = catalog(found, self.settings, self._counter, several=self.several)
        if self.shadow is not None:
            tokens = f"{made.tokens:,} instead of {made.tokens_before:,}"
            self.shadow.lists = f"; the list of tools would have had {tokens}"
            bare = ProxySettings(structured={"": "keep"}, recall=False)
            made = catalog(found, bare, self._counter, several=self.several)
        self.catalog = made
        if _LOG.isEnabledFor(logging.INFO):  # counting takes a vocabulary of 60 MB
            before, now = made.tokens_before, made.tokens
            _LOG.info("%d tools; %d tokens, now %d", len(made.routes), before, now)
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

    def taken(self, found: Listed, args: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the arguments for a server, and what the host asks to be kept of the result.

        Raises
        ------
        MckpError
            If that is no list of patterns.
        """
        name = found.fields
        if not name or not is_object(args) or name not in args:
            return args, ()
        fields = args[name]
        if not is_array(fields) or not all(isinstance(each, str) for each in fields):
            raise MckpError(f"{name}: a list of patterns is needed, such as items[*].title")
        for each in fields:
            read_selection(each)
        return {key: value for key, value in args.items() if key != name}, tuple(fields)

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
        return recalled(self._opened(), self._kept, given, limit, self._counter)

    def deliver(self, called: Called, result: dict[str, Any]) -> Delivered:
        """Return what to send for a result of a server; whatever fails, there is something."""
        try:
            if self._deliverer is None:
                session = self._opened()
                count = self._counter.count
                self._deliverer = Deliverer(session, self.settings, count, self._kept)
        except Exception:
            _LOG.exception("%s: the result goes through as it came", called.name)
            return Delivered(result)
        delivered = self._deliverer.deliver(called, result)
        if self.shadow is None:
            return delivered
        self.shadow.note(result, delivered.result)
        return Delivered(result, delivered.numbers)

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
