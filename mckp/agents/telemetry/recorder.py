"""Records one session to files, and deletes what is too old or too much."""

from __future__ import annotations

import contextlib
import logging
import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

from mckp.agents.config.places import telemetry_folder, write_atomically
from mckp.agents.telemetry.event import Event, SessionSummary, words_only
from mckp.agents.telemetry.fields import add
from mckp.agents.telemetry.jsonl import EVENTS, SESSIONS, append, line, locked, read_sessions

if TYPE_CHECKING:
    from pathlib import Path

    from mckp.agents.config.config import Telemetry
    from mckp.agents.telemetry.fields import Figures

_LOG: Final = logging.getLogger(__name__)
PORTION: Final = 25
"""Events that are written at once."""
MOST_WAITING: Final = 10 * PORTION
"""Events that wait in memory while they cannot be written."""
DAY_S: Final = 24 * 60 * 60


class Recorder:
    """Appends events to a file of their session, and its summary to that of all sessions.

    What cannot be written, say since the disk is full, is tried again with the next portion.
    A session is never stopped by it: the first fault is logged, and all are counted.

    Parameters
    ----------
    folder : Path or None
        The folder of telemetry; None to write nothing, and only sum up.
    session_hash : str
        The session; see `mckp.agents.telemetry.Anonymiser.session`.
    rotate_bytes : int
        The size from which on a new file is begun.

    Attributes
    ----------
    faults, lost : int
        How often writing failed, and events that were given up.

    Examples
    --------
    >>> with Recorder(None, "0" * 16) as recorder:
    ...     pass
    >>> recorder.close().total_events
    0
    """

    def __init__(
        self, folder: Path | None, session_hash: str, *, rotate_bytes: int = 100 << 20
    ) -> None:
        if not session_hash.isalnum():
            raise ValueError(f"{session_hash!r} is no hash of a session; see Anonymiser.session")
        self._folder, self._session, self._most = folder, session_hash, rotate_bytes
        self._summary = SessionSummary(session_hash=session_hash)
        self._waiting: list[bytes] = []
        self._since, self._part, self._closed = 0, 0, False
        self._lock = Lock()
        self.faults = self.lost = 0

    def record(self, event: Event) -> None:
        """Take an event, and write the portion if it is the last of one.

        Raises
        ------
        ValueError
            If the session was closed.
        """
        found = words_only(event)
        with self._lock:
            if self._closed:
                raise ValueError("the session was closed; open another recorder")
            self._summary.add(found)
            if self._folder is None:
                return
            self._waiting.append(line(found))
            self._since += 1
            if self._since >= PORTION:
                self._write(self._folder)

    def used(self, counts: Figures) -> None:
        """Add counts of uses to the summary, as `mckp.agents.telemetry.Uses` has them."""
        with self._lock:
            add(self._summary.uses, counts)

    def close(self) -> SessionSummary:
        """Write what waits and the summary, once, and return the summary."""
        with self._lock:
            if self._folder is not None and not self._closed:
                self._write(self._folder)
                try:
                    with locked(self._folder):
                        append(self._folder / SESSIONS, [line(self._summary)])
                except OSError as error:
                    self._note(error)
            self._closed = True
        return self._summary

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the session, also where it failed."""
        self.close()

    def _write(self, folder: Path) -> None:
        self._since = 0
        if not self._waiting:
            return
        try:
            while self._file(folder).exists() and self._file(folder).stat().st_size >= self._most:
                self._part += 1
            append(self._file(folder), self._waiting)
            self._waiting = []
        except OSError as error:
            self._note(error)
            given_up = max(0, len(self._waiting) - MOST_WAITING)
            del self._waiting[:given_up]
            self.lost += given_up

    def _file(self, folder: Path) -> Path:
        """Return the file that is written to."""
        part = f".{self._part}" if self._part else ""
        return folder / EVENTS / f"{self._session}{part}.jsonl"

    def _note(self, error: OSError) -> None:
        if not self.faults:
            _LOG.warning("telemetry cannot be written to %s: %s", self._folder, error)
        self.faults += 1


def recorder_for(telemetry: Telemetry, session_hash: str, *, now_ms: int | None = None) -> Recorder:
    """Return the recorder that a configuration asks for; where it is off, one that keeps nothing.

    What is too old in the folder is deleted first.

    Parameters
    ----------
    telemetry : Telemetry
        The section of a configuration.
    session_hash : str
        See `mckp.agents.telemetry.Anonymiser.session`.
    now_ms : int, optional
        The present, in milliseconds since 1970.
    """
    if not telemetry.enabled:
        return Recorder(None, session_hash)
    folder = telemetry_folder(telemetry)
    keep = Retention(telemetry.event_days, telemetry.session_days, telemetry.most_mib << 20)
    now = int(time.time() * 1000) if now_ms is None else now_ms
    recorder = Recorder(folder, session_hash, rotate_bytes=telemetry.rotate_mib << 20)
    try:
        purge(folder, keep, now)
    except OSError:
        recorder.faults += 1  # what cannot be deleted must not stop a session
    return recorder


@dataclass(frozen=True, slots=True)
class Retention:
    """How long and how much is kept.

    Attributes
    ----------
    event_days, session_days : int
        Days for which events and summaries are kept.
    most_bytes : int
        Bytes of all events; the oldest files go first.
    """

    event_days: int = 30
    session_days: int = 90
    most_bytes: int = 1000 << 20


def purge(folder: Path, keep: Retention, now_ms: int) -> int:
    """Delete what is too old or too much.

    A file of events goes as a whole, once its last event is too old.

    Parameters
    ----------
    folder : Path
        The folder of telemetry.
    keep : Retention
        What stays.
    now_ms : int
        The present, in milliseconds since 1970.

    Returns
    -------
    int
        Files and summaries that were deleted.
    """
    return _purge_events(folder, keep, now_ms) + _purge_sessions(folder, keep, now_ms)


def _purge_events(folder: Path, keep: Retention, now_ms: int) -> int:
    since = now_ms / 1000 - keep.event_days * DAY_S
    found: list[tuple[float, str, int, Path]] = []
    for file in (folder / EVENTS).glob("*.jsonl"):
        with contextlib.suppress(FileNotFoundError):  # another process purges as well
            facts = file.stat()
            found.append((facts.st_mtime, file.name, facts.st_size, file))
    found.sort(reverse=True)  # the newest first
    total = deleted = 0
    for place, (written, _, size, file) in enumerate(found):
        total += size
        too_much = total > keep.most_bytes and place > 0
        if written < since or too_much:
            file.unlink(missing_ok=True)
            deleted += 1
    return deleted


def _purge_sessions(folder: Path, keep: Retention, now_ms: int) -> int:
    if not (folder / SESSIONS).exists():
        return 0
    since = now_ms - keep.session_days * DAY_S * 1000
    with locked(folder):
        found = read_sessions(folder).records
        left = [each for each in found if each.ended_at_ms >= since]
        if len(left) < len(found):
            content = b"".join(line(each) for each in left)
            write_atomically(folder / SESSIONS, content, mode=0o600)
    return len(found) - len(left)
