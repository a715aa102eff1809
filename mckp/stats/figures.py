"""Events added up: in all, by tool, and by hour or day."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from mckp.telemetry.fingerprint import DAY_MS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.telemetry import Event

AGAINST: Final = "compact JSON of data, and any other text as it came"
"""What savings are relative to."""

_HOURS: Final = 2 * DAY_MS


@dataclass(slots=True)
class Sums:
    """Results of tools, and their tokens; of a sample, estimates.

    What came is what was delivered, and what was saved, and what was cut for a budget. Cutting
    is no saving.

    Attributes
    ----------
    events, repeats : float
        Results, and those of them that became references.
    baseline, final, cut : float
        Tokens before and after, and those that a budget left out.
    repeats_baseline, by_reference : float
        Tokens before of what became references, and those that they saved.
    """

    events: float = 0
    repeats: float = 0
    baseline: float = 0
    final: float = 0
    cut: float = 0
    repeats_baseline: float = 0
    by_reference: float = 0

    def add(self, event: Event) -> None:
        """Add an event, as many times as its sample stands for."""
        weight = 1 / event.sample_rate_applied
        self.events += weight
        self.baseline += weight * event.tokens_baseline
        self.final += weight * event.tokens_final
        self.cut += weight * event.tokens_cut
        if event.is_dedup_hit:
            saved = event.tokens_baseline - event.tokens_final - event.tokens_cut
            self.repeats += weight
            self.repeats_baseline += weight * event.tokens_baseline
            self.by_reference += weight * saved

    @property
    def saved(self) -> float:
        """Tokens saved; below 0 where labels cost more than anything saved."""
        return self.baseline - self.final - self.cut

    @property
    def by_encoding(self) -> float:
        """Tokens that encoding saved."""
        return self.saved - self.by_reference

    def to_dict(self) -> dict[str, Any]:
        """Return the sums, and the shares that they make, in percent."""
        misses = self.baseline - self.repeats_baseline
        return {
            "events": round(self.events),
            "repeats": round(self.repeats),
            "tokens_baseline": round(self.baseline),
            "tokens_final": round(self.final),
            "tokens_cut": round(self.cut),
            "tokens_saved": round(self.saved),
            "dedup_savings_pct": _percent(self.by_reference, self.baseline),
            "encoder_savings_pct": _percent(self.by_encoding, misses),
            "combined_savings_pct": _percent(self.saved, self.baseline),
            "cut_pct": _percent(self.cut, self.baseline),
        }


@dataclass(slots=True)
class Figures:
    """What sessions came to.

    Attributes
    ----------
    total : Sums
        Of all.
    tools : dict
        By tool, that with the most tokens first.
    times : dict
        By hour of the first two days, or else by day, in UTC and in order.
    sessions : int
        How many sessions there were.
    tokenizers : tuple of str
        Who counted.
    first_ms, last_ms : int
        When the first result came and the last, in milliseconds since 1970.
    skipped : int
        Lines of telemetry that could not be read.
    """

    total: Sums
    tools: dict[str, Sums] = field(default_factory=dict[str, Sums])
    times: dict[str, Sums] = field(default_factory=dict[str, Sums])
    sessions: int = 0
    tokenizers: tuple[str, ...] = ()
    first_ms: int = 0
    last_ms: int = 0
    skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {
            **self.total.to_dict(),
            "against": AGAINST,
            "tokenizers": list(self.tokenizers),
            "sessions": self.sessions,
            "first_ms": self.first_ms,
            "last_ms": self.last_ms,
            "skipped": self.skipped,
            "tools": {name: sums.to_dict() for name, sums in self.tools.items()},
            "times": {name: sums.to_dict() for name, sums in self.times.items()},
        }


def figures(events: Iterable[Event], *, since_ms: int = 0, skipped: int = 0) -> Figures:
    """Add events up.

    Parameters
    ----------
    events : iterable of Event
        See `mckp.telemetry.read_events`.
    since_ms : int
        Those before are left out.
    skipped : int
        Lines that were no events.

    Examples
    --------
    >>> figures([]).to_dict()["combined_savings_pct"]
    0.0
    """
    kept = sorted((e for e in events if e.ts_ms >= since_ms), key=lambda event: event.ts_ms)
    found = Figures(Sums(), skipped=skipped)
    if not kept:
        return found
    found.first_ms, found.last_ms = kept[0].ts_ms, kept[-1].ts_ms
    spelled = "%Y-%m-%d %H:00" if found.last_ms - found.first_ms <= _HOURS else "%Y-%m-%d"
    for event in kept:
        when = datetime.fromtimestamp(event.ts_ms / 1000, UTC).strftime(spelled)
        tool, time = found.tools.setdefault, found.times.setdefault
        for sums in (found.total, tool(event.endpoint_class, Sums()), time(when, Sums())):
            sums.add(event)
    found.sessions = len({event.session_hash for event in kept})
    found.tokenizers = tuple(sorted({event.tokenizer for event in kept}))
    order = sorted(found.tools.items(), key=lambda item: (-item[1].baseline, item[0]))
    found.tools = dict(order)
    return found


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
