"""What the results of an endpoint are like, from events: sums, and what tuning goes by.

Figures by name that are added up in any number of steps, on any number of machines.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import is_object
from mckp.telemetry.event import of_record, to_record

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
