"""Telemetry: an event for each result and counts of uses for each session, as JSON lines."""

from __future__ import annotations

from mckp.agents.telemetry.event import Anonymiser, Event, installation_salt
from mckp.agents.telemetry.fields import Uses
from mckp.agents.telemetry.recorder import Recorder, purge, read_telemetry, recorder_for

__all__ = [
    "Anonymiser",
    "Event",
    "Recorder",
    "Uses",
    "installation_salt",
    "purge",
    "read_telemetry",
    "recorder_for",
]
