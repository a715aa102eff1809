"""A conversation's tool results, one by one: what was said already is only referred to."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from mckp import tokenizers
from mckp.encoders.hints import Reference
from mckp.errors import ParseError
from mckp.jsontext import canonical, dump
from mckp.paths import as_path, content_at
from mckp.session.classify import Shape, classify, inner_formats
from mckp.session.content import json_value
from mckp.session.delivery import Delivery, Tried
from mckp.session.endpoint import anonymous, endpoint_class, hashed
from mckp.session.event import ResponseEvent
from mckp.session.layers import Layers, Way, delivered
from mckp.session.lines import RAW, explained
from mckp.session.mutations import effect_of, file_of
from mckp.session.near import near_texts
from mckp.session.policy import HintGate
from mckp.session.savings import Savings
from mckp.session.scopes import MAIN, Scope, Scopes
from mckp.session.settings import SessionSettings
from mckp.session.store import Entry, Store
from mckp.session.templates import Response, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mckp.api import TokenizerLike
    from mckp.session.templates import Template

FORMAT: Final = 1
"""The version of what `Session.to_dict` writes."""

_SHORT: Final = "shorter than min_body_chars: sent as it came, and never referred to"
_ERROR: Final = "an error is sent as it came, and never referred to"
_REPEAT: Final = "the same text as #{}, which is still in this context"
_NEAR: Final = "the same call as #{}, and the exact differences take fewer tokens"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call, and its result."""

    tool: str
    args: Any
    text: str
    file: str | None
    agent: str
    budget: int | None
    call_id: str
    scope: Scope

    @property
    def key(self) -> str:
        """A hash of the arguments."""
        return hashed(_spelled(self.args), "", 32)


