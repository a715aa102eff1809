"""From actions to marks: texts are measured, numbered, compared, and forgotten.

Marks from telemetry: what its events say of repeats and encoders, without any text.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp import tokenizers
from mckp.config.tuner.habits import KNAPSACK, NO_BASES, RAW, Changed, Compacted, Ended, Mark, Seen
from mckp.config.tuner.simulate import LABEL_TOKENS, NUMBER_TOKENS
from mckp.errors import MckpError
from mckp.jsontext import dump
from mckp.replay.log import Action, Compact, Edit, End, Response
from mckp.replay.run import arguments
from mckp.session import Response as Told
from mckp.session import SessionSettings
from mckp.session.layers import Layers, Way, by_name
from mckp.session.scopes import EDITS, Effect, Entry, effect_of, file_of
from mckp.session.sender import near_texts
from mckp.telemetry.event import Event
from mckp.telemetry.jsonl import parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from mckp.api import TokenizerLike
    from mckp.tokenizers.base import Tokenizer


def read_events(place: str | PathLike[str]) -> Iterator[Event]:
    """Read the events in a file, or in all files below a folder; other lines are passed over.

    So are events that tell neither content nor tokens.

    Parameters
    ----------
    place : path
        A file of JSON lines, or a folder.

    Yields
    ------
    Event
    """
    root = Path(place)
    for file in [root] if root.is_file() else sorted(root.rglob("*.jsonl")):
        with file.open("rb") as lines:
            for line in lines:
                event = parsed(line, Event)
                if event is not None and event.content_sha_prefix and event.tokens_baseline:
                    yield event


def marks_of_events(events: Iterable[Event]) -> Iterator[Mark]:
    """Turn events into marks, a session after the other as they come.

    An event says how many tokens its encoder took only where it was not a reference; of one
    that was, the text's first event tells. Near repeats are not in events, so nothing is
    concluded about them; nor is what a shell changed, so repeats after that count as repeats.

    Parameters
    ----------
    events : iterable of Event
        The events of a session one after the other.

    Yields
    ------
    Mark
    """
    session, partitions, ways = "", dict[int, int](), dict[str, dict[str, int]]()
    numbers: dict[object, int] = {}
    for event in events:
        if event.session_hash != session:
            if session:
                yield Ended()
            session, partitions = event.session_hash, {}
        agent, partition = int(event.is_sidechain), event.context_partition
        if partitions.setdefault(agent, partition) != partition:
            partitions[agent] = partition
            yield Compacted(agent)
        yield from _event_marks(event, agent, ways, numbers)
    if session:
        yield Ended()


def _event_marks(
    event: Event,
    agent: int,
    ways: dict[str, dict[str, int]],
    numbers: dict[object, int],
) -> Iterator[Mark]:
    tool, content = event.tool_name_anon, event.content_sha_prefix
    file = numbers.setdefault(("file", event.file_path_hash), len(numbers))
    if tool in EDITS:
        yield Changed(frozenset({file}))
    known = ways.get(content)
    if known is None or event.layer_used != "L0":
        known = ways[content] = {**(known or {}), **_ways(event)}
    yield Seen(
        tool,
        agent,
        content=numbers.setdefault(("content", content), len(numbers)),
        call=file,
        source=file,
        chars=event.response_chars,
        baseline=event.tokens_baseline,
        ways=known,
        shape=event.shape,
        inner=frozenset(event.inner_formats),
        columns=event.cols or 0,
        depth=event.depth or 0,
    )


def _ways(event: Event) -> dict[str, int]:
    """Return the tokens by way that an event tells, the line above taken off."""
    found, final, layer = {RAW: event.tokens_baseline}, event.tokens_final, event.layer_used
    if layer == "L1" and event.template_id:
        found[event.template_id] = max(0, final - NUMBER_TOKENS)
    elif layer == "L2":
        found[KNAPSACK] = max(0, final - NUMBER_TOKENS)
    elif layer == "L3":
        found[RAW] = max(0, final - LABEL_TOKENS) if final > event.tokens_baseline else final
    return found


class Measure:
    """Looks at texts.

    Parameters
    ----------
    settings : SessionSettings
        What sessions may do.
    tokenizer : Tokenizer
        Who counts.
    """

    def __init__(self, settings: SessionSettings, tokenizer: Tokenizer) -> None:
        self._settings, self._tokenizer = settings, tokenizer
        self._layers = Layers(settings, by_name(), tokenizer)

    def told(self, text: str) -> Told:
        """Return a response, looked at."""
        return Told.of(text, self._settings.recursion_depth)

    def ways(self, told: Told) -> list[Way]:
        """Return the ways to send it, the shortest first."""
        try:
            return self._layers.ways(told, "", None)
        except MckpError:  # what cannot be encoded is sent as it came
            tokens = self._tokenizer.count(told.text)
            return [Way("L3", "raw", RAW, told.text, told.text, tokens, tokens)]

    def facts(self, told: Told, ways: list[Way], content: int) -> Seen:
        """Return what is kept of a text, whoever asked for it."""
        tokens = {_name(way): way.tokens for way in ways}
        value, seen = told.value, told.classified
        return Seen(
            "",
            agent=0,
            content=content,
            call=0,
            source=0,
            chars=len(told.text.encode()),
            baseline=tokens[RAW] if value is None else self._tokenizer.count(dump(value)),
            ways=tokens,
            shape=seen.shape.value,
            inner=frozenset(told.inner),
            columns=seen.cols or 0,
            depth=seen.depth_max or 0,
        )

    def count(self, texts: list[str]) -> list[int]:
        """Return the tokens of some texts."""
        return self._tokenizer.count_batch(texts)


def _name(way: Way) -> str:
    """Return what marks call a way; templates may write what the knapsack's form is."""
    return {"L2": KNAPSACK, "L3": RAW}.get(way.layer, way.name)


