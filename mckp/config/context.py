"""What is known of a session when its configuration is resolved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionStats:
    """What a session did so far, or what sessions of its kind did.

    Attributes
    ----------
    event_count, compaction_count : int
        Results of tools, and how often the context was compacted.
    read_share : float
        The share of calls that read or search files.
    """

    event_count: int = 0
    compaction_count: int = 0
    read_share: float = 0.0


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Who reads, and what the session is like.

    Attributes
    ----------
    model_id : str or None
        The id of the model as its API has it.
    stats : SessionStats
        See there.
    """

    model_id: str | None = None
    stats: SessionStats = SessionStats()
