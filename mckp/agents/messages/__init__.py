"""Conversations as lists of messages, whose tool results are encoded within a budget.

A message that was sent never changes: if a conversation becomes longer, it still begins with the
same bytes, so prompt caches stay valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import homes_of, importer

if TYPE_CHECKING:
    from mckp.agents.config.policies import ToolPolicy as ToolPolicy
    from mckp.agents.messages.compaction import Compacted as Compacted
    from mckp.agents.messages.compaction import TextChange as TextChange
    from mckp.agents.messages.encoder import MessageEncoder as MessageEncoder
    from mckp.agents.messages.encoder import encode_messages as encode_messages
    from mckp.agents.messages.events import ResultEvent as ResultEvent
    from mckp.agents.messages.shapes import ToolText as ToolText
    from mckp.agents.messages.shares import LEAST as LEAST
    from mckp.agents.session.tool import RECALL as RECALL

_HOMES = homes_of(
    {
        "mckp.agents.config.policies": "ToolPolicy",
        "mckp.agents.messages.compaction": "Compacted TextChange",
        "mckp.agents.messages.encoder": "MessageEncoder encode_messages",
        "mckp.agents.messages.events": "ResultEvent",
        "mckp.agents.messages.shapes": "ToolText",
        "mckp.agents.messages.shares": "LEAST",
        "mckp.agents.session.tool": "RECALL",
    }
)
__all__ = tuple(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, _HOMES)
