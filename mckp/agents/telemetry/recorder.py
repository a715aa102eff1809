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

_LOG: Final = logging.getLogger(__name__)

EVENTS: Final = "events"
"""The subfolder for files of sessions; counts of uses stand at the end of each."""

DAY_S: Final = 24 * 60 * 60


class Recorder:
    """Appends events, and counts of uses, to the file of their session.

    It never stops a session: if something cannot be written, say on a full disk, it is dropped and
    counted, and the first fault is logged.

    Parameters
    ----------
    folder : Path or None
        The folder of telemetry; None to write nothing.
    session_hash : str
        The session; see `mckp.agents.telemetry.Anonymiser.session`.

    Attributes
    ----------
    faults : int
        How often writing failed.
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

    def used(self, counts: Figures) -> None:
        """Write counts of uses, as `mckp.agents.telemetry.Uses` has them."""
        if counts:
            self._write({"uses": counts})

    def _write(self, record: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            append(self._file, orjson.dumps(record))
        except OSError as error:
            if not self.faults:
                _LOG.warning("telemetry cannot be written to %s: %s", self._file, error)
            self.faults += 1


def recorder_for(telemetry: Telemetry, session_hash: str, *, now_ms: int | None = None) -> Recorder:
    """Return the recorder that a configuration asks for; if it is off, one that writes nothing.

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
        recorder.faults += 1  # what cannot be deleted must not stop a session
    return recorder


def purge(folder: Path, since_s: float, most_bytes: int) -> int:
    """Delete files last written before a time in seconds since 1970, and return how many.

    If the others have more than `most_bytes`, the oldest are deleted, but never the newest.
    """
    files: list[tuple[float, str, int, Path]] = []
    for file in sorted((folder / EVENTS).glob("*.jsonl")):
        with contextlib.suppress(FileNotFoundError):  # another process may delete as well
            facts = file.stat()
            files.append((facts.st_mtime, file.name, facts.st_size, file))
    files.sort(reverse=True)  # the newest first
    total = deleted = 0
    for place, (written, _, size, file) in enumerate(files):
        total += size
        if written < since_s or (total > most_bytes and place > 0):
            file.unlink(missing_ok=True)
            deleted += 1
    return deleted


def append(path: Path, line: bytes) -> None:
    """Append a line to a file that only its owner may read.

    There is one write for a line, so lines of several threads and processes do not mix. A line
    feed comes first if the last line was torn.
    """
    _closed_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (b"" if _ends_well(handle) else b"\n") + line + b"\n")
    finally:
        os.close(handle)


def _closed_folder(folder: Path) -> None:
    """Make a folder, and missing ones above it, for the owner only."""
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
    """The content of a folder of telemetry, in the order of files and lines."""

    events: list[Event]
    uses: list[Figures]
    """Counts of uses, of one session each; see `mckp.agents.telemetry.Uses`."""
    skipped: int
    """Lines that could not be read: torn ones, and those of newer versions."""


def read_telemetry(folder: Path) -> Found:
    """Read a folder of telemetry; see `mckp.agents.places.telemetry_folder`."""
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
    return Found(events, uses, skipped)
