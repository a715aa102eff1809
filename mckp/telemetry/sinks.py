"""Where events go: nowhere, to memory, or to files in portions."""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from mckp.telemetry.jsonl import EVENTS, SESSIONS, append, line, locked

if TYPE_CHECKING:
    from pathlib import Path

    from mckp.telemetry.event import Event
    from mckp.telemetry.summary import SessionSummary


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
