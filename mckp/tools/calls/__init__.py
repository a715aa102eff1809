"""Calls of tools as compact text: written, read from streams, checked, and put into histories."""

from __future__ import annotations

from mckp.tools.calls.events import Call, CallError, CallStart, Event, Form, Text, source_of
from mckp.tools.calls.parser import CallParser, joined, read_calls
from mckp.tools.calls.writer import write_call

__all__ = [
    "Call",
    "CallError",
    "CallParser",
    "CallStart",
    "Event",
    "Form",
    "Text",
    "joined",
    "read_calls",
    "source_of",
    "write_call",
]
