"""Events reach OpenTelemetry as spans and counts."""

from __future__ import annotations

from typing import Any

import pytest

from mckp.telemetry import OtelSink, Recorder
from tests.telemetry.events import event

pytest.importorskip("opentelemetry.sdk")


def recorded(*events: Any) -> tuple[Any, dict[str, Any]]:
    """Return the spans and the counts that a session gives."""
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, counts = InMemorySpanExporter(), InMemoryMetricReader()
    tracers, meters = TracerProvider(), MeterProvider([counts])
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    with Recorder(OtelSink(tracers, meters), "5" * 16) as recorder:
        for each in events:
            recorder.record(each)
    data = counts.get_metrics_data()
    metrics = data.resource_metrics[0].scope_metrics[0].metrics if data else ()
    found = spans.get_finished_spans()
    tracers.shutdown()
    meters.shutdown()
    return found, {each.name: each.data.data_points for each in metrics}


def test_a_span_has_the_fields_of_its_event() -> None:
    """At the time of the event, with lists as they are."""
    spans, _ = recorded(event(ts_ms=5_000, inner_formats=("log", "url"), cols=3))
    assert [each.name for each in spans] == ["mckp.result", "mckp.session"]
    assert spans[0].start_time == spans[0].end_time == 5_000_000_000
    facts = spans[0].attributes
    assert facts["mckp.endpoint_class"] == "Read"
    assert facts["mckp.inner_formats"] == ("log", "url")
    assert (facts["mckp.tokens_baseline"], facts["mckp.tokens_final"]) == (100, 60)
    assert "mckp.template_id" not in facts


def test_the_session_is_a_span_from_its_first_result_to_its_last() -> None:
    """With its figures; tables become one attribute a name."""
    spans, _ = recorded(event(ts_ms=5_000), event(ts_ms=9_000))
    session = spans[-1]
    assert (session.start_time, session.end_time) == (5_000_000_000, 9_000_000_000)
    assert session.attributes["mckp.endpoint_mix.Read"] == 2
    assert session.attributes["mckp.savings_pct"] == pytest.approx(0.4)


def test_counts_are_kept_apart_by_few_labels() -> None:
    """Endpoint, layer and shape; never what is different for each event."""
    _, counts = recorded(event(), event(tool_call_id_hash="d" * 8), event(layer_used="L3"))
    found = {point.attributes["mckp.layer_used"]: point.value for point in counts["mckp.results"]}
    assert found == {"L2": 2, "L3": 1}
    assert sum(point.value for point in counts["mckp.tokens.baseline"]) == 300
    assert sum(point.value for point in counts["mckp.tokens.final"]) == 180
    labels = {name for point in counts["mckp.results"] for name in point.attributes}
    assert labels == {
        f"mckp.{name}"
        for name in ("endpoint_class", "layer_used", "shape", "tokenizer", "baseline")
    }
