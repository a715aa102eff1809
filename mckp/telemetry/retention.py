"""What telemetry forgets: events after 30 days, summaries after 90, and what is too much."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mckp.config.atomic import write_atomically
from mckp.telemetry.fingerprint import DAY_MS
from mckp.telemetry.jsonl import EVENTS, SESSIONS, line, locked, read_sessions

if TYPE_CHECKING:
    from pathlib import Path

_DAY_S: Final = DAY_MS // 1000


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
    since = now_ms / 1000 - keep.event_days * _DAY_S
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
    since = now_ms - keep.session_days * DAY_MS
    with locked(folder):
        found = read_sessions(folder).records
        left = [each for each in found if each.ended_at_ms >= since]
        if len(left) < len(found):
            content = b"".join(line(each) for each in left)
            write_atomically(folder / SESSIONS, content, mode=0o600)
    return len(found) - len(left)
