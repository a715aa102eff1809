"""Replays recorded sessions of agents with some settings, and learns weights from them."""

from __future__ import annotations

from mckp.agents.replay.log import (
    Action,
    Compact,
    Edit,
    End,
    LeftOut,
    Response,
    from_line,
    read_log,
)
from mckp.agents.replay.run import Played, replay

__all__ = [
    "Action",
    "Compact",
    "Edit",
    "End",
    "LeftOut",
    "Played",
    "Response",
    "from_line",
    "read_log",
    "replay",
]
