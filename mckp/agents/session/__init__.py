"""The tool results of a conversation: a repeated one becomes a reference, any other is encoded.

`Session` decides what to send for each result. `Reader` decodes what was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.agents.config import SessionSettings as SessionSettings
    from mckp.agents.config import settings_for as settings_for
    from mckp.agents.session.reader import Reader as Reader
    from mckp.agents.session.record import Delivery as Delivery
    from mckp.agents.session.record import Savings as Savings
    from mckp.agents.session.session import Session as Session

_HOMES = homes_of(
    {
        "mckp.agents.config": "SessionSettings settings_for",
        "mckp.agents.session.reader": "Reader",
        "mckp.agents.session.record": "Delivery Savings",
        "mckp.agents.session.session": "Session",
    }
)
__all__ = tuple(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)
