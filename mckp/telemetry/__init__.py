"""What sessions write down: events, summaries and fingerprints, and where these go."""

from __future__ import annotations

from mckp.telemetry.event import Anonymiser, Event, installation_salt
from mckp.telemetry.fields import Uses
from mckp.telemetry.fingerprint import Fingerprint, SessionSummary, fingerprints, summarise
from mckp.telemetry.jsonl import Retention, purge, read_events, read_sessions
from mckp.telemetry.otel import OtelSink
from mckp.telemetry.parquet import read_fingerprints, write_fingerprints
from mckp.telemetry.sinks import FileSink, MemorySink, NullSink, Recorder, Sink, keeps, recorder_for

__all__ = [
    "Anonymiser",
    "Event",
    "FileSink",
    "Fingerprint",
    "MemorySink",
    "NullSink",
    "OtelSink",
    "Recorder",
    "Retention",
    "SessionSummary",
    "Sink",
    "Uses",
    "fingerprints",
    "installation_salt",
    "keeps",
    "purge",
    "read_events",
    "read_fingerprints",
    "read_sessions",
    "recorder_for",
    "summarise",
    "write_fingerprints",
]
