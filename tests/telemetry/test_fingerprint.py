"""Fingerprints say what endpoints are like, and nothing of who called them."""

from __future__ import annotations

import math
import random

import pytest

from mckp.telemetry import Fingerprint, fingerprints
from mckp.telemetry.fingerprint import DAY_MS
from tests.telemetry.events import event

FIELDS = [
    *("endpoint_class", "call_count", "avg_response_chars", "shape_dominant", "shape_mix"),
    *("dup_rate", "format_entropy", "inner_formats_top3", "avg_cols", "avg_rows"),
    *("key_stability_mean", "first_seen_ms", "last_seen_ms", "source_sessions"),
]


def test_figures_of_an_endpoint() -> None:
    """All figures, on events few enough to reckon by hand."""
    found = fingerprints(
        [
            event(ts_ms=5, response_chars=10, shape="markdown_table", cols=2, rows=10),
            event(ts_ms=3, response_chars=20, shape="markdown_table", cols=4, rows=20),
            event(ts_ms=9, is_dedup_hit=True, shape="prose", inner_formats=("log", "url")),
            event(
                ts_ms=4,
                session_hash="6" * 16,
                shape="array_of_objects",
                key_stability=0.5,
                inner_formats=("hash", "log", "diff"),
            ),
        ]
    )[0]
    assert (found.endpoint_class, found.call_count, found.source_sessions) == ("Read", 4, 2)
    assert found.avg_response_chars == 7.5
    assert found.shape_dominant == "markdown_table"
    assert found.shape_mix == {"array_of_objects": 0.25, "markdown_table": 0.5, "prose": 0.25}
    assert found.format_entropy == 1.5
    assert found.dup_rate == 0.25
    assert found.inner_formats_top3 == ("log", "diff", "hash")
    assert (found.avg_cols, found.avg_rows, found.key_stability_mean) == (3.0, 15.0, 0.5)
    assert (found.first_seen_ms, found.last_seen_ms) == (3, 9)
    assert {*FIELDS} <= {*found.to_dict()}
    assert Fingerprint.from_dict(found.to_dict()) == found


def test_the_order_of_events_does_not_matter() -> None:
    """A pure function of the set of events."""
    rng = random.Random(1)
    events = [
        event(endpoint_class=rng.choice("ab"), shape=rng.choice(["prose", "empty"]), ts_ms=n)
        for n in range(50)
    ]
    first = fingerprints(events)
    rng.shuffle(events)
    assert fingerprints(events) == first
    assert [each.endpoint_class for each in first] == ["a", "b"]


def test_a_month_is_looked_at() -> None:
    """What is older says nothing any more."""
    now = 100 * DAY_MS
    events = [event(ts_ms=now - days * DAY_MS) for days in (0, 29, 31, 99)]
    assert fingerprints(events, now_ms=now)[0].call_count == 2
    assert fingerprints(events)[0].call_count == 4


def test_events_of_several_rates_are_weighed() -> None:
    """One event at a tenth stands for ten."""
    events = [event(sample_rate_applied=0.1, is_dedup_hit=True), event(), event()]
    found = fingerprints(events)[0]
    assert found.call_count == 12
    assert found.dup_rate == pytest.approx(10 / 12)
    assert math.isclose(found.avg_response_chars, 0.0)
