"""What a session tells of its results: it samples, writes down, and sums up at the end."""

from __future__ import annotations

import time
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

from mckp.config.places import telemetry_folder
from mckp.telemetry.event import Event, words_only
from mckp.telemetry.jsonl import Retention, purge
from mckp.telemetry.sinks import FileSink, NullSink
from mckp.telemetry.summary import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from mckp.config.config import Telemetry
    from mckp.telemetry.sinks import Sink
    from mckp.telemetry.summary import SessionSummary


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        See `mckp.telemetry.names.Anonymiser.session`.
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