MAX_CALLS: Final = 256
"""Calls of all agents for which texts are kept; the ones least recently made are forgotten."""

_LATEST_TEXTS: Final = 4


class Bases:
    """What was told last for each call.

    A session refers to the newest text that it delivered in full, so beside the newest ones
    the one is kept that all since could have referred to.

    Parameters
    ----------
    measure : Measure
        Counts what references would take.
    """

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._kept: OrderedDict[tuple[int, int], list[tuple[int, Entry]]] = OrderedDict()

    def have(self, agent: int, call: int, content: int) -> bool:
        """Whether nothing is there to refer to but the text itself."""
        return all(each == content for each, _ in self._kept.get((agent, call), ()))

    def add(self, agent: int, call: int, content: int, told: Told, way: Way) -> dict[int, int]:
        """Keep a text, and return the tokens of references by what they refer to."""
        kept = self._kept.setdefault((agent, call), [])
        self._kept.move_to_end((agent, call))
        if len(self._kept) > MAX_CALLS:
            self._kept.popitem(last=False)
        found = dict(self._references(kept, content, told, way))
        anchor = kept[:1]
        if not anchor or (anchor[0][0] != content and anchor[0][0] not in found):
            kept.clear()
        kept[:] = [each for each in kept if each[0] != content or each is kept[0]]
        if content not in [each for each, _ in kept]:
            kept.append((content, _entry(told, way)))
        del kept[1 : max(1, len(kept) - _LATEST_TEXTS)]
        return found

    def _references(
        self, kept: list[tuple[int, Entry]], content: int, told: Told, way: Way
    ) -> Iterator[tuple[int, int]]:
        for other, entry in kept:
            if other == content:
                continue
            tokens = min(self._measure.count(list(near_texts(entry, told, way))), default=None)
            if tokens is not None and tokens < way.tokens:
                yield other, tokens

    def forget(self, agent: int | None = None) -> None:
        """Forget what one agent was told, or all."""
        for key in [each for each in self._kept if agent in (None, each[0])]:
            del self._kept[key]


def _entry(told: Told, way: Way) -> Entry:
    body = None if way.form == RAW else way.body
    return Entry(10, "", "", "", None, told.text, body, way.form)


