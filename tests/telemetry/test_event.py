"""Events are read whatever other versions add, and what is none is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mckp.agents.telemetry import Event
from mckp.errors import ParseError
from tests.telemetry.events import event


def test_round_trip() -> None:
    """What is written is what is read; fields of other versions are passed over."""
    data = json.loads(json.dumps(event(tokens_cut=9, is_dedup_hit=True).to_dict()))
    assert Event.from_dict(data) == event(tokens_cut=9, is_dedup_hit=True)
    assert Event.from_dict({**data, "mood": "calm", "shape": "prose"}) == Event.from_dict(data)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"version": 2}, "newer than 1"),
        ({"ts_ms": "1"}, "ts_ms="),
        ({"ts_ms": True}, "ts_ms="),
        ({"ts_ms": 1.5}, "ts_ms="),
        ({"is_dedup_hit": 1}, "is_dedup_hit="),
        ({"tool_name_anon": 3}, "tool_name_anon="),
    ],
)
def test_what_is_no_event_is_refused(facts: dict[str, Any], told: str) -> None:
    """The error names the field; a newer version has changed a meaning, which is not guessed."""
    with pytest.raises(ParseError, match=told):
        Event.from_dict({**event().to_dict(), **facts})


def test_what_is_missing_is_named() -> None:
    """Without a session there is no event."""
    data = event().to_dict()
    del data["session_hash"]
    with pytest.raises(ParseError, match="session_hash"):
        Event.from_dict(data)
