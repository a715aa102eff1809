"""What events say of endpoints, as sums that can be added up in any number of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.figures import Figures
    from mckp.telemetry.event import Event

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

    See `mckp.figures.add`, which adds them up.

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
