"""What a session came to: how many results, what was saved by repeats and by encoding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.telemetry.event import of_record, to_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.telemetry.event import Event

SUMMARY_VERSION: Final = 1
_MAX_ENDPOINTS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
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
    version: int = SUMMARY_VERSION
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        return to_record(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SessionSummary:
        """Read a summary; see `Event.from_dict`."""
        return of_record(cls, data, SUMMARY_VERSION)


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
