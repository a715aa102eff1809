"""Recorded sessions of agents, and what a configuration makes of them."""

from __future__ import annotations

from mckp.replay.log import (
    Action,
    Compact,
    Edit,
    End,
    Response,
    from_line,
    read_log,
    to_line,
    write_log,
)
from mckp.replay.run import Played, replay, settings_for

__all__ = [
    "Action",
    "Compact",
    "Edit",
    "End",
    "Played",
    "Response",
    "from_line",
    "read_log",
    "replay",
    "settings_for",
    "to_line",
    "write_log",
]
