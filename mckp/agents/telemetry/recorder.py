"""Records a session to a file of lines of JSON, deletes what is old, and reads what is there."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.config.places import telemetry_folder
from mckp.agents.telemetry.event import Event, word
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mckp.agents.config.config import Telemetry
    from mckp.agents.telemetry.fields import Figures

_LOG: Final = logging.getLogger(__name__)

EVENTS: Final = "events"
"""The folder of sessions, in that of telemetry: each has a file, counts of uses at its end."""

SUMMARIES: Final = "sessions.jsonl"
"""The file in which earlier versions had the counts of all sessions."""

PORTION: Final = 25
"""Events that are written at once."""
MOST_WAITING: Final = 10 * PORTION
"""Events that wait in memory while they cannot be written."""
DAY_S: Final = 24 * 60 * 60


class Recorder:
    """Appends events to the file of their session, and what was used at the end.

    What cannot be written, say since the disk is full, is tried again with the next portion.
    A session is never stopped by it: the first fault is logged, and all are counted.

    Parameters
    ----------
    folder : Path or None
        The folder of telemetry; None to write nothing.
    session_hash : str
        The session; see `mckp.agents.telemetry.Anonymiser.session`.

    Attributes
    ----------
    faults, lost : int
        How often writing failed, and events that were given up.
    """

    def __init__(self, folder: Path | None, session_hash: str) -> None:
        if not session_hash.isalnum():
            raise ValueError(f"{session_hash!r} is no hash of a session; see Anonymiser.session")
        self._file = None if folder is None else folder / EVENTS / f"{session_hash}.jsonl"
        self._waiting: list[bytes] = []
        self._since, self._closed = 0, False
        self._lock = Lock()
        self.faults = self.lost = 0

    def record(self, event: Event) -> None:
        """Take an event, whose names are written as ``other`` where they look like text.

        Raises
        ------
        ValueError
            If the session was closed.
        """
        said = event.to_dict().items()
        self._take({name: word(value) if isinstance(value, str) else value for name, value in said})

    def used(self, counts: Figures) -> None:
        """Take counts of uses, as `mckp.agents.telemetry.Uses` has them."""
        if counts:
            self._take({"uses": counts})

    def close(self) -> None:
        """Write what waits; nothing is taken after this."""
        with self._lock:
            self._write()
            self._closed = True

    def __enter__(self) -> Recorder:
        """Return the recorder."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the session, also where it failed."""
        self.close()

    def _take(self, record: dict[str, Any]) -> None:
        with self._lock:
            if self._closed:
                raise ValueError("the session was closed; open another recorder")
            if self._file is None:
                return
            self._waiting.append(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            self._since += 1
            if self._since >= PORTION:
                self._write()

    def _write(self) -> None:
        self._since = 0
        if self._file is None or not self._waiting:
            return
        try:
            append(self._file, self._waiting)
            self._waiting = []
        except OSError as error:
            if not self.faults:
                _LOG.warning("telemetry cannot be written to %s: %s", self._file, error)
            self.faults += 1
            given_up = max(0, len(self._waiting) - MOST_WAITING)
            del self._waiting[:given_up]
            self.lost += given_up


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
    recorder = Recorder(folder, session_hash)
    now_s = time.time() if now_ms is None else now_ms / 1000
    try:
        purge(folder, now_s - telemetry.event_days * DAY_S, telemetry.most_mib << 20)
    except OSError:
        recorder.faults += 1  # what cannot be deleted must not stop a session
    return recorder


def purge(folder: Path, since_s: float, most_bytes: int) -> int:
    """Delete files that were last written too long ago, and the oldest if there is too much.

    Parameters
    ----------
    folder : Path
        The folder of telemetry.
    since_s : float
        Files written before go, in seconds since 1970.
    most_bytes : int
        Bytes that the others may have; the newest file stays in any case.

    Returns
    -------
    int
        Files that were deleted.
    """
    found: list[tuple[float, str, int, Path]] = []
    for file in _files(folder):
        with contextlib.suppress(FileNotFoundError):  # another process purges as well
            facts = file.stat()
            found.append((facts.st_mtime, file.name, facts.st_size, file))
    found.sort(reverse=True)  # the newest first
    total = deleted = 0
    for place, (written, _, size, file) in enumerate(found):
        total += size
        if written < since_s or (total > most_bytes and place > 0):
            file.unlink(missing_ok=True)
            deleted += 1
    return deleted


def append(path: Path, lines: Sequence[bytes]) -> None:
    """Append lines to a file that only its owner may read.

    They go in one write, so that lines of several processes do not mix; a torn last line
    stays alone. If it fails midway, what was written is taken back, to be tried again.
    """
    _closed_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _write_all(handle, (b"" if _ends_well(handle) else b"\n") + b"".join(lines))
    finally:
        os.close(handle)


def _write_all(handle: int, data: bytes) -> None:
    before, rest = os.fstat(handle).st_size, memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        # Not where another process has written meanwhile.
        if os.fstat(handle).st_size == before + len(data) - len(rest):
            with contextlib.suppress(OSError):
                os.ftruncate(handle, before)
        raise


def _closed_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner only."""
    if not folder.exists():
        _closed_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _ends_well(handle: int) -> bool:
    size = os.lseek(handle, 0, os.SEEK_END)
    if size == 0:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder of telemetry holds.

    Attributes
    ----------
    events : list of Event
        In the order of their files and lines.
    uses : list of dict
        Counts of uses, of one session each; see `mckp.agents.telemetry.Uses`.
    skipped : int
        Lines that could not be read: torn ones, and those of newer versions.
    """

    events: list[Event]
    uses: list[Figures]
    skipped: int


def read_telemetry(folder: Path) -> Found:
    """Read what a folder of telemetry holds.

    Parameters
    ----------
    folder : Path
        See `mckp.agents.config.places.telemetry_folder`.
    """
    events, uses, skipped = list[Event](), list[Any](), 0
    for file in _files(folder):
        with file.open("rb") as lines:
            for line in filter(bytes.strip, lines):
                try:
                    record: Any = orjson.loads(line)
                    if is_object(record.get("uses")):
                        uses.append(record["uses"])
                    else:
                        events.append(Event.from_dict(record))
                except (ValueError, AttributeError):
                    skipped += 1
    return Found(events, uses, skipped)


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted((folder / EVENTS).glob("*.jsonl"))
    if (folder / SUMMARIES).exists():
        yield folder / SUMMARIES
