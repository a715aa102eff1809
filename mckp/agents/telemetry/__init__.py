"""What sessions write down: an event a result and a summary a session, as lines of JSON."""

from __future__ import annotations

from mckp.agents.telemetry.event import Anonymiser, Event, SessionSummary, installation_salt
from mckp.agents.telemetry.fields import Uses
from mckp.agents.telemetry.jsonl import read_events, read_sessions
from mckp.agents.telemetry.recorder import Recorder, Retention, purge, recorder_for

__all__ = [
    "Anonymiser",
    "Event",
    "Recorder",
    "Retention",
    "SessionSummary",
    "Uses",
    "installation_salt",
    "purge",
    "read_events",
    "read_sessions",
    "recorder_for",
]