MIN_NEAR_BYTES: Final = 100
"""Bytes below which nobody looks for near repeats."""


class Numbers:
    """Numbers for things, the same for the same."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def __getitem__(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def clear(self) -> None:
        """Forget what was numbered."""
        self._numbers.clear()


class Marker:
    """Turns actions into marks, one at a time.

    Parameters
    ----------
    settings : SessionSettings, optional
        What sessions may do: templates and formats are tried as it says.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    """

    def __init__(
        self, settings: SessionSettings | None = None, tokenizer: TokenizerLike = "o200k"
    ) -> None:
        self._measure = Measure(settings or SessionSettings(), tokenizers.get(tokenizer))
        self._salt = secrets.token_bytes(16)
        self._facts: dict[bytes, Seen] = {}
        self._agents, self._calls, self._sources = Numbers(), Numbers(), Numbers()
        self._fresh: dict[int, Entry] = {}
        self._bases = Bases(self._measure)

    def marks(self, action: Action) -> Iterator[Mark]:
        """Yield what is kept of an action."""
        if isinstance(action, Response):
            yield from self._responded(action)
        elif isinstance(action, Edit):
            yield from self._changed(effect_of("Write", None, action.file, {}))
        elif isinstance(action, Compact):
            self._bases.forget(self._agents[action.agent])
            yield Compacted(self._agents[action.agent])
        else:
            yield from self._ended(action)

    def _responded(self, action: Response) -> Iterator[Mark]:
        args = arguments(action.args)
        file = file_of(args, action.file)
        yield from self._changed(effect_of(action.tool, args, file, {}))
        source = self._sources[action.tool, file]
        self._fresh[source] = Entry(0, "", action.tool, "", file, "", None)
        agent, call = self._agents[action.agent], self._calls[action.tool, action.args]
        facts, bases = self._looked_at(action.text, agent, call)
        own = replace(facts, endpoint=action.tool, agent=agent, call=call, source=source)
        yield replace(own, bases=bases or NO_BASES)

    def _looked_at(self, text: str, agent: int, call: int) -> tuple[Seen, Mapping[int, int]]:
        digest = blake2b(text.encode(), digest_size=16, key=self._salt).digest()
        facts = self._facts.get(digest)
        if facts is not None and self._bases.have(agent, call, facts.content):
            return facts, NO_BASES
        told = self._measure.told(text)
        ways = self._measure.ways(told)
        if facts is None:
            facts = self._measure.facts(told, ways, len(self._facts))
            self._facts[digest] = facts
        if facts.chars < MIN_NEAR_BYTES:
            return facts, NO_BASES
        return facts, self._bases.add(agent, call, facts.content, told, ways[0])

    def _changed(self, effect: Effect | None) -> Iterator[Mark]:
        """Yield which sources a call touches, of those that nothing has touched since."""
        if effect is None:
            return
        touched = frozenset(each for each, of in self._fresh.items() if effect.touches(of))
        for each in touched:
            del self._fresh[each]
        if touched:
            yield Changed(touched)

    def _ended(self, action: End) -> Iterator[Mark]:
        for numbers in (self._agents, self._calls, self._sources):
            numbers.clear()
        self._fresh.clear()
        self._bases.forget()
        yield Ended(action.model)


def marks(
    actions: Iterable[Action],
    settings: SessionSettings | None = None,
    *,
    tokenizer: TokenizerLike = "o200k",
) -> Iterator[Mark]:
    """Turn a log into marks, an action at a time.

    Parameters
    ----------
    actions : iterable of actions
        A log.
    settings : SessionSettings, optional
        What sessions may do: templates and formats are tried as it says.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.

    Yields
    ------
    Mark
        Of texts and paths there are only numbers in them, the same for the same.

    Examples
    --------
    >>> from mckp.replay import Response
    >>> seen = list(marks([Response("Read", "{}", "secret"), Response("Read", "{}", "secret")]))
    >>> [(each.content, each.ways) for each in seen]
    [(0, {'': 1}), (0, {'': 1})]
    """
    marker = Marker(settings, tokenizer)
    for action in actions:
        yield from marker.marks(action)
