"""The hook of Claude Code: what tools returned is replaced by fewer tokens (since 2.1.121).

Every event of a conversation comes to a process of its own, so that what was delivered is kept
in a file in between.
"""

from __future__ import annotations

from mckp.adapters.claude_code.answer import answer
from mckp.adapters.claude_code.memory import Memory, opened
from mckp.adapters.claude_code.run import recall, respond

__all__ = ["Memory", "answer", "opened", "recall", "respond"]
