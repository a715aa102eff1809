"""How each endpoint answers, and how sessions go: what the rules of the tuner look at."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from mckp.config.tuner.marks import Changed, Compacted, Ended, Mark, Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
