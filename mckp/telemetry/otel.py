"""Events as OpenTelemetry: a span and some counts for each; needs the extra ``otel``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import MissingExtraError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from mckp.telemetry.event import Event
    from mckp.telemetry.fingerprint import SessionSummary

SCOPE: Final = "mckp"

_NS_PER_MS: Final = 1_000_000
_LABELS: Final = ("endpoint_class", "layer_used", "shape", "tokenizer", "baseline")
"""Fields by which counts are kept apart; none that has a value of its own for each event."""


class OtelSink:
    """Gives events to OpenTelemetry, as who set it up there wants them.

    A span ``mckp.result`` has the fields of an event as ``mckp.<field>``; ``mckp.session`` has
    those of a summary, from the first event to the last. The counters ``mckp.results``,
    ``mckp.tokens.baseline`` and ``mckp.tokens.final`` count an event as often as events like
    it were left out of the sample.

    Parameters
    ----------
    tracer_provider, meter_provider : optional
        Those of OpenTelemetry; the global ones where there is none.
    """

    def __init__(self, tracer_provider: Any = None, meter_provider: Any = None) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError:
            raise MissingExtraError("opentelemetry-sdk", "otel") from None
        tracers = tracer_provider or trace.get_tracer_provider()
        meters = meter_provider or metrics.get_meter_provider()
        meter = meters.get_meter(SCOPE)
        self._tracer = tracers.get_tracer(SCOPE)
        self._providers = (tracers, meters)
        self._results = meter.create_counter("mckp.results", "{result}")
        self._before = meter.create_counter("mckp.tokens.baseline", "{token}")
        self._after = meter.create_counter("mckp.tokens.final", "{token}")

    def write(self, event: Event) -> None:
        """Give a span and counts."""
        self._span("mckp.result", event.to_dict(), event.ts_ms, event.ts_ms)
        labels = {f"mckp.{name}": getattr(event, name) for name in _LABELS}
        weight = 1 / event.sample_rate_applied
        self._results.add(weight, labels)
        self._before.add(weight * event.tokens_baseline, labels)
        self._after.add(weight * event.tokens_final, labels)

    def flush(self) -> None:
        """Have those who set OpenTelemetry up send what they have."""
        for provider in self._providers:
            flush = getattr(provider, "force_flush", None)
            if flush is not None:
                flush()

    def close(self, summary: SessionSummary) -> None:
        """Give the span of the session, and flush."""
        began = summary.ended_at_ms - round(summary.duration_sec * 1000)
        facts = replace(summary, uses={}).to_dict()
        self._span("mckp.session", facts, began, summary.ended_at_ms)
        self.flush()

    def _span(self, name: str, facts: dict[str, Any], began_ms: int, ended_ms: int) -> None:
        attributes = {f"mckp.{key}": value for key, value in _flat(facts).items()}
        span = self._tracer.start_span(
            name, attributes=attributes, start_time=began_ms * _NS_PER_MS
        )
        span.end(ended_ms * _NS_PER_MS)


def _flat(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts as attributes may be: no tables in them."""
    flat: dict[str, Any] = {}
    for key, value in facts.items():
        if is_object(value):
            flat |= {f"{key}.{name}": each for name, each in value.items()}
        else:
            flat[key] = value
    return flat
