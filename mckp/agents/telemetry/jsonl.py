"""Records as lines of JSON: lines that are torn or of another world are counted, not fatal."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import orjson

from mckp.agents.telemetry.event import Event, SessionSummary
from mckp.errors import RecordError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

R = TypeVar("R", Event, SessionSummary)

EVENTS: Final = "events"
"""The folder of events, in that of telemetry: a session has a file, or several if it is long."""

SESSIONS: Final = "sessions.jsonl"
"""The file of summaries."""


@dataclass(frozen=True, slots=True)
class Found(Generic[R]):
    """What some files hold.

    Attributes
    ----------
    records : list
        Those that could be read.
    skipped : int
        Lines that could not: torn ones, and those of newer versions.
    """

    records: list[R]
    skipped: int


def line(record: Event | SessionSummary) -> bytes:
    """Return a record as a line."""
    return orjson.dumps(record.to_dict(), option=orjson.OPT_APPEND_NEWLINE)


def append(path: Path, lines: Sequence[bytes]) -> None:
    """Append lines to a file that only its owner may read.

    They go in one write, so that lines of several processes do not mix; a torn last line
    stays alone. If it fails midway, what was written is taken back, to be tried again.
    """
    _closed_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _write(handle, (b"" if _ends_well(handle) else b"\n") + b"".join(lines))
    finally:
        os.close(handle)


def _write(handle: int, data: bytes) -> None:
    before, rest = os.fstat(handle).st_size, memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        # Not where another process has written meanwhile.
        if os.fstat(handle).st_size == before + len(data) - len(rest):
            with suppress(OSError):
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


def read_events(folder: Path) -> Found[Event]:
    """Read all events in a folder of telemetry, in the order of their files and lines.

    Parameters
    ----------
    folder : Path
        See `mckp.agents.config.places.telemetry_folder`.
    """
    return _read(sorted((folder / EVENTS).glob("*.jsonl"), key=_order), Event)


def read_sessions(folder: Path) -> Found[SessionSummary]:
    """Read all summaries in a folder of telemetry."""
    file = folder / SESSIONS
    return _read([file] if file.exists() else [], SessionSummary)


def _order(path: Path) -> tuple[str, int]:
    session, _, part = path.stem.partition(".")
    return session, int(part) if part.isdigit() else 0


def _read(paths: Iterable[Path], kind: type[R]) -> Found[R]:
    records: list[R] = []
    skipped = 0
    for raw in _lines(paths):
        record = _parsed(raw, kind)
        if record is None:
            skipped += 1
        else:
            records.append(record)
    return Found(records, skipped)


def _lines(paths: Iterable[Path]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            yield from (raw for raw in file if raw.strip())


def _parsed(raw: bytes, kind: type[R]) -> R | None:
    """Return the record that a line is, None for any other line."""
    try:
        data: Any = orjson.loads(raw)
        return kind.from_dict(data) if is_object(data) else None
    except (orjson.JSONDecodeError, RecordError):
        return None


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Keep other processes from the summaries, where the system can."""
    _closed_folder(folder)
    try:
        import fcntl
    except ImportError:  # Windows: summaries are written once a session
        yield
        return
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
