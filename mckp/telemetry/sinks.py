"""Where events go: nowhere, to memory, or to files in portions.

What a session tells of its results: it samples, writes down, and sums up at the end.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from mckp.config.places import telemetry_folder
from mckp.telemetry.event import Event, words_only
from mckp.telemetry.fingerprint import Tally, add
from mckp.telemetry.jsonl import EVENTS, SESSIONS, Retention, append, line, locked, purge

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mckp.config.config import Telemetry
    from mckp.telemetry.fingerprint import Figures, SessionSummary


@runtime_checkable
class Sink(Protocol):
    """Takes events and summaries. It never raises for what happens outside of the process."""

    def write(self, event: Event) -> None:
        """Take an event."""
        ...

    def flush(self) -> None:
        """Bring what was taken to where it belongs."""
        ...

    def close(self, summary: SessionSummary) -> None:
        """Take the summary of a session, after its last event."""
        ...


class NullSink:
    """Takes all, and keeps nothing."""

    def write(self, event: Event) -> None:
        """Forget the event."""

    def flush(self) -> None:
        """Do nothing."""

    def close(self, summary: SessionSummary) -> None:
        """Forget the summary."""


class MemorySink:
    """Keeps all in memory, for tests and for looking at a session while it goes on.

    Attributes
    ----------
    events, summaries : list
        What it was given.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.summaries: list[SessionSummary] = []

    def write(self, event: Event) -> None:
        """Keep the event."""
        self.events.append(event)

    def flush(self) -> None:
        """Do nothing: all is where it belongs."""

    def close(self, summary: SessionSummary) -> None:
        """Keep the summary."""
        self.summaries.append(summary)


_LOG: Final = logging.getLogger(__name__)
_MAX_WAITING_PORTIONS: Final = 10
"""Portions that wait in memory while they cannot be written."""


class FileSink:
    """Appends events to a file of their session, and its summary to that of all sessions.

    What cannot be written, say since the disk is full, is tried again with the next portion.
    A session is never stopped by it: the first fault is logged, and all are counted.

    Parameters
    ----------
    folder : Path
        The folder of telemetry.
    session_hash : str
        The session.
    flush_every_n : int, default 25
        Events of a portion.
    rotate_bytes : int
        The size from which on a new file is begun.

    Attributes
    ----------
    faults, lost : int
        How often writing failed, and events that were given up.
    """

    def __init__(
        self,
        folder: Path,
        session_hash: str,
        *,
        flush_every_n: int = 25,
        rotate_bytes: int = 100 << 20,
    ) -> None:
        if not session_hash.isalnum():
            raise ValueError(f"{session_hash!r} is no hash of a session; see Anonymiser.session")
        self._folder, self._session = folder, session_hash
        self._every, self._most = flush_every_n, rotate_bytes
        self._waiting: list[bytes] = []
        self._since, self._part = 0, 0
        self._lock = Lock()
        self.faults = self.lost = 0

    def write(self, event: Event) -> None:
        """Take an event, and write the portion if it is the last of one."""
        with self._lock:
            self._waiting.append(line(event))
            self._since += 1
            if self._since >= self._every:
                self._write()

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            self._write()

    def close(self, summary: SessionSummary) -> None:
        """Write what waits, and the summary."""
        with self._lock:
            self._write()
            try:
                with locked(self._folder):
                    append(self._folder / SESSIONS, [line(summary)])
            except OSError as error:
                self._note(error)

    def path(self) -> Path:
        """Return the file that is written to."""
        part = f".{self._part}" if self._part else ""
        return self._folder / EVENTS / f"{self._session}{part}.jsonl"

    def _write(self) -> None:
        self._since = 0
        if not self._waiting:
            return
        try:
            while self.path().exists() and self.path().stat().st_size >= self._most:
                self._part += 1
            append(self.path(), self._waiting)
            self._waiting = []
        except OSError as error:
            self._note(error)
            given_up = max(0, len(self._waiting) - _MAX_WAITING_PORTIONS * self._every)
            del self._waiting[:given_up]
            self.lost += given_up

    def _note(self, error: OSError) -> None:
        if not self.faults:
            _LOG.warning("telemetry cannot be written to %s: %s", self._folder, error)
        self.faults += 1


