"""Events for tests."""

from __future__ import annotations

from typing import Any

from mckp.agents.telemetry import Event


def event(**facts: Any) -> Event:
    """Return an event with some facts of its own."""
    base: dict[str, Any] = {
        "session_hash": "5" * 16,
        "tool_call_id_hash": "c" * 8,
        "tool_name_anon": "Read",
        "endpoint_class": "Read",
        "ts_ms": 1_000,
        "tokens_baseline": 100,
        "tokens_final": 60,
        "layer_used": "L2",
    }
    return Event(**{**base, **facts})
