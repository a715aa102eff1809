"""One text that a tool returned, as it stands in a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolText:
    """One text that a tool returned.

    Attributes
    ----------
    tool : str
        The tool's name; empty if the call is not in the conversation.
    text : str
        What it returned.
    args
        The arguments of the call.
    call_id : str
        What the call is known by.
    is_error : bool
        Whether the call failed.
    parts : int
        How many texts the same call returned, which share its budget.
    """

    tool: str
    text: str
    args: Any = None
    call_id: str = ""
    is_error: bool = False
    parts: int = 1
