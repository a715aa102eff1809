"""What the results of an endpoint are like, from events: sums, and what tuning goes by.

Figures by name that are added up in any number of steps, on any number of machines.

What a session came to: how many results, what was saved by repeats and by encoding.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import is_object
from mckp.telemetry.event import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mckp.telemetry.event import Event

Figures: TypeAlias = dict[str, Any]
"""Numbers by name, or by names below names."""

_OTHERWISE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "first_seen_ms": min,
    "last_seen_ms": max,
}


def add(total: Figures, more: Mapping[str, Any]) -> None:
    """Add figures to others.

    Numbers are added up, but of ``first_seen_ms`` the smallest is taken, and of ``last_seen_ms``
    the largest.

    Examples
    --------
    >>> total = {"a": 1, "b": {"c": 2}, "first_seen_ms": 5}
    >>> add(total, {"b": {"c": 3, "d": 4}, "first_seen_ms": 7})
    >>> total
    {'a': 1, 'b': {'c': 5, 'd': 4}, 'first_seen_ms': 5}
    """
    for name, value in more.items():
        if is_object(value):
            add(total.setdefault(name, {}), value)
        elif name in total:
            total[name] = _OTHERWISE.get(name, operator.add)(total[name], value)
        else:
            total[name] = value


_MEANS: Final = {
    "avg_response_chars": "response_chars",
    "dup_rate": "is_dedup_hit",
    "avg_cols": "cols",
    "avg_rows": "rows",
    "key_stability_mean": "key_stability",
}
"""Means of a fingerprint, and what of an event they are of."""


def tally(event: Event) -> Figures:
    """Return what one event adds, by endpoint: nothing if it stands for none.

    See `mckp.telemetry.figures.add`, which adds them up.

    Examples
    --------
    >>> from mckp.telemetry.event import Event
    >>> event = Event(session_hash="s", tool_call_id_hash="c", tool_name_anon="Read",
    ...               endpoint_class="Read", ts_ms=5, sample_rate_applied=0.5)
    >>> tally(event)["Read"]["calls"], tally(event)["Read"]["sessions"]
    (2.0, {'s': 1})
    """
    if event.sample_rate_applied <= 0:
        return {}
    weight = 1 / event.sample_rate_applied
    means = {name: getattr(event, field) for name, field in _MEANS.items()}
    known = {name: float(value) for name, value in means.items() if value is not None}
    return {
        event.endpoint_class: {
            "calls": weight,
            "sums": {name: weight * value for name, value in known.items()},
            "weights": dict.fromkeys(known, weight),
            "shapes": {event.shape: weight},
            "inner": dict.fromkeys(event.inner_formats, weight),
            "sessions": {event.session_hash: 1},
            "first_seen_ms": event.ts_ms,
            "last_seen_ms": event.ts_ms,
        }
    }


FINGERPRINT_VERSION: Final = 1
DAY_MS: Final = 24 * 60 * 60 * 1000
WINDOW_DAYS: Final = 30
"""Events older than this say nothing about an endpoint any more."""
MIN_SESSIONS: Final = 5
"""Sessions behind a fingerprint that others may see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint(Record):
    """An endpoint in numbers.

    Attributes
    ----------
    endpoint_class : str
        Which endpoint.
    call_count : int
        Results of it; of a sample, an estimate.
    avg_response_chars : float
        Bytes of one.
    shape_dominant : str
        The shape that most have.
    shape_mix : dict
        Shapes and their shares.
    dup_rate : float
        The share that repeats an earlier one of the same context.
    format_entropy : float
        In bits, of `shape_mix`: low is stable.
    inner_formats_top3 : tuple of str
        What their strings hold most often.
    avg_cols, avg_rows : float or None
        Of those that are tables or arrays of objects.
    key_stability_mean : float or None
        How alike the keys of an array's objects are.
    first_seen_ms, last_seen_ms : int
        When the first and the last came.
    source_sessions : int
        Sessions that it was made from.
    version, extra
        As of an event.
    """

    endpoint_class: str
    call_count: int
    avg_response_chars: float = 0.0
    shape_dominant: str = "unknown"
    shape_mix: dict[str, float] = field(default_factory=dict[str, float])
    dup_rate: float = 0.0
    format_entropy: float = 0.0
    inner_formats_top3: tuple[str, ...] = ()
    avg_cols: float | None = None
    avg_rows: float | None = None
    key_stability_mean: float | None = None
    first_seen_ms: int = 0
    last_seen_ms: int = 0
    source_sessions: int = 0
    version: int = FINGERPRINT_VERSION
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


