"""The tool results of a conversation in order; each is delivered once and never changes."""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from hashlib import blake2b
from math import inf
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypedDict, TypeVar

from mckp import tokenizers
from mckp.agents.config.rules import ALL, RuleSource, ToolRule
from mckp.agents.messages.events import LOG, ResultEvent, cuts_of, report
from mckp.agents.messages.shares import LEAST, NOTE, fair_share
from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.excerpts import plain_cut
from mckp.agents.session.recall import answer
from mckp.agents.session.scopes import argument_text
from mckp.agents.session.tool import RECALL
from mckp.budgets import checked_budget
from mckp.encoders.fakes import escape
from mckp.errors import UnknownNameError, did_you_mean
from mckp.parsers.repair import repair_text
from mckp.weights.priority import Priorities
from mckp.work import run_limited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mckp.agents.config.policies import ToolPolicy
    from mckp.agents.messages.shapes import ToolText
    from mckp.agents.session import Delivery
    from mckp.answers.cached import Cache
    from mckp.api import TokenizerLike
    from mckp.plain import JsonValue

ON_ERROR: Final = ("text", "pass", "raise")
"""The ways to handle a result that cannot be encoded."""

_SHORT: Final = 8 * NOTE
"""The most characters of a text that is counted, because it may be as short as a note."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rules:
    """How results are delivered."""

    settings: SessionSettings
    tokenizer: TokenizerLike
    on_error: str = "text"
    step_budget: int | None = None
    total_budget: int | None = None
    on_event: Callable[[ResultEvent], object] | None = None
    cache: Cache | None = None
    seconds: float = inf
    checked_tools: set[str] = field(default_factory=set[str])
    """The tools whose names `check_name` has compared with those in the settings."""

    @classmethod
    def from_options(
        cls,
        *,
        settings: SessionSettings | None = None,
        budget: int | None = None,
        tokenizer: TokenizerLike = "o200k",
        leave: Iterable[str] = (),
        on_error: str = "text",
        policies: Mapping[str, ToolPolicy | int | str] | None = None,
        step_budget: int | str | None = None,
        total_budget: int | str | None = None,
        on_event: Callable[[ResultEvent], object] | None = None,
        cache: Cache | None = None,
        seconds: float | None = None,
    ) -> Rules:
        """Return the rules that options give; see `ConversationOptions`.

        A `ValueError` is raised for a malformed budget or one below `LEAST`, and an
        `UnknownNameError` for an unknown tokenizer or value of `on_error`.
        """
        if on_error not in ON_ERROR:
            raise UnknownNameError("value of on_error", on_error, ON_ERROR)
        given = () if settings is None else settings.rules
        left = [ToolRule({"leave": True}, tool, RuleSource.OPTION, "leave") for tool in leave]
        left.append(ToolRule({"leave": True}, RECALL, RuleSource.SWITCH, "the tool is ours"))
        all_settings = SessionSettings(rules=[*given, *left], budget=budget, policies=policies)
        limits = {rule.origin: rule.sets.get("budget") for rule in all_settings.rules}
        limits["step_budget"] = checked_budget(step_budget)
        limits["total_budget"] = checked_budget(total_budget)
        for name, limit in limits.items():
            if limit is not None and limit < LEAST:
                message = f"{name}={limit} leaves no room for a note on what was cut"
                raise ValueError(f"{message}; use {LEAST} or more, or None")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds={seconds!r} leaves no time; use more than 0, or None")
        tokenizers.get(tokenizer)  # an unknown name raises an error here, not later
        shared_budgets = limits["step_budget"], limits["total_budget"]
        most = inf if seconds is None else seconds
        return cls(all_settings, tokenizer, on_error, *shared_budgets, on_event, cache, most)

    def session(self, plain: Mapping[str, Any] | None = None) -> Session:
        """Return a new session, or the one that `Session.to_dict` saved as `plain`."""
        tokenizer, cache = self.tokenizer, self.cache
        if plain is None:
            return Session(self.settings, tokenizer=tokenizer, cache=cache)
        return Session.from_dict(plain, tokenizer=tokenizer, cache=cache)

    def check_name(self, tool: str) -> None:
        """Warn if no settings apply to a tool, but some are for a name that is much like its own.

        Each tool is checked only once. Other unused names in the settings are not reported, because
        their tools may still be called.
        """
        if not tool or tool in self.checked_tools:
            return
        self.checked_tools.add(tool)
        named_tools = {rule.tool for rule in self.settings.rules if rule.tool != ALL}
        if any(fnmatchcase(tool, name) for name in named_tools):
            return
        for name in sorted(named_tools - self.checked_tools):
            if tool.endswith(name):
                advice = f"write {tool!r} or '*{name}'"
            elif did_you_mean(name, [tool]):
                advice = f"write {tool!r} if you mean this tool"
            else:
                continue
            warning = "the settings for the tool %r do not apply to %r; %s"
            _LOG.warning(warning, name, tool, advice)


class Transcript:
    """Delivers the results of one conversation, one after another.

    A delivered text depends only on the results up to it, so a conversation gets the same texts in
    every process.
    """

    def __init__(self, rules: Rules, session: Session | None = None) -> None:
        """Begin a conversation, or continue one whose results so far are in a session."""
        self._rules = rules
        self.session = session or rules.session()
        self.texts: list[str] = []
        # The hash of all results, and the characters of these and of the texts sent for them.
        self.key, self.size = b"", 0
        self._step = self._spent = self._spent_in_step = self._spent_in_result = 0
        self._warned_pins = set[tuple[str, str]]()
        self._has_sent_note = False

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, with the session as plain data."""
        session = self.session
        return {**self.__dict__, "session": (session.to_dict(), session.unshown)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state, with a session of its own."""
        plain, unshown = state.pop("session")
        self.__dict__.update(state)
        self.session = self._rules.session(plain)
        self.session.unshown = unshown

    def add(self, result: ToolText) -> None:
        """Deliver one more result; if this raises an error, do what `Rules.on_error` says."""
        began, why, delivery = perf_counter(), "", None
        budget = self._token_budget(result)
        try:
            limited = partial(self._deliver, result, budget)
            text, way, delivery = run_limited(limited, self._rules.seconds)
        except Exception as error:
            if self._rules.on_error == "raise":
                raise
            way = "raw" if self._rules.on_error == "pass" else "plain"
            outcome = "is sent unchanged" if way == "raw" else "is cut without being parsed"
            _LOG.warning("a result of %r %s", result.tool, outcome, exc_info=True)
            text = result.text if way == "raw" else self._cut_plainly(result, budget)
            why = f"{type(error).__name__}: {error}"
        if way == "note":
            why = "the budget of the step or of the conversation is used up"
            level = logging.DEBUG if self._has_sent_note else logging.WARNING
            self._has_sent_note = True
            _LOG.log(level, "only a note is sent for a result of %r: %s", result.tool, why)
        self.record_sent(result, text, delivery)
        self._rules.check_name(result.tool)
        if delivery is not None and delivery.unmatched:
            self._warn_unmatched(result.tool, delivery.unmatched)
        if self._rules.on_event is not None or LOG.isEnabledFor(logging.DEBUG):
            milliseconds = 1000 * (perf_counter() - began)
            self._report(result, text, budget, milliseconds, way, why, delivery)

    def _warn_unmatched(self, tool: str, unmatched: Iterable[str]) -> None:
        """Warn of pins that matched nothing in a result of a tool, once for each tool and pin.

        Of the patterns in `unmatched`, those that are not pins are ignored.
        """
        priorities = Priorities(self._rules.settings.of(tool).priorities)
        for pattern in set(priorities.pins) & set(unmatched):
            if (tool, pattern) not in self._warned_pins:
                self._warned_pins.add((tool, pattern))
                _LOG.warning("nothing in a result of %r matches the pin %r", tool, pattern)

    def record_sent(self, result: ToolText, text: str, delivery: Delivery | None = None) -> None:
        """Record that a text was sent for a result; `delivery` has its tokens, if it is given."""
        self.key = key_after(self.key, result)
        self.texts.append(text)
        self.size += len(result.text) + len(text)
        self._charge(result, text, delivery)

    def _token_budget(self, result: ToolText) -> int | None:
        """Return the token limit of a text, or None if there is none.

        The text gets its share of what its result may have. With less than `LEAST`, only a note can
        be sent in its place.
        """
        settings = self._rules.settings
        if settings.of(result.tool).is_uncut:
            return None
        tool_budget = settings.of(result.tool).budget
        room = self._room_in_step(result.step)
        if room is not None:
            later_limits = [settings.of(later_tool).limit for later_tool in result.later]
            tool_budget = fair_share(tool_budget, later_limits, room + self._spent_in(result))
        if tool_budget is None:
            return None
        no_limits = [None] * (result.parts - result.part - 1)
        return fair_share(None, no_limits, tool_budget - self._spent_in(result))

    def _room_in_step(self, step: int) -> int | None:
        """Return how many tokens are left for the results of a step, or None for no limit.

        If the conversation has a budget, a step gets at most half of what is left of it when the
        step begins.
        """
        spent = self._spent_in_step if step == self._step else 0
        limits: list[int] = []
        if self._rules.step_budget is not None:
            limits.append(self._rules.step_budget)
        if self._rules.total_budget is not None:
            limits.append((self._rules.total_budget - (self._spent - spent)) // 2)
        return min(limits) - spent if limits else None

    def _spent_in(self, result: ToolText) -> int:
        """Return the tokens of the earlier texts of the same result."""
        return self._spent_in_result if result.part else 0

    def _deliver(self, result: ToolText, budget: int | None) -> tuple[str, str, Delivery | None]:
        """Return the text to send, its `ResultEvent.way`, and the session's delivery, if any.

        If the budget is below `LEAST`, a note is sent, or the text itself if it is not longer. A
        result whose tool is not known is encoded, but the session does not remember it.
        """
        if not result.text or self._rules.settings.of(result.tool).leave:
            return result.text, "left", None
        if budget is not None and budget < LEAST:
            text = self._omission_note(result)
            return text, "raw" if text == escape(result.text, raw=True) else "note", None
        if not result.tool:
            written = self.session.written(result.text, budget)
            return written.text, written.name, None
        added = self.session.add(
            tool=result.tool,
            args=result.args,
            text=result.text,
            budget=budget,
            is_error=result.is_error,
            request=result.request,
        )
        return added.text, added.name, added

    def _cut_plainly(self, result: ToolText, budget: int | None) -> str:
        """Return a result unparsed: all of it if it fits the budget, else its beginning and end.

        The result can be recalled, unless the session fails to keep it.
        """
        if budget is not None and budget < LEAST:
            return self._omission_note(result)
        count = self.session.tokenizer.count
        # An empty result would say that the tool found nothing.
        return plain_cut(result.text, budget, count, self._keep(result)) or "…"

    def _omission_note(self, result: ToolText) -> str:
        """Return a note in place of a text, or the text itself if a note would not be shorter.

        If a result has so many texts that there is no room for a note on each, the note is ``…``.
        """
        text = repair_text(result.text)[0]
        whole, limit = escape(text, raw=True), self._rules.settings.of(result.tool).limit
        later_count = result.parts - result.part - 1  # each needs a token at least
        room = inf if limit is None else limit - self._spent_in(result) - later_count
        if len(whole) <= _SHORT and self._count(whole) <= min(room, NOTE):
            return whole
        handle = self._keep(result)
        note = f"> [{len(text):,} characters left out{f'; recall {handle}' if handle else ''}]"
        return note if self._count(note) <= room else "…"

    def _keep(self, result: ToolText) -> str:
        """Keep a result in the session and return its handle, or an empty string if this fails."""
        with suppress(Exception):
            return f"#{self.session.keep(result.text, result.tool)}"
        return ""

    def _charge(self, result: ToolText, text: str, delivery: Delivery | None) -> None:
        """Charge the tokens of a text to its result, its step and the conversation.

        Nothing is counted if no budget depends on it.
        """
        is_shared = self._rules.step_budget is not None or self._rules.total_budget is not None
        if not is_shared and result.parts == 1:
            return
        tokens = self._count(text) if delivery is None else delivery.tokens
        self._spent_in_result = tokens + (self._spent_in_result if result.part else 0)
        if result.step != self._step:
            self._step, self._spent_in_step = result.step, 0
        self._spent += tokens
        self._spent_in_step += tokens

    def _count(self, text: str) -> int:
        """Return the number of tokens of a text or, if counting fails, the number of its bytes."""
        try:
            return self.session.tokenizer.count(text)
        except Exception:
            return len(text.encode("utf-8", "surrogatepass"))

    def _report(
        self,
        result: ToolText,
        text: str,
        budget: int | None,
        milliseconds: float,
        way: str,
        why: str,
        delivery: Delivery | None,
    ) -> None:
        """Report what became of a result, as a `ResultEvent`.

        `milliseconds` is the time that it took, `way` says what was sent, and `why` is the reason
        for a fallback.
        """
        before = self._count(result.text) if delivery is None else delivery.baseline
        after = self._count(text) if delivery is None else delivery.tokens
        cuts, notes = ((), ()) if delivery is None else (cuts_of(delivery), delivery.notes)
        unmatched = () if delivery is None else delivery.unmatched
        sizes = before, after, budget
        event = ResultEvent(
            result.tool, result.call_id, *sizes, milliseconds, way, cuts, why, notes, unmatched
        )
        report(event, self._rules.on_event)


def share_of_text(budget: int | None, text_count: int) -> int | None:
    """Return the budget of each of a result's texts, at least `LEAST`; None for no limit.

    Examples
    --------
    >>> share_of_text(100, 2), share_of_text(100, 5), share_of_text(None, 2)
    (50, 32, None)
    """
    return None if budget is None else max(LEAST, budget // text_count)


def key_after(key: bytes, result: ToolText) -> bytes:
    """Return the hash of a conversation after one more result.

    `key` is the hash before it, which is empty at the beginning.
    """
    plain = [result.tool, argument_text(result.args), result.call_id, result.is_error, result.parts]
    plain += [result.part, result.step, result.later, result.request]
    digest = blake2b(key, digest_size=16)
    for piece in (repr(plain), result.text):
        raw = piece.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw))
        digest.update(raw)
    return digest.digest()


class ConversationOptions(TypedDict, total=False):
    """The options that all conversation encoders share; each is optional.

    Attributes
    ----------
    settings : SessionSettings
        Settings of references and formats.
    budget : int or None
        The most tokens of a result, at least `mckp.agents.messages.LEAST`; by default the budget
        of the settings.
    tokenizer : str, Tokenizer or callable
        What counts tokens; "o200k" by default.
    policies : mapping of str to ToolPolicy, int or str
        How to treat the results of certain tools, by name or pattern: a
        `mckp.agents.messages.ToolPolicy`, or just a budget.
    step_budget : int or str
        The most tokens of all results between two messages of the model. Each result gets an equal
        part of what is left, but no more than its own limit; what it cannot or need not use goes
        to the others. A result for which there is no room becomes a note with its handle, of about
        13 tokens, even beyond this limit. Results that are sent unchanged count in full.
    total_budget : int or str
        The most tokens of all results of a conversation. What was sent is never rewritten, so that
        prompt caches hold; therefore a step gets at most half of what is left. Otherwise it works
        like `step_budget`.
    leave : iterable of str
        Tools whose results are sent unchanged.
    on_event : callable
        Called once for each result, with a `mckp.agents.messages.ResultEvent`. Exceptions from it
        are logged. The logger ``mckp`` also gets a line for each result at the level DEBUG.
    cache : mapping
        Where encoded results are looked up and kept, as for `mckp.encode`, so that another or a
        restarted process need not encode them again.
    seconds : float
        The most CPU time for one result, about a second for each megabyte being normal. A result
        that takes longer is treated as `on_error` says. Texts then depend on the machine.
    on_error : {"text", "pass", "raise"}
        What to do if a result cannot be encoded for any reason: by default, its beginning and end
        are sent within the budget, with a note on what is missing; ``pass`` sends it as it came,
        even over the budget; ``raise`` raises the error. ``text`` and ``pass`` log the error.
    """

    settings: SessionSettings | None
    budget: int | None
    tokenizer: TokenizerLike
    policies: Mapping[str, ToolPolicy | int | str] | None
    step_budget: int | str | None
    total_budget: int | str | None
    leave: Iterable[str]
    on_event: Callable[[ResultEvent], object] | None
    cache: Cache | None
    seconds: float | None
    on_error: Literal["text", "pass", "raise"]


def checked_options(options: ConversationOptions) -> ConversationOptions:
    """Return a caller's options unchanged; raise a `TypeError` that names an unknown one.

    Examples
    --------
    >>> checked_options({"budget": 300})
    {'budget': 300}
    """
    known = ConversationOptions.__annotations__
    for name in options:
        if name not in known:
            advice = did_you_mean(name, known)
            raise TypeError(f"unknown option {name!r};{advice} known: {', '.join(known)}")
    return options


K = TypeVar("K")
V = TypeVar("V")

MAX_CHARS: Final = 1 << 27
"""The most characters of text in one cache; the newest text is always kept."""


class Recent(Generic[K, V]):
    """A cache of the latest values, safe for threads.

    Examples
    --------
    >>> recent = Recent[str, int](2)
    >>> for number, name in enumerate("abc"):
    ...     recent.put(name, number, 1)
    >>> recent.get("a"), recent.take("c"), recent.get("c")
    (None, 2, None)
    """

    def __init__(self, max_values: int, max_size: int = MAX_CHARS) -> None:
        """Set the most values that are kept, and the most characters in all of them."""
        self._max_values, self._max_size, self._size = max_values, max_size, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without the lock."""
        with self._lock:
            return {**self.__dict__, "_values": self._values.copy(), "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the cache with a lock of its own."""
        self.__dict__.update(state)
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        with self._lock:
            entry = self._values.get(key)
        return None if entry is None else entry[0]

    def take(self, key: K) -> V | None:
        """Remove the value of a key, and return it, or None if there is none."""
        with self._lock:
            return self._pop(key)

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value, and remove the oldest other ones until there is room.

        `size` is the number of characters that the value holds.
        """
        with self._lock:
            self._pop(key)
            self._values[key] = value, size
            self._size += size
            while len(self._values) > 1 and (
                len(self._values) > self._max_values or self._size > self._max_size
            ):
                self._pop(next(iter(self._values)))

    def _pop(self, key: K) -> V | None:
        """Remove the value of a key, and return it, or None; the caller holds the lock."""
        value, size = self._values.pop(key, (None, 0))
        self._size -= size
        return value


def answer_recall(session: Session, rules: Rules, args: Mapping[str, JsonValue]) -> str:
    """Return the answer to a recall, or the text of an error for the model.

    `args` are the arguments of the call.
    """
    text, is_error = answer(session, args, rules.settings.answer_budget)
    return f"error: {text}" if is_error else text
