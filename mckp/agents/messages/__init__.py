"""Conversations as lists of messages, whose tool results are encoded within a budget.

A message that was sent never changes: if a conversation becomes longer, it still begins with the
same bytes, so prompt caches stay valid.
"""

from __future__ import annotations

from mckp.agents.config.policies import ToolPolicy
from mckp.agents.messages.compaction import Compacted, TextChange
from mckp.agents.messages.encoder import MessageEncoder, encode_messages
from mckp.agents.messages.events import ResultEvent
from mckp.agents.messages.shapes import ToolText
from mckp.agents.messages.shares import LEAST
from mckp.agents.session.tool import NAME as RECALL

__all__ = [
    "LEAST",
    "RECALL",
    "Compacted",
    "MessageEncoder",
    "ResultEvent",
    "TextChange",
    "ToolPolicy",
    "ToolText",
    "encode_messages",
]
