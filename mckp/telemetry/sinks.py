"""Where events go: nowhere, or to memory; `mckp.telemetry.files` has the one for files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
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


class Fan:
    """Gives all that it takes to several sinks.

    Parameters
    ----------
    *sinks : Sink
        Who gets it, in this order.

    Examples
    --------
    >>> isinstance(Fan(MemorySink(), NullSink()), Sink)
    True
    """

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = sinks

    def write(self, event: Event) -> None:
        """Give the event to each."""
        for sink in self._sinks:
            sink.write(event)

    def flush(self) -> None:
        """Flush each."""
        for sink in self._sinks:
            sink.flush()

    def close(self, summary: SessionSummary) -> None:
        """Give the summary to each."""
        for sink in self._sinks:
            sink.close(summary)