class Session:
    r"""Remembers what was delivered, and so delivers less.

    Results go through four layers: an exact or near repeat becomes a reference to a text
    that was delivered in the same context and is still there (L0); else a template (L1) or
    the knapsack (L2) writes it if that takes fewer tokens than sending it as it came (L3).
    One lock guards each session, so threads may share it.

    Parameters
    ----------
    settings : SessionSettings, optional
        The knobs.
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts, as for `mckp.encode`.
    templates : iterable of Template
        Templates of your own; to be tried, their names have to be among the active ones or
        the overrides of the settings.
    on_event : callable, optional
        Told about each response.
    session_id : str, optional
        What events are told apart by; random by default.
    clock : callable
        Returns seconds since 1970.

    Examples
    --------
    >>> session = Session()
    >>> log = "\n".join(f"step {n} of the build is done" for n in range(12))
    >>> session.add(tool="Bash", args={"command": "cat log"}, text=log).text.splitlines()[:2]
    ['> [#1]', 'step 0 of the build is done']
    >>> print(session.add(tool="Read", file="log", text=log).text)
    > [ref #1]
    (the same text as #1 above)
    >>> session.recall("#1") == log, round(session.savings.dedup_savings_pct)
    (True, 43)
    """

    def __init__(
        self,
        settings: SessionSettings | None = None,
        *,
        tokenizer: TokenizerLike = "o200k",
        templates: Iterable[Template] = (),
        on_event: Callable[[ResponseEvent], object] | None = None,
        session_id: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings = SessionSettings() if settings is None else settings
        self.session_id = uuid4().hex if session_id is None else session_id
        self._counter = tokenizers.get(tokenizer)
        self._layers = Layers(self.settings, by_name(templates), self._counter)
        self._on_event, self._clock = on_event, clock
        self._lock, self._last, self._scopes = RLock(), 0, Scopes()
        self._store = Store(self.settings.max_bytes, self._scopes.drop)
        self._gate = HintGate(self.settings)
        self._savings = Savings(self._counter.name, self._counter.exact)

    def add(
        self,
        *,
        tool: str,
        text: str,
        args: Any = None,
        file: str | None = None,
        agent: str = MAIN,
        budget: int | None = None,
        call_id: str = "",
        is_error: bool = False,
    ) -> Delivery:
        """Return what to send for a tool's result. It counts as sent once this returns.

        Parameters
        ----------
        tool : str
            The tool's name.
        text : str
            The result.
        args : optional
            The arguments of the call. Only results of the same call are compared for near
            repeats.
        file : str, optional
            The file or folder that it is about; by default an argument says.
        agent : str, default "main"
            Whose context it goes to.
        budget : int, optional
            Tokens that it may have; by default that of the settings.
        call_id : str
            What the call is known by, for events.
        is_error : bool
            Whether the call failed.

        Raises
        ------
        BudgetError
            If nothing of it fits the budget.
        ParseError
            If the text has a lone surrogate, and so cannot be counted.
        """
        with self._lock:
            limit = self.settings.budget if budget is None else budget
            found = file_of(args, file)
            scope = self._scopes.of(agent)
            call = _Call(tool, args, text, found, agent, limit, call_id, scope)
            effect = effect_of(tool, args, found, self.settings.invalidates)
            if effect is not None:
                self._scopes.spoil(effect)
            delivery = self._delivered(call, is_error=is_error)
        if self._on_event is not None:
            self._on_event(delivery.event)
        return delivery

    def compact(self, agent: str = MAIN) -> None:
        """Note that an agent's context was compacted: nothing in it is referred to any more."""
        with self._lock:
            self._scopes.of(agent).compact()

    def end(self, agent: str) -> None:
        """Note that a sub-agent has ended."""
        with self._lock:
            self._scopes.end(agent)

    def changed(self, file: str | None = None) -> None:
        """Note that a file or folder, or any, was changed by something that is no tool."""
        with self._lock:
            effect = effect_of("Write", None, file, {})
            if effect is not None:
                self._scopes.spoil(effect)

    def gone(self, number: int) -> None:
        """Note that a text was taken out of its context, or never arrived there."""
        with self._lock:
            self._scopes.drop(self._store.get(number))

    def recall(self, handle: int | str, path: str | Iterable[str | int] | None = None) -> Any:
        """Return a response as it came, or a part of its data.

        Parameters
        ----------
        handle : int or str
            Its number, or a text such as ``#3``.
        path : str or iterable of str and int, optional
            A place in its data, such as ``$.jobs[3]``.

        Raises
        ------
        PathError
            If there is no such response, or nothing at that place; also if it was forgotten,
            as the oldest are where `SessionSettings.max_bytes` is reached.
        """
        number = int(handle.lstrip("#")) if isinstance(handle, str) else handle
        with self._lock:
            text = self._store.get(number).text
        return text if path is None else content_at(json_value(text), as_path(path))

    @property
    def savings(self) -> Savings:
        """What was saved so far."""
        with self._lock:
            return replace(self._savings)

    def to_dict(self) -> dict[str, Any]:
        """Return all of the session as plain data that JSON can hold, texts included."""
        with self._lock:
            return {
                "format": FORMAT,
                "session_id": self.session_id,
                "settings": self.settings.to_dict(),
                "last": self._last,
                "entries": self._store.to_list(),
                "scopes": self._scopes.to_dict(),
                "hints": dict(self._gate.written),
                "savings": asdict(self._savings),
            }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        tokenizer: TokenizerLike = "o200k",
        templates: Iterable[Template] = (),
        on_event: Callable[[ResponseEvent], object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Session:
        """Return the session that `to_dict` wrote; what it cannot write is given again.

        Raises
        ------
        ValueError
            If the data is of another version.
        """
        if data.get("format") != FORMAT:
            raise ValueError(f"a session of format {data.get('format')!r}; only {FORMAT} is read")
        made = cls(
            SessionSettings.from_dict(data["settings"]),
            tokenizer=tokenizer,
            templates=templates,
            on_event=on_event,
            session_id=data["session_id"],
            clock=clock,
        )
        made._fill(data)
        return made

    def _fill(self, data: Mapping[str, Any]) -> None:
        self._last = data["last"]
        self._store.fill(data["entries"])
        self._scopes.fill(data["scopes"], self._store.get)
        self._gate.fill(data["hints"])
        self._savings = Savings(**data["savings"])

    def _delivered(self, call: _Call, *, is_error: bool) -> Delivery:
        if is_error or _is_below(self.settings.min_body_chars, call.text):
            return self._as_it_came(call, _ERROR if is_error else _SHORT)
        if self.settings.enabled_per_endpoint.get(call.tool, True):
            entry = call.scope.find(call.text)
            if entry is not None and not _shows_less(entry, call.budget):
                repeated = self._repeated(call, entry)
                if repeated is not None:
                    return repeated
        return self._in_full(call)

    def _as_it_came(self, call: _Call, why: str) -> Delivery:
        text = delivered(call.text, RAW, None)
        value = json_value(call.text)
        baseline = self._counter.count(call.text if value is None else dump(value))
        tokens = self._counter.count(text)
        entry = Entry(0, call.agent, call.tool, "", call.file, call.text, None)
        entry.baseline, entry.tokens, entry.lossless = baseline, tokens, tokens
        entry.digest, entry.shape = self._digest(call.text), Shape.UNKNOWN.value
        return self._told(call, entry, text, "L3", "raw", why, tokens=tokens)

    def _repeated(self, call: _Call, entry: Entry) -> Delivery | None:
        """Return a reference, if one is allowed and shorter than the text."""
        if not self._gate.allows("reference"):
            return None
        text = self._with_words(str(Reference(entry.number)), call.scope, entry)
        tokens = self._counter.count(text)
        if tokens > min(entry.tokens, call.budget if call.budget is not None else tokens):
            return None
        self._gate.note("reference")
        call.scope.explained = True
        call.scope.use(entry)
        why = _REPEAT.format(entry.number)
        return self._told(call, entry, text, "L0", "hint_exact", why, tokens=tokens)

    def _with_words(self, line: str, scope: Scope, entry: Entry) -> str:
        verbosity = self.settings.hint_verbosity
        if verbosity == "verbose" or (verbosity == "standard" and not scope.explained):
            return f"{line}\n{explained(entry.number)}"
        return line

    def _in_full(self, call: _Call) -> Delivery:
        """Deliver a response that is no exact repeat."""
        response = self._response(call.text)
        digest = self._digest(call.text)
        self._last += 1
        shown = self._shown_number(call)
        ways = self._layers.ways(response, call.tool, shown)
        tried = [Tried(way.layer, way.name, way.tokens) for way in ways]
        baseline = self._baseline(response, ways)
        entry = Entry(self._last, call.agent, call.tool, call.key, call.file, call.text, None)
        entry.baseline, entry.digest, entry.lossless = baseline, digest, ways[0].tokens
        entry.shape, entry.inner = response.classified.shape.value, response.inner
        near = self._near(call, response, entry, ways[0], tried)
        if near is not None:
            return near
        return self._sent(call, response, entry, ways, tried)

    def _sent(
        self, call: _Call, response: Response, entry: Entry, ways: list[Way], tried: list[Tried]
    ) -> Delivery:
        way = ways[0]
        if call.budget is not None and way.tokens > call.budget:
            number = entry.number if self._gate.allows("label") else None
            way = self._layers.cut(response, number, call.budget, way.tokens)
            entry.cut_to = call.budget if way.elided else None
            tried.append(Tried(way.layer, "cut", way.tokens))
        entry.form, entry.tokens = way.form, way.tokens
        entry.body = None if way.form == RAW else way.body
        self._store.add(entry)
        if self._shown_number(call) is not None:
            self._gate.note("label")
            call.scope.add(entry, self.settings.lru_size)
        why = _chosen(way, tried)
        told = self._told(call, entry, way.text, way.layer, way.name, why, tokens=way.tokens)
        return _with(told, tried, way)

    def _near(
        self, call: _Call, response: Response, entry: Entry, way: Way, tried: list[Tried]
    ) -> Delivery | None:
        """Return a reference with a delta, if one is allowed and shorter than the text."""
        base = call.scope.near(call.tool, call.key) if self._may_be_near(call) else None
        if base is None:
            return None
        texts = list(near_texts(base, response, way))
        counts = self._counter.count_batch(texts)
        tried += [Tried("L0", "hint_near", tokens) for tokens in counts]
        most = way.tokens - 1 if call.budget is None else min(way.tokens - 1, call.budget)
        tokens, text = min(zip(counts, texts, strict=True), default=(most + 1, ""))
        if tokens > most:
            return None
        self._gate.note("near_ref")
        call.scope.use(base)
        self._keep_unreferred(entry, tokens)
        why = _NEAR.format(base.number)
        told = self._told(call, entry, text, "L0", "hint_near", why, tokens=tokens)
        return _with(told, tried, None)

    def _may_be_near(self, call: _Call) -> bool:
        enabled = self.settings.enabled_per_endpoint.get(call.tool, True)
        return enabled and self.settings.near_ref_enabled and self._gate.allows("near_ref")

    def _keep_unreferred(self, entry: Entry, tokens: int) -> None:
        """Keep a response to be recalled; no reference ever points to a reference."""
        entry.tokens = tokens
        self._store.add(entry)

    def _shown_number(self, call: _Call) -> int | None:
        """Return the number for the label; None if nothing may refer to it."""
        if not self.settings.enabled_per_endpoint.get(call.tool, True):
            return None
        may_refer = self._gate.allows("reference") and self._gate.allows("label")
        return self._last if may_refer else None

    def _response(self, text: str) -> Response:
        value = json_value(text)
        found = inner_formats(text, value, depth=self.settings.recursion_depth)
        return Response(text, value, classify(text, value), found)

    def _baseline(self, response: Response, ways: Iterable[Way]) -> int:
        if response.value is not None:
            return self._counter.count(dump(response.value))
        return self._counter.count(response.text)

    def _digest(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            place = error.start
            raise ParseError(f"a lone surrogate at character {place} is not text") from None
        return hashed(text, self.settings.salt, 32)

    def _told(
        self, call: _Call, entry: Entry, text: str, layer: str, name: str, why: str, *, tokens: int
    ) -> Delivery:
        """Count a response, and record it."""
        hit = layer == "L0"
        is_cut = entry.cut_to is not None
        cut = entry.lossless - entry.tokens if is_cut else 0
        self._savings.note(entry.baseline, tokens, cut=cut, hit=hit)
        event = self._event(call, entry, layer, name, (tokens, cut))
        number = entry.number or None
        return Delivery(text, number, layer, name, tokens, entry.baseline, why, (), (), event)

    def _event(
        self, call: _Call, entry: Entry, layer: str, name: str, counts: tuple[int, int]
    ) -> ResponseEvent:
        salt = self.settings.salt
        return ResponseEvent(
            session_hash=hashed(self.session_id, salt, 16),
            tool_call_id_hash=hashed(call.call_id, salt),
            tool_name_anon=anonymous(call.tool, salt),
            endpoint_class=endpoint_class(call.tool, call.args, salt),
            response_chars=_bytes(call.text),
            shape=entry.shape,
            inner_formats=entry.inner,
            content_sha_prefix=entry.digest,
            file_path_hash=None if call.file is None else hashed(call.file, salt),
            is_dedup_hit=layer == "L0",
            layer_used=layer,
            template_id=name,
            tokens_baseline=entry.baseline,
            tokens_final=counts[0],
            context_partition=call.scope.partition,
            is_sidechain=call.agent != MAIN,
            ts_ms=int(self._clock() * 1000),
            tokens_cut=counts[1],
        )


def _chosen(way: Way, tried: Iterable[Tried]) -> str:
    counts = ", ".join(f"{each.name} {each.tokens}" for each in tried)
    if way.elided:
        return f"cut to the budget; the shortest whole text was over it ({counts})"
    return f"the fewest tokens, label included: {counts}"


def _with(delivery: Delivery, tried: Iterable[Tried], way: Way | None) -> Delivery:
    return replace(delivery, tried=tuple(tried), elided=() if way is None else way.elided)


def _shows_less(entry: Entry, budget: int | None) -> bool:
    """Whether parts of a text were cut that would not be cut now."""
    return entry.cut_to is not None and (budget is None or budget > entry.cut_to)


def _is_below(least: int, text: str) -> bool:
    return len(text) < least and _bytes(text) < least


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _spelled(args: Any) -> str:
    try:
        return canonical(args)
    except (TypeError, ValueError):
        return repr(args)
