"""What the results of an endpoint are like, from events: what tuning goes by, and may be shared."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.telemetry.record import of_record, to_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.telemetry.event import Event

FINGERPRINT_VERSION: Final = 1
DAY_MS: Final = 24 * 60 * 60 * 1000
WINDOW_DAYS: Final = 30
"""Events older than this say nothing about an endpoint any more."""

_TOP: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the fingerprint as JSON has it."""
        return to_record(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Fingerprint:
        """Read a fingerprint; see `Event.from_dict`."""
        return of_record(cls, data, FINGERPRINT_VERSION)


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
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.ts_ms >= since and event.sample_rate_applied > 0:
            groups[event.endpoint_class].append(event)
    return [_fingerprint(name, groups[name]) for name in sorted(groups)]


def entropy(shares: Iterable[float]) -> float:
    """Return the entropy of a distribution in bits.

    Examples
    --------
    >>> entropy([0.5, 0.5]), entropy([1.0])
    (1.0, 0.0)
    """
    return sum((-share * math.log2(share) for share in shares if share > 0), 0.0)


def _fingerprint(name: str, events: list[Event]) -> Fingerprint:
    weights = [1 / event.sample_rate_applied for event in events]
    calls = sum(weights)
    shapes, inner = _sums(events, weights)
    mix = {shape: shapes[shape] / calls for shape in sorted(shapes)}
    top = sorted(inner, key=lambda kind: (-inner[kind], kind))
    times = [event.ts_ms for event in events]
    return Fingerprint(
        endpoint_class=name,
        call_count=round(calls),
        avg_response_chars=_mean([event.response_chars for event in events], weights) or 0.0,
        shape_dominant=max(mix, key=lambda shape: mix[shape]),
        shape_mix=mix,
        dup_rate=_mean([float(event.is_dedup_hit) for event in events], weights) or 0.0,
        format_entropy=entropy(mix.values()),
        inner_formats_top3=tuple(top[:_TOP]),
        avg_cols=_mean([event.cols for event in events], weights),
        avg_rows=_mean([event.rows for event in events], weights),
        key_stability_mean=_mean([event.key_stability for event in events], weights),
        first_seen_ms=min(times),
        last_seen_ms=max(times),
        source_sessions=len({event.session_hash for event in events}),
    )


def _sums(events: list[Event], weights: list[float]) -> tuple[dict[str, float], dict[str, float]]:
    """Return how often each shape and each inner format came."""
    shapes: dict[str, float] = defaultdict(float)
    inner: dict[str, float] = defaultdict(float)
    for event, weight in zip(events, weights, strict=True):
        shapes[event.shape] += weight
        for kind in event.inner_formats:
            inner[kind] += weight
    return shapes, inner


def _mean(values: Sequence[float | None], weights: list[float]) -> float | None:
    """Return the mean of the values that are there, or None if none is."""
    pairs = zip(values, weights, strict=True)
    known = [(value, weight) for value, weight in pairs if value is not None]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total else None
