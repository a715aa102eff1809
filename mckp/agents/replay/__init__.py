"""Replays recorded sessions of agents with given settings, and learns weights from them."""

from __future__ import annotations

from mckp.agents.replay.actions import (
    Action,
    Compact,
    Edit,
    End,
    LeftOut,
    ModelRequest,
    Response,
)
from mckp.agents.replay.log import from_line, read_log
from mckp.agents.replay.run import Played, replay

__all__ = [
    "Action",
    "Compact",
    "Edit",
    "End",
    "LeftOut",
    "ModelRequest",
    "Played",
    "Response",
    "from_line",
    "read_log",
    "replay",
]
