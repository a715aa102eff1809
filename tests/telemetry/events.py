"""Events for tests."""

from typing import Any

import orjson

from mckp.agents.telemetry import Event


def event(**facts: Any) -> Event:
    base: dict[str, Any] = {
        "session_hash": "5" * 16,
        "tool_name_anon": "Read",
        "ts_ms": 1_000,
        "tokens_baseline": 100,
        "tokens_final": 60,
    }
    return Event(**{**base, **facts})


def line(**facts: Any) -> bytes:
    return orjson.dumps(event(**facts).to_dict())
