"""Decides what is sent for one result: a reference, an encoded text, or the text as it came."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.agents.session.classify import has_table, is_same, json_value
from mckp.agents.session.reader import apply_lines, changes, line_diff
from mckp.agents.session.record import Delivery, Savings
from mckp.agents.session.scopes import Entry
from mckp.encoders import once
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Reference, TextLabel, read_hint, write_patch
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.parsers import parse
from mckp.parsers.detect import DocumentKind, detect
from mckp.parsers.forms import data_of
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.agents.config.settings import SessionSettings
    from mckp.agents.session.scopes import AnsweredCall, ResponseStore
    from mckp.answers.cached import Cache
    from mckp.parsers import KindName
    from mckp.plain import JsonValue
    from mckp.result import Elided, Result
    from mckp.tokenizers.base import Tokenizer

    Tried = list[tuple[str, int]]


@dataclass(frozen=True)
class ParsedResponse:
    """A response as it came, and its value, which is None if it is not a JSON object or array."""

    text: str
    value: Any
    is_data: bool
    """Whether it is JSON data, or a text with data, such as JSON lines."""

    @classmethod
    def parse(cls, text: str) -> ParsedResponse:
        """Return a text as a response, parsed if it is JSON."""
        value = json_value(text)
        return cls(text, value, value is not None or data_of(text) is not None)

    @cached_property
    def kind(self) -> KindName | None:
        """The kind of document to pass to `mckp.encode`; None to let it find out.

        It is cached, because detecting it takes long, and each way to write a response needs it.
        """
        if self.value is not None:
            return "json"
        if self.is_data:
            return None
        # JSON that is no data here is sent as a text.
        return "markdown" if detect(self.text) is DocumentKind.MARKDOWN else "text"

    def is_equal_to(self, content: JsonValue) -> bool:
        """Whether decoded content is the whole response: its text, its data, or its tree."""
        if isinstance(content, TreeNode):
            kind: KindName = "text" if content.kind is Kind.TEXT else "markdown"
            return self.value is None and content == parse(self.text, kind)
        if isinstance(content, str):
            return content == self.text
        return self.value is not None and is_same(content, self.value)


def encode(text: str, **options: Any) -> Result:
    """Return a text encoded; the steps of `mckp.encode` are loaded for the first one."""
    from mckp.api import encode as encode_document

    return encode_document(text, **options)


class DeliveryWay(NamedTuple):
    """One way to deliver a response: a body in a form, and the text to send with its label.

    A way without a label yet has neither text nor tokens. The other members are those of
    `Delivery`.
    """

    layer: str
    name: str
    form: str
    body: str
    text: str = ""
    tokens: int = 0
    elided: tuple[Elided, ...] = ()
    unmatched: tuple[str, ...] = ()


def labelled_text(body: str, form: str, number: int | None) -> str:
    """Return a body below its label; lines that look like our hints get a backslash.

    `form` is ``raw`` or ``compact``, and `number` is what references will use, or None if there
    will be none. A ``raw`` body without a number has no label.
    """
    marked = escape(body, raw=form == RAW)
    label = TextLabel(number, form)
    return marked if label == TextLabel() else f"{label}\n{marked}"


def near_texts(base: Entry, response: ParsedResponse, way: DeliveryWay) -> Iterator[str]:
    """Yield references to the earlier response `base`, each with all differences from it.

    `way` is the shortest way to send all of the new response.
    """
    if base.cut_to is None and (text := _value_reference(base, response)) is not None:
        yield text
    if base.form == way.form and base.delivered_body != way.body:
        diff = line_diff(base.delivered_body, way.body)
        is_safe = escape(diff, raw=True) == diff
        if is_safe and apply_lines(base.delivered_body, diff) == way.body:
            yield f"{write_patch(base.number)}\n{diff}"


def _value_reference(base: Entry, response: ParsedResponse) -> str | None:
    """Return a reference with the values that changed since an earlier response.

    None if either response is not data, no value or too many values changed, or the reference
    would not read back right.
    """
    old = None if response.value is None else json_value(base.text)
    differences = None if old is None else changes(old, response.value)
    if not differences:
        return None
    reference = Reference(base.number, differences)
    line = str(reference)
    # Some readers would see two lines, and the second might look like one of ours.
    is_safe = len(line.splitlines()) == 1
    return line if is_safe and read_hint(line) == reference else None


EXPLAINED: Final = "(the same text as #{} above)"
"""The line below the first reference of a context, which explains it."""

CUT_THERE: Final = "(the same text as #{0} above, which was cut; recall #{0} has the rest)"
"""The line below every reference to a text that was cut."""

_SHORT: Final = "shorter than min_body_chars: sent unchanged, and never referred to"
_ERROR: Final = "an error: sent unchanged, and never referred to"
_LEFT: Final = "the policy of this tool leaves its results unchanged"
_REPEAT: Final = "the same text as #{}, which is still in this context"
_NEAR: Final = "the same call as #{}, and the exact differences take fewer tokens"
_CUT: Final = "cut to the budget, because even the shortest whole text exceeds it ({})"
_SHORTEST: Final = "the form with the fewest tokens, label included: {}"
_RAW: Final = "unchanged, and never referred to: no other form takes fewer tokens"
_BARE: Final = "whole and without a label, because the budget has no room for one: {}"


@dataclass(slots=True)
class Draft:
    """A result that was written, but is neither kept nor delivered yet."""

    call: AnsweredCall
    response: ParsedResponse
    entry: Entry
    ways: list[DeliveryWay]
    """The ways to send all of it, the shortest first."""
    tried: Tried
    """The ways that were compared, with their tokens."""
    chosen: tuple[DeliveryWay, int | None, str]
    """The way to send it if not as a reference, the number for references to it, and the reason."""
    near: tuple[Entry, DeliveryWay] | None = None
    """An earlier result, and a reference to it that has the differences."""


class Sender:
    """Decides what to send for a call; each call brings the context that it needs.

    `last_number` is the number of the latest result that got one, and `near_ref_count` counts the
    references with differences.
    """

    def __init__(
        self,
        settings: SessionSettings,
        counter: Tokenizer,
        store: ResponseStore,
        cache: Cache | None,
    ) -> None:
        self._settings, self._counter, self._store = settings, counter, store
        self._cache = cache
        self.savings = Savings(self._counter.name, self._counter.exact)
        self.last_number = self.near_ref_count = 0

    def write_unreferenced(self, text: str, budget: int | None) -> DeliveryWay:
        """Return the way to send a text of an unknown tool, to which nothing will refer.

        A `BudgetError` is raised if nothing of it fits the budget.
        """
        if len(text) < self._settings.of("").min_body_chars:
            marked = labelled_text(text, RAW, None)
            tokens = self._counter.count(marked)
            if budget is None or tokens <= budget:
                return DeliveryWay("L3", "raw", RAW, text, marked, tokens)
        response = ParsedResponse.parse(text)
        way = self._with_labels(self._whole_ways(response, ""), None)[0]
        if budget is None or way.tokens <= budget:
            return way
        return self._best_cut_way(response, ("", ""), None, budget)

    def deliver_simple(self, call: AnsweredCall, *, is_error: bool) -> Delivery | None:
        """Return what to send for a result that need not be encoded; None for any other.

        These are short results, errors, and results that a policy leaves unchanged, as long as they
        fit the budget, and exact repeats that can become references.
        """
        settings = self._settings.of(call.tool)
        is_short, is_left = len(call.text) < settings.min_body_chars, settings.leave
        if is_error or is_short or is_left:
            entry = self._new_entry(call, 0, json_value(call.text))
            why = _ERROR if is_error else _SHORT if is_short else _LEFT
            return self._deliver_unchanged(call, entry, why)
        return self._repeat_reference(call) if settings.references else None

    def take_number(self, call: AnsweredCall) -> tuple[int, Entry | None]:
        """Return the number for a new result, and the latest earlier result of the same call.

        The latter is None if there is none, or if no reference with differences may be made.
        """
        self.last_number += 1
        limit = self._settings.near_refs_most
        may_differ = self._settings.of(call.tool).may_differ
        may_refer = may_differ and (limit is None or self.near_ref_count < limit)
        base = call.scope.near(call.tool, call.arguments_hash) if may_refer else None
        if base is not None and self._is_used_up(base, call):
            base = None
        return self.last_number, base

    def draft(self, call: AnsweredCall, number: int, base: Entry | None) -> Draft:
        """Return a result written in the shortest way that is allowed.

        `base` is an earlier result to which it may become a reference. This may take long, but it
        changes nothing. A `BudgetError` is raised if nothing of the result fits the budget.
        """
        response = ParsedResponse.parse(call.text)
        entry = self._new_entry(call, number, response.value)
        ways = self._with_labels(
            self._whole_ways(response, call.tool), self._label_number(call, entry)
        )
        entry.lossless = ways[0].tokens
        tried = [(way.name, way.tokens) for way in ways]
        draft = Draft(call, response, entry, ways, tried, (ways[0], None, _SHORTEST))
        if base is not None:
            self._draft_near_reference(draft, base)
        if draft.near is None:
            self._choose(draft)
        return draft

    def finish(self, draft: Draft) -> Delivery:
        """Return what to send for a draft, and keep its result for recall.

        It is not kept if an equal one was kept meanwhile, or if it is sent as it came without a
        label.
        """
        call, entry = draft.call, draft.entry
        # Another thread may have delivered the same text meanwhile.
        may_refer = self._settings.of(call.tool).references
        reference = self._repeat_reference(call) if may_refer else None
        if reference is not None:
            return reference
        if draft.near is not None:
            base, sent = draft.near
            if call.scope.near(call.tool, entry.call) is base:
                entry.tokens, base.referred = sent.tokens, True
                self.near_ref_count += 1
                call.scope.use(base)
                self._store.add(entry)
                return self._record(entry, sent, _NEAR.format(base.number), draft.tried)
            self._choose(draft)  # the earlier result is no longer there
        way, shown, why = draft.chosen
        if why == _RAW:
            entry.number = 0
            return self._record(entry, way, why)
        entry.form, entry.tokens = way.form, way.tokens
        entry.body = None if entry.form == RAW else way.body
        self._store.add(entry)
        if shown is not None:
            call.scope.add(entry, self._settings.lru_size)
        sizes = ", ".join(f"{name} {tokens}" for name, tokens in draft.tried)
        return self._record(entry, way, why.format(sizes), draft.tried)

    def _deliver_unchanged(self, call: AnsweredCall, entry: Entry, why: str) -> Delivery | None:
        """Return a result as it came, without a label, or None if it exceeds its budget."""
        way = self._raw_way(call)
        if not call.fits(way.tokens):
            return None
        return self._record(entry, way, why)

    def _raw_way(self, call: AnsweredCall) -> DeliveryWay:
        """Return the way to send a response as it came."""
        text = labelled_text(call.text, RAW, None)
        return DeliveryWay("L3", "raw", RAW, call.text, text, self._counter.count(text))

    def _repeat_reference(self, call: AnsweredCall) -> Delivery | None:
        """Return a reference to an earlier equal text, or None if none can be made.

        That is so if there is no such text, if it was cut for a smaller budget, or if the reference
        is longer than the text or the budget.
        """
        entry = call.scope.find(call.text)
        if entry is None or _had_less_budget(entry, call) or self._is_used_up(entry, call):
            return None
        text = self._reference_text(call, entry)
        tokens = self._counter.count(text)
        if tokens > entry.tokens or not call.fits(tokens):
            return None
        call.scope.explained = entry.referred = True
        call.scope.use(entry)
        why = _REPEAT.format(entry.number)
        return self._record(entry, DeliveryWay("L0", "hint_exact", RAW, "", text, tokens), why)

    def _is_used_up(self, entry: Entry, call: AnsweredCall) -> bool:
        """Whether nothing may refer to a text again, since it may be gone; if so, forget it."""
        if self._settings.refers_again or not entry.referred:
            return False
        call.scope.drop(entry.number)
        return True

    def _reference_text(self, call: AnsweredCall, entry: Entry) -> str:
        """Return a reference; the first one in a context, or one to a cut text, is explained."""
        line = str(Reference(entry.number))
        if entry.cut_to is not None:
            return f"{line}\n{CUT_THERE.format(entry.number)}"
        return line if call.scope.explained else f"{line}\n{EXPLAINED.format(entry.number)}"

    def _choose(self, draft: Draft) -> None:
        """Choose how to deliver a draft: in full, or if that is too long, unlabelled or cut."""
        call, ways = draft.call, draft.ways
        if not self._settings.labels_raw:
            raw = self._raw_way(call)
            if call.fits(raw.tokens) and raw.tokens <= ways[0].tokens:
                draft.chosen = raw, None, _RAW
                return
        draft.chosen = ways[0], self._label_number(call, draft.entry), _SHORTEST
        if call.budget is None or call.fits(ways[0].tokens):
            return
        way = self._with_labels(ways, None)[0]
        if call.fits(way.tokens):
            draft.tried.append((way.name, way.tokens))
            draft.chosen = way, None, _BARE
            return
        number = draft.entry.number if self._settings.labels else None
        way = self._best_cut_way(draft.response, (call.tool, call.request), number, call.budget)
        draft.tried.append(("cut", way.tokens))
        draft.entry.cut_to = call.budget if way.elided else None
        draft.chosen = way, draft.chosen[1], _CUT

    def _draft_near_reference(self, draft: Draft, base: Entry) -> None:
        """Draft a reference to `base` with differences, if it fits and is shorter than the text.

        The result is kept for recall, but nothing will refer to it.
        """
        texts = list(near_texts(base, draft.response, draft.ways[0]))
        counts = self._counter.count_batch(texts)
        draft.tried += [("hint_near", tokens) for tokens in counts]
        full_tokens = draft.ways[0].tokens
        tokens, text = min(zip(counts, texts, strict=True), default=(full_tokens, ""))
        if tokens < full_tokens and draft.call.fits(tokens):
            draft.near = base, DeliveryWay("L0", "hint_near", RAW, "", text, tokens)

    def _record(
        self, entry: Entry, way: DeliveryWay, why: str, tried: Sequence[tuple[str, int]] = ()
    ) -> Delivery:
        """Add a delivery to the savings, and return it.

        `why` is the reason in words, and `tried` has the ways that were compared with their tokens.
        """
        cut = 0 if entry.cut_to is None else entry.lossless - entry.tokens
        self.savings.note(entry.baseline, way.tokens, cut=cut, hit=way.layer == "L0")
        return Delivery(
            way.text,
            entry.number or None,
            way.layer,
            way.name,
            way.tokens,
            entry.baseline,
            cut,
            why,
            tuple(tried),
            way.elided,
            unmatched=way.unmatched,
        )

    def _label_number(self, call: AnsweredCall, entry: Entry) -> int | None:
        """Return the number for the label, or None if nothing may refer to the result."""
        may_refer = self._settings.labels and self._settings.of(call.tool).references
        return entry.number if may_refer else None

    def _new_entry(self, call: AnsweredCall, number: int, value: object) -> Entry:
        """Return a new entry for a call; `value` is its result as data, or None if it is a text."""
        entry = Entry(
            number, call.agent, call.tool, call.arguments_hash, call.file, call.text, None
        )
        whole = call.text if value is None else dump(value)
        if call.came and call.came != call.text:
            came = json_value(call.came)
            whole = call.came if came is None else dump(came)
        entry.baseline = self._counter.count(whole)
        return entry

    def _with_labels(self, ways: Iterable[DeliveryWay], number: int | None) -> list[DeliveryWay]:
        """Return ways with their texts labelled by `number`, the shortest first."""
        unlabelled = list(ways)
        texts = [labelled_text(way.body, way.form, number) for way in unlabelled]
        labelled_ways = zip(unlabelled, texts, self._counter.count_batch(texts), strict=True)
        labelled = [way._replace(text=text, tokens=tokens) for way, text, tokens in labelled_ways]
        return sorted(labelled, key=lambda way: way.tokens)

    def _best_cut_way(
        self,
        response: ParsedResponse,
        tool_and_request: tuple[str, str],
        number: int | None,
        budget: int,
    ) -> DeliveryWay:
        """Return the way that keeps most of a response within a budget.

        `tool_and_request` is the tool, and the request behind its call; `number` is for the label.
        A `BudgetError` is raised if nothing fits.
        """
        label_tokens = self._counter.count(f"{TextLabel(number, COMPACT)}\n")
        room = max(0, budget - label_tokens)
        while True:
            try:
                result = self._encode_within(response, tool_and_request, room)
            except BudgetError as error:
                raise BudgetError(budget, error.floor + max(label_tokens, budget - room)) from None
            text = labelled_text(result.text, COMPACT, number)
            tokens = self._counter.count(text)
            if tokens <= budget:
                break
            if room == 0:
                raise BudgetError(budget, tokens)
            room = max(0, room - (tokens - budget))
        way = DeliveryWay("L2", COMPACT, COMPACT, result.text, text, tokens)
        return way._replace(elided=result.elided, unmatched=result.unmatched)

    def _encode_within(
        self, response: ParsedResponse, tool_and_request: tuple[str, str], room: int
    ) -> Result:
        """Return a response encoded within `room` tokens, with the settings of the tool."""
        tool, request = tool_and_request
        settings = self._settings.of(tool)
        query = request if request and settings.heeds_request else None
        weights: Any = "salience" if settings.weights is None else settings.weights
        if not tool and response.value is None:
            weights = "facts"  # every line was asked for, so none is folded
        return encode(
            response.text,
            budget=room,
            tokenizer=self._counter,
            formats=self._formats_for(response, tool),
            kind=response.kind if response.is_data else settings.kind or response.kind,
            priorities=settings.priorities or None if response.value is not None else None,
            weights=weights,
            query=query if settings.query is None else settings.query,
            work_limit=settings.work_limit,
            fold=settings.fold,
            on_unmatched="ignore",  # results of one tool have many shapes
            cache=self._cache,
        )

    def _whole_ways(self, response: ParsedResponse, tool: str) -> Iterator[DeliveryWay]:
        """Yield the ways to send a whole response, without labels."""
        is_table = has_table(response.text) and response.kind != "text"
        if response.is_data or is_table or once.has_shared_beginnings(response.text):
            formats = self._formats_for(response, tool)
            yield DeliveryWay("L2", COMPACT, COMPACT, self._encode_whole(response, formats))
        yield DeliveryWay("L3", "raw", RAW, response.text)

    def _encode_whole(self, response: ParsedResponse, formats: tuple[str, ...]) -> str:
        """Return a response in the shortest form that keeps all of it."""
        counter, kind = self._counter, response.kind
        result = encode(
            response.text, tokenizer=counter, formats=formats, kind=kind, cache=self._cache
        )
        return result.text

    def _formats_for(self, response: ParsedResponse, tool: str) -> tuple[str, ...]:
        """Return the formats for the results of a tool."""
        return self._settings.formats if response.value is None else self._settings.of(tool).formats


def _had_less_budget(entry: Entry, call: AnsweredCall) -> bool:
    """Whether an entry was cut for a smaller budget than the call has."""
    return entry.cut_to is not None and (call.budget is None or call.budget > entry.cut_to)
