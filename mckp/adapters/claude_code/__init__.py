"""The hook of Claude Code: what tools returned is replaced by fewer tokens (since 2.1.121).

Every event of a conversation comes to a process of its own, so that what was delivered is kept
in a file in between.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.adapters.claude_code.answering import answer
    from mckp.adapters.claude_code.memory import Memory, opened
    from mckp.adapters.claude_code.run import recall, respond

__all__ = ["Memory", "answer", "opened", "recall", "respond"]

_HOME: Final = {
    "Memory": "memory",
    "answer": "answering",
    "opened": "memory",
    "recall": "run",
    "respond": "run",
}


if not TYPE_CHECKING:  # type checkers are to find names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