def fingerprints(events: Iterable[Event], *, now_ms: int | None = None) -> list[Fingerprint]:
    """Return the fingerprints of all endpoints of some events.

    An event counts as often as events like it were left out of the sample, so a sample gives
    the same figures on average as all events.

    Parameters
    ----------
    events : iterable of Event
        In any order.
    now_ms : int, optional
        The present, in milliseconds since 1970: events that are more than 30 days older are
        left out. Without it, all count.

    Returns
    -------
    list of Fingerprint
        By name.

    Examples
    --------
    >>> fingerprints([])
    []
    """
    since = -math.inf if now_ms is None else now_ms - WINDOW_DAYS * DAY_MS
    total: Figures = {}
    for event in events:
        if event.ts_ms >= since:
            add(total, tally(event))
    return [fingerprint_of(name, total[name]) for name in sorted(total)]


def entropy(shares: Iterable[float]) -> float:
    """Return the entropy of a distribution in bits.

    Examples
    --------
    >>> entropy([0.5, 0.5]), entropy([1.0])
    (1.0, 0.0)
    """
    return sum((-share * math.log2(share) for share in shares if share > 0), 0.0)


def fingerprint_of(name: str, sums: Figures) -> Fingerprint:
    """Return the fingerprint of an endpoint from what its events have added up to.

    Parameters
    ----------
    name : str
        The endpoint.
    sums : dict
        See `mckp.telemetry.fingerprint.tally`.
    """
    calls, inner = sums["calls"], sums.get("inner", {})
    mix = {shape: sums["shapes"][shape] / calls for shape in sorted(sums["shapes"])}
    top = sorted(inner, key=lambda kind: (-inner[kind], kind))
    means = {mean: sums["sums"][mean] / weight for mean, weight in sums["weights"].items()}
    return Fingerprint(
        endpoint_class=name,
        call_count=round(calls),
        shape_dominant=max(mix, key=lambda shape: mix[shape]),
        shape_mix=mix,
        format_entropy=entropy(mix.values()),
        inner_formats_top3=tuple(top[:3]),
        first_seen_ms=sums["first_seen_ms"],
        last_seen_ms=sums["last_seen_ms"],
        source_sessions=len(sums["sessions"]),
        **means,
    )


