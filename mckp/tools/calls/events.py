"""What a parser of calls reports: text, the start of a call, a call, or what is wrong with one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Form: TypeAlias = Literal["wire", "native"]
"""How a call is written: ``<call>name key=value</call>`` or ``→name(value,key=value)``."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text between calls, as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call has begun; a `Call` or a `CallError` follows."""

    name: str
    form: Form


@dataclass(frozen=True, slots=True)
class Call:
    """A whole call.

    Attributes
    ----------
    name : str
        The tool.
    arguments : dict
        Plain values by parameter.
    source : str
        The text of the call, marks included.
    form : str
        ``"wire"`` or ``"native"``.
    """

    name: str
    arguments: dict[str, Any]
    source: str = field(default="", compare=False)
    form: Form = field(default="wire", compare=False)


@dataclass(frozen=True, slots=True)
class CallError:
    """What began as a call and is none; nothing of it may be run.

    Attributes
    ----------
    name : str or None
        The tool, if its name could be read.
    message : str
        What is wrong, where, and what to do, for a model to read.
    source : str
        The text that was read.
    """

    name: str | None
    message: str
    source: str


Event: TypeAlias = Text | CallStart | Call | CallError


def source_of(event: Event) -> str:
    """Return the text that an event covers; those of all events make up the text read."""
    if isinstance(event, Text):
        return event.text
    return "" if isinstance(event, CallStart) else event.source
