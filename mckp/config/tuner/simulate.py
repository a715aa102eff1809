"""What a session would have written and saved under other settings, told from marks alone."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mckp.config.config import Config
from mckp.config.hints import HINTS
from mckp.config.resolving import SessionContext, resolve
from mckp.config.settings import settings_of
from mckp.config.tuner.habits import KNAPSACK, RAW, Changed, Compacted, Mark, Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.config.settings import SessionSettings


class Layer(StrEnum):
    """What became of a response."""

    REFERENCE = "reference"
    NEAR = "near_reference"
    ENCODED = "encoded"
    PLAIN = "plain"


@dataclass(slots=True)
class Sum:
    """Responses, and their tokens before and after."""

    events: int = 0
    baseline: int = 0
    final: int = 0

    def add(self, other: Sum) -> None:
        """Add another sum to this one."""
        self.events += other.events
        self.baseline += other.baseline
        self.final += other.final

    @property
    def saved(self) -> int:
        """Tokens saved; below 0 if more were written than there were."""
        return self.baseline - self.final


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


BASELINE: Final = "json_compact"
"""What savings are relative to: data as compact JSON, any other text as it came."""


@dataclass(slots=True)
class LayerSavings:
    """Tokens by endpoint and layer.

    Attributes
    ----------
    sums : dict
        By endpoint, then by layer.

    Examples
    --------
    >>> savings = LayerSavings()
    >>> savings.add("Read", Layer.REFERENCE, baseline=100, final=10)
    >>> savings.add("Read", Layer.ENCODED, baseline=300, final=270)
    >>> savings.dedup, savings.encoder, savings.combined
    (0.225, 0.1, 0.3)
    """

    sums: dict[str, dict[Layer, Sum]] = field(
        default_factory=lambda: defaultdict(lambda: {layer: Sum() for layer in Layer})
    )

    def add(self, endpoint: str, layer: Layer, baseline: int, final: int) -> None:
        """Count one response."""
        found = self.sums[endpoint][layer]
        found.events += 1
        found.baseline += baseline
        found.final += final

    def of(self, *layers: Layer) -> Sum:
        """Return the sum over all endpoints of some layers, of all if none is named."""
        total = Sum()
        for by_layer in self.sums.values():
            for layer in layers or Layer:
                total.add(by_layer[layer])
        return total

    def only(self, endpoint: str) -> LayerSavings:
        """Return the part of one endpoint."""
        return LayerSavings({endpoint: self.sums[endpoint]})

    @property
    def tokens(self) -> int:
        """Tokens written in all."""
        return self.of().final

    @property
    def exact(self) -> float:
        """Share of all baseline tokens that references to exact repeats save."""
        return _share(self.of(Layer.REFERENCE).saved, self.of().baseline)

    @property
    def near(self) -> float:
        """Share of all baseline tokens that references to near repeats save."""
        return _share(self.of(Layer.NEAR).saved, self.of().baseline)

    @property
    def dedup(self) -> float:
        """Share of all baseline tokens that references of both kinds save: column one."""
        found = self.of(Layer.REFERENCE, Layer.NEAR)
        return _share(found.saved, self.of().baseline)

    @property
    def encoder(self) -> float:
        """Share of the tokens of all other responses that encoding saves: column two."""
        found = self.of(Layer.ENCODED, Layer.PLAIN)
        return _share(found.saved, found.baseline)

    @property
    def combined(self) -> float:
        """Share of all baseline tokens that is saved: column three."""
        return _share(self.of().saved, self.of().baseline)

    def to_dict(self) -> dict[str, object]:
        """Return the columns, and what they are made of, as plain data."""
        layers = {layer.value: _plain(self.of(layer)) for layer in Layer}
        return {
            "baseline": BASELINE,
            "dedup_savings_pct": round(100 * self.dedup, 2),
            "encoder_savings_pct": round(100 * self.encoder, 2),
            "combined_savings_pct": round(100 * self.combined, 2),
            "exact_pct": round(100 * self.exact, 2),
            "near_pct": round(100 * self.near, 2),
            "layers": layers,
        }


def _plain(found: Sum) -> dict[str, int]:
    return {"events": found.events, "baseline": found.baseline, "final": found.final}


def settings_by(table: Mapping[str, Any], endpoints: Iterable[str] = ()) -> SessionSettings:
    """Return what sessions go by under a configuration as TOML has it.

    Parameters
    ----------
    table : mapping
        What the file says.
    endpoints : iterable of str
        The tools that matter.

    Examples
    --------
    >>> table = {"endpoint_overrides": {"Read": {"dedup_enabled": False}}}
    >>> settings_by(table, ["Read", "Grep"]).enabled_per_endpoint
    {'Read': False}
    """
    found = resolve(Config.of_table(dict(table)), SessionContext())
    return settings_of(found, ([name] for name in endpoints))


LABEL_TOKENS: Final = 5
"""Tokens of the line above a text that can be referred to."""

NUMBER_TOKENS: Final = 2
"""Tokens more of a line that says how a text is written, if it can be referred to."""

REFERENCE_TOKENS: Final = 6
"""Tokens of a reference to an earlier text."""

EXPLANATION_TOKENS: Final = 8
"""Tokens of the line that explains it."""


@dataclass(slots=True)
class Entry:
    """A text that was delivered."""

    content: int
    call: int
    source: int
    tokens: int
    stale: bool = False


class Context:
    """The texts of one agent that can be referred to, the newest last.

    Parameters
    ----------
    size : int
        How many there are at most.
    """

    def __init__(self, size: int) -> None:
        self._size, self._last = size, 0
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._by_content: dict[int, int] = {}
        self.explained = False

    def exact(self, content: int) -> Entry | None:
        """Return a text that says the same, unless what it tells may have changed."""
        number = self._by_content.get(content)
        entry = None if number is None else self._entries[number]
        return None if entry is None or entry.stale else entry

    def near(self, call: int, window: int | None) -> Entry | None:
        """Return the newest text of the same call, among so many of the newest."""
        newest = islice(reversed(self._entries.values()), window)
        return next((each for each in newest if each.call == call), None)

    def use(self, entry: Entry) -> None:
        """Note that a reference was made to a text, which then counts as new."""
        number = next(n for n in reversed(self._entries) if self._entries[n] is entry)
        self._entries.move_to_end(number)

    def add(self, entry: Entry) -> None:
        """Add a text; the oldest goes if there are too many."""
        self._last += 1
        self._entries[self._last] = entry
        self._by_content[entry.content] = self._last
        if len(self._entries) > self._size:
            number, oldest = self._entries.popitem(last=False)
            if self._by_content.get(oldest.content) == number:
                del self._by_content[oldest.content]

    def change(self, sources: frozenset[int]) -> None:
        """Note what may have changed."""
        for entry in self._entries.values():
            entry.stale = entry.stale or entry.source in sources


class Simulation:
    """A session that is played from marks.

    Parameters
    ----------
    settings : SessionSettings
        What it may do.
    """

    def __init__(self, settings: SessionSettings) -> None:
        self._settings = settings
        self._near_rule = {**HINTS, **settings.hints}["near_ref"]
        self._contexts: dict[int, Context] = {}
        self._near = 0
        self.savings = LayerSavings()

    def play(self, mark: Mark) -> None:
        """Take in what happened next."""
        if isinstance(mark, Seen):
            layer, tokens = self._delivered(mark)
            self.savings.add(mark.endpoint, layer, mark.baseline, tokens)
        elif isinstance(mark, Changed):
            for context in self._contexts.values():
                context.change(mark.sources)
        elif isinstance(mark, Compacted):
            self._contexts.pop(mark.agent, None)
        else:
            self._contexts.clear()
            self._near = 0

    def _delivered(self, mark: Seen) -> tuple[Layer, int]:
        settings = self._settings
        if mark.chars < settings.least_body(mark.endpoint):
            return Layer.PLAIN, mark.ways[RAW]
        if not settings.may_refer(mark.endpoint):
            return self._written(mark, 0, 0)
        context = self._contexts.get(mark.agent)
        if context is None:
            context = self._contexts[mark.agent] = Context(settings.lru_size)
        tokens = self._exact(mark, context)
        if tokens is not None:
            return Layer.REFERENCE, tokens
        layer, whole = self._written(mark, LABEL_TOKENS, NUMBER_TOKENS)
        tokens = self._nearly(mark, context, whole)
        if tokens is not None:
            return Layer.NEAR, tokens
        context.add(Entry(mark.content, mark.call, mark.source, whole))
        return layer, whole

    def _exact(self, mark: Seen, context: Context) -> int | None:
        """Return the tokens of a reference to the same text, if there may be one."""
        entry = context.exact(mark.content)
        if entry is None:
            return None
        verbosity = self._settings.hint_verbosity
        explains = verbosity == "verbose" or (verbosity == "standard" and not context.explained)
        tokens = REFERENCE_TOKENS + explains * EXPLANATION_TOKENS
        if max(tokens, self._settings.least_gain * REFERENCE_TOKENS) > entry.tokens:
            return None
        context.explained = True
        context.use(entry)
        return tokens

    def _nearly(self, mark: Seen, context: Context, whole: int) -> int | None:
        """Return the tokens of a reference with a delta, if there may be one."""
        settings, rule = self._settings, self._near_rule
        is_allowed = settings.near_ref_enabled and rule.enabled
        may_be = is_allowed and mark.bases and self._near < rule.max_per_session
        entry = context.near(mark.call, settings.near_window) if may_be else None
        tokens = None if entry is None else mark.bases.get(entry.content)
        if entry is None or tokens is None or tokens >= whole:
            return None
        self._near += 1
        context.use(entry)
        return tokens

    def _written(self, mark: Seen, label: int, number: int) -> tuple[Layer, int]:
        """Return the shortest of the ways that are allowed."""
        override = self._settings.endpoint_overrides.get(mark.endpoint)
        wanted = self._settings.active_templates if override is None else (override,)
        ways = mark.ways
        found = [ways[name] + number for name in (*wanted, KNAPSACK) if name in ways]
        raw, best = ways[RAW] + label, min(found, default=None)
        return (Layer.PLAIN, raw) if best is None or raw <= best else (Layer.ENCODED, best)


def simulate(marks: Iterable[Mark], settings: SessionSettings) -> LayerSavings:
    """Return what would have been saved.

    Parameters
    ----------
    marks : iterable of marks
        What happened, in its order.
    settings : SessionSettings
        What the session would have been allowed to do.

    Returns
    -------
    LayerSavings

    Notes
    -----
    Labels and references are taken to have so many tokens each; a replay of texts, if there
    are texts, counts them.
    """
    simulation = Simulation(settings)
    for mark in marks:
        simulation.play(mark)
    return simulation.savings