SUMMARY_VERSION: Final = 1
_MAX_ENDPOINTS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary(Record):
    """A session in numbers.

    Attributes
    ----------
    session_hash : str
        The session.
    total_events : int
        Results of tools; of a sample, an estimate.
    dedup_hit_rate, l1_hit_rate, l2_hit_rate : float
        Shares of results that became references, took a template, or the knapsack.
    avg_response_chars : float
        Bytes of a result.
    compaction_count : int
        How often the context was compacted.
    endpoint_mix : dict
        Results by endpoint, of the 20 with the most.
    total_baseline_tokens, total_final_tokens : int
        Before and after.
    savings_pct, dedup_savings_pct, encoder_savings_pct : float
        What is saved of all tokens, of all tokens by references, and of the tokens of what
        was no repeat by writing it in another way: shares from 0 to 1. What was cut is no
        saving.
    baseline, tokenizer : str
        What tokens before are of, and who counted; ``mixed`` where it is not always the same.
    duration_sec : float
        From the first result to the last.
    ended_at_ms : int
        When the last came.
    sample_rate_applied : float
        The smallest rate of the events it was made from; 1 for all of them.
    uses : dict
        By tool and field how often it was used later; see `mckp.telemetry.Uses`.
    version, extra
        As of an event.
    """

    session_hash: str
    total_events: int
    dedup_hit_rate: float = 0.0
    l1_hit_rate: float = 0.0
    l2_hit_rate: float = 0.0
    avg_response_chars: float = 0.0
    compaction_count: int = 0
    endpoint_mix: dict[str, int] = field(default_factory=dict[str, int])
    total_baseline_tokens: int = 0
    total_final_tokens: int = 0
    savings_pct: float = 0.0
    dedup_savings_pct: float = 0.0
    encoder_savings_pct: float = 0.0
    baseline: str = "json_compact"
    tokenizer: str = "o200k"
    duration_sec: float = 0.0
    ended_at_ms: int = 0
    sample_rate_applied: float = 1.0
    uses: dict[str, Any] = field(default_factory=dict[str, Any])
    version: int = SUMMARY_VERSION
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Tally:
    """Adds up the events of one session, so that none of them has to be kept."""

    def __init__(self, session_hash: str) -> None:
        self.session_hash = session_hash
        self._sums: Counter[str] = Counter()
        self._layers: Counter[str] = Counter()
        self._endpoints: Counter[str] = Counter()
        self._baselines: set[str] = set()
        self._tokenizers: set[str] = set()
        self._times: list[int] = []
        self._compactions, self._rate = 0, 1.0
        self.uses: Figures = {}

    def add(self, event: Event, *, weight: float | None = None) -> None:
        """Add an event; of a sample, with one over its probability."""
        share = 1 / event.sample_rate_applied if weight is None else weight
        self._rate = min(self._rate, event.sample_rate_applied if weight is None else 1.0)
        layer = "L0" if event.is_dedup_hit else event.layer_used
        saved = event.tokens_baseline - event.tokens_final - event.tokens_cut
        sums: dict[str, float] = {
            "events": share,
            "chars": share * event.response_chars,
            "before": share * event.tokens_baseline,
            "after": share * event.tokens_final,
            "saved": share * saved,
            "by_reference": share * saved * (layer == "L0"),
            "missed": share * event.tokens_baseline * (layer != "L0"),
        }
        for name, value in sums.items():
            self._sums[name] += value  # type: ignore[assignment]
        self._layers[layer] += share  # type: ignore[assignment]
        self._endpoints[event.endpoint_class] += share  # type: ignore[assignment]
        self._baselines.add(event.baseline)
        self._tokenizers.add(event.tokenizer)
        self._compactions = max(self._compactions, event.context_partition)
        times = [*self._times, event.ts_ms]
        self._times = [min(times), max(times)]

    def summary(self) -> SessionSummary:
        """Return what it came to."""
        sums, times = self._sums, self._times or [0, 0]
        saved, by_reference = sums["saved"], sums["by_reference"]
        mix = sorted(self._endpoints.items(), key=lambda item: (-item[1], item[0]))
        return SessionSummary(
            session_hash=self.session_hash,
            total_events=round(sums["events"]),
            dedup_hit_rate=_share(self._layers["L0"], sums["events"]),
            l1_hit_rate=_share(self._layers["L1"], sums["events"]),
            l2_hit_rate=_share(self._layers["L2"], sums["events"]),
            avg_response_chars=_share(sums["chars"], sums["events"]),
            compaction_count=self._compactions,
            endpoint_mix={name: round(count) for name, count in mix[:_MAX_ENDPOINTS]},
            total_baseline_tokens=round(sums["before"]),
            total_final_tokens=round(sums["after"]),
            savings_pct=_share(saved, sums["before"]),
            dedup_savings_pct=_share(by_reference, sums["before"]),
            encoder_savings_pct=_share(saved - by_reference, sums["missed"]),
            baseline=_only(self._baselines, "json_compact"),
            tokenizer=_only(self._tokenizers, "o200k"),
            duration_sec=(times[1] - times[0]) / 1000,
            ended_at_ms=times[1],
            sample_rate_applied=self._rate,
            uses=self.uses,
        )


def summarise(events: Iterable[Event]) -> list[SessionSummary]:
    """Return the summaries of all sessions of some events, in the order in which they begin.

    Examples
    --------
    >>> summarise([])
    []
    """
    tallies: dict[str, Tally] = {}
    for event in events:
        tallies.setdefault(event.session_hash, Tally(event.session_hash)).add(event)
    return [tally.summary() for tally in tallies.values()]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _only(names: set[str], default: str) -> str:
    return "mixed" if len(names) > 1 else next(iter(names), default)
