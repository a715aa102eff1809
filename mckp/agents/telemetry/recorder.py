"""Writes the events of a session to a file, deletes old files, and reads all files."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.places import telemetry_folder
from mckp.agents.telemetry.event import Event, word
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from pathlib import Path

    from mckp.agents.config.config import Telemetry
    from mckp.agents.telemetry.fields import Figures
    from mckp.plain import JsonValue

_LOG: Final = logging.getLogger(__name__)

EVENTS: Final = "events"
"""The subfolder for the files of sessions; counts of uses are at the end of each file."""

DAY_S: Final = 24 * 60 * 60


class Recorder:
    """Appends events, and counts of uses, to the file of their session.

    It never stops a session: what cannot be written, such as on a full disk, is dropped and
    counted, and the first fault is logged.

    Parameters
    ----------
    folder : Path or None
        The telemetry folder, or None to write nothing.
    session_hash : str
        The session; see `mckp.agents.telemetry.Anonymiser.session`.

    Attributes
    ----------
    faults : int
        How often writing failed.

    Raises
    ------
    ValueError
        If the session hash has other characters than letters and digits.
    """

    def __init__(self, folder: Path | None, session_hash: str) -> None:
        if not session_hash.isalnum():
            raise ValueError(
                f"{session_hash!r} is not a session hash; get one from Anonymiser.session"
            )
        self._file = None if folder is None else folder / EVENTS / f"{session_hash}.jsonl"
        self.faults = 0

    def record(self, event: Event) -> None:
        """Write an event; names that look like text become ``other``."""
        members = event.to_dict().items()
        self._write(
            {name: word(value) if isinstance(value, str) else value for name, value in members}
        )

    def record_uses(self, counts: Figures) -> None:
        """Write counts of uses, as `mckp.agents.telemetry.Uses.counts` returns them."""
        if counts:
            self._write({"uses": counts})

    def _write(self, record: dict[str, JsonValue]) -> None:
        """Append a record to the file; a fault is counted."""
        if self._file is None:
            return
        try:
            append_line(self._file, orjson.dumps(record))
        except OSError as error:
            if not self.faults:
                _LOG.warning("telemetry cannot be written to %s: %s", self._file, error)
            self.faults += 1


def recorder_for(telemetry: Telemetry, session_hash: str, *, now_ms: int | None = None) -> Recorder:
    """Return the recorder for a configuration; if telemetry is off, one that writes nothing.

    Files that are too old are deleted first. `now_ms` is the time in milliseconds since 1970.
    """
    if not telemetry.enabled:
        return Recorder(None, session_hash)
    folder = telemetry_folder(telemetry.path)
    recorder = Recorder(folder, session_hash)
    now_s = time.time() if now_ms is None else now_ms / 1000
    try:
        purge(folder, now_s - telemetry.event_days * DAY_S, telemetry.most_mib << 20)
    except OSError:
        recorder.faults += 1  # failing to delete files must not stop a session
    return recorder


def purge(folder: Path, since_s: float, most_bytes: int) -> int:
    """Delete session files last written before `since_s`; return how many were deleted.

    `since_s` is in seconds since 1970. If the other files have more than `most_bytes` together, the
    oldest of them are deleted too, but never the newest.
    """
    files: list[tuple[float, str, int, Path]] = []
    for file in sorted((folder / EVENTS).glob("*.jsonl")):
        with contextlib.suppress(FileNotFoundError):  # another process may delete files, too
            status = file.stat()
            files.append((status.st_mtime, file.name, status.st_size, file))
    files.sort(reverse=True)  # the newest first
    total = deleted = 0
    for index, (modified, _, size, file) in enumerate(files):
        total += size
        if modified < since_s or (total > most_bytes and index > 0):
            file.unlink(missing_ok=True)
            deleted += 1
    return deleted


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a file that only its owner may read.

    Each line is one write, so lines of several threads and processes do not mix. If the last line
    is incomplete, a line feed is written first.
    """
    _make_private_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (b"" if _ends_with_line(handle) else b"\n") + line + b"\n")
    finally:
        os.close(handle)


def _make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, which only their owner may enter."""
    if not folder.exists():
        _make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _ends_with_line(handle: int) -> bool:
    """Whether a file is empty or ends with a line feed."""
    size = os.lseek(handle, 0, os.SEEK_END)
    if size == 0:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


@dataclass(frozen=True, slots=True)
class TelemetryRecords:
    """The events and counts in a telemetry folder, in the order of files and lines."""

    events: list[Event]
    uses: list[Figures]
    """Counts of uses, each of one session; see `mckp.agents.telemetry.Uses`."""
    skipped: int
    """The number of lines that could not be read: incomplete ones, and ones of newer versions."""


def read_telemetry(folder: Path) -> TelemetryRecords:
    """Read all files in a telemetry folder; lines that cannot be read are only counted."""
    events, uses, skipped = list[Event](), list[Any](), 0
    for file in sorted((folder / EVENTS).glob("*.jsonl")):
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
    return TelemetryRecords(events, uses, skipped)
