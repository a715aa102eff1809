"""The tool results of a conversation: a repeated one becomes a reference, any other is encoded.

`Session` decides what to send for each result. `Reader` decodes what was sent.
"""

from __future__ import annotations

from mckp.agents.config import SessionSettings, settings_for
from mckp.agents.session.reader import Reader
from mckp.agents.session.record import Delivery, Savings
from mckp.agents.session.session import Session

__all__ = [
    "Delivery",
    "Reader",
    "Savings",
    "Session",
    "SessionSettings",
    "settings_for",
]
