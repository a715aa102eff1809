"""Telemetry: an event for each result and counts of uses for each session, as JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.agents.telemetry.event import Anonymiser as Anonymiser
    from mckp.agents.telemetry.event import Event as Event
    from mckp.agents.telemetry.event import installation_salt as installation_salt
    from mckp.agents.telemetry.fields import Uses as Uses
    from mckp.agents.telemetry.recorder import Recorder as Recorder
    from mckp.agents.telemetry.recorder import purge as purge
    from mckp.agents.telemetry.recorder import read_telemetry as read_telemetry
    from mckp.agents.telemetry.recorder import recorder_for as recorder_for

_HOMES = homes_of(
    {
        "mckp.agents.telemetry.event": "Anonymiser Event installation_salt",
        "mckp.agents.telemetry.fields": "Uses",
        "mckp.agents.telemetry.recorder": "Recorder purge read_telemetry recorder_for",
    }
)
__all__ = tuple(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)
