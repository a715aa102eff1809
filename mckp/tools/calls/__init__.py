"""Calls of tools as compact text: written, read from streams, checked, and put into histories."""

from __future__ import annotations

from mckp.tools.calls.grammar import Call, CallError, CallStart, Event, Form, Text, source_of
from mckp.tools.calls.history import (
    error_text,
    result_text,
    rewrite_history,
)
from mckp.tools.calls.manual import manual, native_signature, wire_signature, with_manual
from mckp.tools.calls.parser import CallParser, joined, read_calls
from mckp.tools.calls.validate import Problem, check_arguments
from mckp.tools.calls.writer import write_call

__all__ = [
    "Call",
    "CallError",
    "CallParser",
    "CallStart",
    "Event",
    "Form",
    "Problem",
    "Text",
    "check_arguments",
    "error_text",
    "joined",
    "manual",
    "native_signature",
    "read_calls",
    "result_text",
    "rewrite_history",
    "source_of",
    "wire_signature",
    "with_manual",
    "write_call",
]
