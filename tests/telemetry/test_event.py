"""Events are read by older and newer versions, and hold no text."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.telemetry import Event, SessionSummary
from mckp.agents.telemetry.event import words_only
from mckp.errors import RecordError
from tests.telemetry.events import event

FIELDS = [
    "session_hash",
    "tool_call_id_hash",
    "tool_name_anon",
    "endpoint_class",
    "response_chars",
    "shape",
    "inner_formats",
    "content_sha_prefix",
    "file_path_hash",
    "is_dedup_hit",
    "layer_used",
    "template_id",
    "tokens_baseline",
    "tokens_final",
    "context_partition",
    "is_sidechain",
    "ts_ms",
]


def test_no_field_of_the_specification_is_missing() -> None:
    """Who reads events may count on these."""
    assert {*FIELDS} <= {each.name for each in fields(Event)}


def test_round_trip() -> None:
    """What is written is what is read."""
    full = event(
        inner_formats=("log", "url"), cols=3, key_stability=0.5, file_path_hash="f" * 8, rows=0
    )
    assert Event.from_dict(json.loads(json.dumps(full.to_dict()))) == full
    assert Event.from_dict(event().to_dict()) == event()


def test_a_session_is_summed_up() -> None:
    """Repeats, and tokens before, after and cut."""
    found = SessionSummary(session_hash="5" * 16)
    for each in (event(), event(is_dedup_hit=True, tokens_cut=9, ts_ms=7000), event(ts_ms=3)):
        found.add(each)
    assert (found.total_events, found.repeats, found.ended_at_ms) == (3, 1, 7000)
    assert (found.total_baseline_tokens, found.total_final_tokens) == (300, 180)
    assert found.total_cut_tokens == 9
    assert SessionSummary.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_fields_of_newer_versions_are_kept() -> None:
    """An older reader that writes an event again loses nothing."""
    data = {**event().to_dict(), "mood": "calm", "nested": {"a": [1]}}
    found = Event.from_dict(data)
    assert found.extra == {"mood": "calm", "nested": {"a": [1]}}
    assert found.to_dict() == data


@pytest.mark.parametrize("kind", [Event, SessionSummary])
def test_newer_meanings_are_refused(kind: type[Event]) -> None:
    """A version goes up where a field changes its meaning, and then it must not be guessed."""
    with pytest.raises(RecordError, match="newer than 1"):
        kind.from_dict({"version": 2})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ts_ms", "1"),
        ("ts_ms", True),
        ("ts_ms", 1.5),
        ("is_dedup_hit", 1),
        ("shape", 3),
        ("inner_formats", "log"),
        ("inner_formats", [1]),
        ("key_stability", "all"),
    ],
)
def test_wrong_types_are_refused(name: str, value: Any) -> None:
    """The error names the field."""
    with pytest.raises(RecordError) as caught:
        Event.from_dict({**event().to_dict(), name: value})
    assert f"{name}=" in str(caught.value)


def test_what_is_missing_is_named() -> None:
    """Without a session there is no event."""
    data = event().to_dict()
    del data["session_hash"]
    with pytest.raises(RecordError, match="session_hash: is missing"):
        Event.from_dict(data)


STRINGS = [each.name for each in fields(Event) if str(each.type).startswith("str")]


@given(st.sampled_from(STRINGS), st.text(max_size=200))
def test_no_text_gets_into_an_event(name: str, text: str) -> None:
    """Whatever a field is given, nothing with a blank or a quote in it stays."""
    kept = words_only(event(**{name: text}, inner_formats=(text,), extra={"text": text}))
    assert kept.extra == {}
    for said in (getattr(kept, name), *kept.inner_formats):
        assert said in ("other", text)
        assert not set(said) & set(" \n\t\"'/\\<>")
        assert len(said) <= 80
