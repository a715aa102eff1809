"""How each endpoint answers, and how sessions go: what the rules of the tuner look at.

What tuning keeps of a session: sizes, shapes, tokens and what equals what; no text, no hash.

A log of marks says enough to replay what repeats and what an encoder saves, under any
configuration. Texts, calls and files are numbers, equal where they are equal.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NO_BASES: Final[Mapping[int, int]] = {}

RAW: Final = ""
"""The way of a text that is sent as it came."""

KNAPSACK: Final = "knapsack"
"""The way of a text that the knapsack writes; all others are names of templates."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One result of a tool.

    Attributes
    ----------
    endpoint : str
        The tool, as the configuration calls it.
    agent : int
        Whose context it went to.
    content, call, source : int
        Which text it is, which tool with which arguments was called, and which tool with which
        file.
    chars : int
        Bytes of the text, as ``min_body_chars`` counts them.
    baseline : int
        Tokens of the data as compact JSON; of the text as it came if it is no JSON.
    ways : mapping of str to int
        Tokens by way of writing it, with the line above that says so, without a number.
    shape : str
        What kind of text it is.
    inner : frozenset of str
        Formats found inside.
    columns, depth : int
        Of a table, or of nested data; else 0.
    bases : mapping of int to int
        Near repeats: tokens of the reference with its delta, by the text it would refer to.
    """

    endpoint: str
    agent: int
    content: int
    call: int
    source: int
    chars: int
    baseline: int
    ways: Mapping[str, int]
    shape: str = "unknown"
    inner: frozenset[str] = frozenset()
    columns: int = 0
    depth: int = 0
    bases: Mapping[int, int] = field(default_factory=lambda: NO_BASES)


@dataclass(frozen=True, slots=True)
class Changed:
    """What some sources tell may be something else now."""

    sources: frozenset[int]


@dataclass(frozen=True, slots=True)
class Compacted:
    """An agent's context was summarised."""

    agent: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over."""

    model: str | None = None


Mark: TypeAlias = Seen | Changed | Compacted | Ended


MAX_DISTANCE_TEXTS: Final = 64
"""Texts between a repeat and its original beyond which nobody counts."""

_READING: Final = frozenset({"Read", "Glob", "Grep", "NotebookRead", "WebFetch", "WebSearch"})


def quantile(numbers: Sequence[int], share: float) -> int:
    """Return the least of some numbers that so many are at most; 0 if there are none.

    Examples
    --------
    >>> quantile([1, 2, 3, 4], 0.9), quantile([], 0.5)
    (4, 0)
    """
    if not numbers:
        return 0
    place = min(len(numbers) - 1, int(share * len(numbers)))
    return sorted(numbers)[place]


@dataclass(slots=True)
class Endpoint:
    """What one tool returns.

    Attributes
    ----------
    calls, repeats : int
        Responses, and those whose text the same context had already, whether or not anything
        was made of it.
    near : int
        Responses that nearly repeat an earlier one.
    distances : list of int
        Other texts between a repeat and what it repeats.
    chars, columns, depths : list of int
        Of responses; of tables; of nested data.
    shapes, inner : Counter
        Kinds of texts, and formats found inside.
    """

    calls: int = 0
    repeats: int = 0
    near: int = 0
    distances: list[int] = field(default_factory=list[int])
    chars: list[int] = field(default_factory=list[int])
    columns: list[int] = field(default_factory=list[int])
    depths: list[int] = field(default_factory=list[int])
    shapes: Counter[str] = field(default_factory=Counter[str])
    inner: Counter[str] = field(default_factory=Counter[str])

    @property
    def repeat_rate(self) -> float:
        """Share of responses that repeat an earlier one exactly."""
        return self.repeats / self.calls if self.calls else 0.0

    @property
    def shape(self) -> str:
        """The kind of most texts."""
        return max(sorted(self.shapes), key=self.shapes.__getitem__, default="unknown")

    @property
    def top_inner(self) -> frozenset[str]:
        """The three formats found inside most often."""
        ranked = sorted(self.inner, key=lambda name: (-self.inner[name], name))
        return frozenset(ranked[:3])

    def see(self, mark: Seen) -> None:
        """Count one response."""
        self.calls += 1
        self.near += bool(mark.bases)
        self.chars.append(mark.chars)
        self.shapes[mark.shape] += 1
        self.inner.update(mark.inner)
        if mark.columns:
            self.columns.append(mark.columns)
        if mark.depth:
            self.depths.append(mark.depth)


@dataclass(slots=True)
class Habits:
    """All endpoints, and sessions as a whole.

    Attributes
    ----------
    endpoints : dict of str to Endpoint
    sessions, events, compactions, reads : int
        Sessions; responses, compactions and calls that read or search, in all of them.
    models : Counter
        Sessions by model.
    """

    endpoints: dict[str, Endpoint] = field(default_factory=dict[str, Endpoint])
    sessions: int = 0
    events: int = 0
    compactions: int = 0
    reads: int = 0
    models: Counter[str] = field(default_factory=Counter[str])

    @property
    def model(self) -> str | None:
        """The model of most sessions, if it is that of four in five or more."""
        found = max(sorted(self.models), key=self.models.__getitem__, default=None)
        return found if found and 5 * self.models[found] >= 4 * self.models.total() else None

    @property
    def distances(self) -> list[int]:
        """Distances of repeats, of all endpoints."""
        return [each for endpoint in self.endpoints.values() for each in endpoint.distances]


def habits(marks: Iterable[Mark]) -> Habits:
    """Return what marks say about endpoints and sessions.

    Parameters
    ----------
    marks : iterable of marks

    Returns
    -------
    Habits
    """
    found, contexts = Habits(), dict[int, OrderedDict[int, int]]()
    for mark in marks:
        if isinstance(mark, Seen):
            _see(found, contexts.setdefault(mark.agent, OrderedDict()), mark)
        elif isinstance(mark, Changed):
            for context in contexts.values():
                changed = [each for each, source in context.items() if source in mark.sources]
                for content in changed:
                    del context[content]
        elif isinstance(mark, Compacted):
            found.compactions += 1
            contexts.pop(mark.agent, None)
        else:
            _end(found, contexts, mark)
    return found


def _see(found: Habits, context: OrderedDict[int, int], mark: Seen) -> None:
    endpoint = found.endpoints.setdefault(mark.endpoint, Endpoint())
    endpoint.see(mark)
    found.events += 1
    found.reads += mark.endpoint in _READING
    if mark.content in context:
        endpoint.repeats += 1
        newest = islice(reversed(context), MAX_DISTANCE_TEXTS)
        place = (n for n, content in enumerate(newest) if content == mark.content)
        endpoint.distances.append(next(place, MAX_DISTANCE_TEXTS))
        context.move_to_end(mark.content)
    else:
        context[mark.content] = mark.source


def _end(found: Habits, contexts: dict[int, OrderedDict[int, int]], mark: Ended) -> None:
    found.sessions += 1
    if mark.model is not None:
        found.models[mark.model] += 1
    contexts.clear()