def keeps(rate: float, session_hash: str, number: int, seed: int = 0) -> bool:
    """Whether an event of a session belongs to the sample.

    A hash decides, so each event has just the probability `rate`, events are independent, and
    the answer is the same each time. A smaller rate keeps a part of what a larger one keeps.

    Parameters
    ----------
    rate : float
        From 0, for none, to 1, for all.
    session_hash : str
        The session.
    number : int
        Which of its events.
    seed : int, default 0
        For another sample of the same size.

    Examples
    --------
    >>> sum(keeps(0.25, "a session", number) for number in range(1000))
    264
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate of {rate} is no probability; give one from 0 to 1")
    said = f"{seed}\0{session_hash}\0{number}".encode("utf-8", "surrogatepass")
    drawn = int.from_bytes(blake2b(said, digest_size=8, person=b"mckp-sample").digest(), "big")
    return drawn < rate * (1 << 64)


class Recorder:
    """Records one session.

    The summary is of all events, also of those that the sample leaves out.

    Parameters
    ----------
    sink : Sink
        Who gets events and the summary.
    session_hash : str
        The session.
    sample_rate : float, default 1
        The probability with which an event is written down.
    seed : int, default 0
        See `mckp.telemetry.recorder.keeps`.

    Examples
    --------
    >>> from mckp.telemetry.sinks import MemorySink
    >>> sink = MemorySink()
    >>> with Recorder(sink, "0" * 16) as recorder:
    ...     pass
    >>> sink.summaries[0].total_events
    0
    """

    def __init__(
        self, sink: Sink, session_hash: str, *, sample_rate: float = 1.0, seed: int = 0
    ) -> None:
        self._sink, self._session = sink, session_hash
        self._rate, self._seed = sample_rate, seed
        self._tally = Tally(session_hash)
        self._number, self._closed = 0, False
        self._lock = Lock()

    def record(self, event: Event | Mapping[str, Any]) -> bool:
        """Take an event, or its fields; return whether it was written down.

        Raises
        ------
        RecordError
            If a field is missing or of the wrong type.
        ValueError
            If the session was closed.
        """
        found = words_only(event if isinstance(event, Event) else Event.from_dict(event))
        with self._lock:
            if self._closed:
                raise ValueError("the session was closed; open another recorder")
            self._tally.add(found, weight=1.0)
            number, self._number = self._number, self._number + 1
            kept = keeps(self._rate, self._session, number, self._seed)
            if kept:
                self._sink.write(replace(found, sample_rate_applied=self._rate))
        return kept

    def used(self, counts: Figures) -> None:
        """Add counts of uses to the summary, as `mckp.telemetry.Uses` has them."""
        with self._lock:
            add(self._tally.uses, counts)

    def close(self) -> SessionSummary:
        """Give the summary to the sink, once, and return it."""
        with self._lock:
            summary = self._tally.summary()
            if not self._closed:
                self._sink.close(summary)
            self._closed = True
        return summary

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the session, also where it failed."""
        self.close()


def recorder_for(telemetry: Telemetry, session_hash: str, *, now_ms: int | None = None) -> Recorder:
    """Return the recorder that a configuration asks for; where it is off, one that keeps nothing.

    What is too old in the folder is deleted first.

    Parameters
    ----------
    telemetry : Telemetry
        The section of a configuration.
    session_hash : str
        See `mckp.telemetry.event.Anonymiser.session`.
    now_ms : int, optional
        The present, in milliseconds since 1970.
    """
    if not telemetry.enabled:
        return Recorder(NullSink(), session_hash, sample_rate=0.0)
    folder = telemetry_folder(telemetry)
    keep = Retention(telemetry.event_days, telemetry.session_days, telemetry.most_mib << 20)
    now = int(time.time() * 1000) if now_ms is None else now_ms
    sink = FileSink(
        folder,
        session_hash,
        flush_every_n=telemetry.flush_every_n,
        rotate_bytes=telemetry.rotate_mib << 20,
    )
    try:
        purge(folder, keep, now)
    except OSError:
        sink.faults += 1  # what cannot be deleted must not stop a session
    return Recorder(sink, session_hash, sample_rate=telemetry.sample_rate)
