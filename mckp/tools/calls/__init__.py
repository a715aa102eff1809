"""Tool calls as compact text: how to write them, read them from streams, check and answer them."""

from __future__ import annotations

from mckp.tools.calls.bodies import write_call
from mckp.tools.calls.grammar import Call, CallError, CallStart, Event, Text, source_of
from mckp.tools.calls.parser import CallParser, joined, read_calls
from mckp.tools.calls.prompts import error_text, escaped, manual, result_text, with_manual
from mckp.tools.calls.validate import Problem, check_arguments

__all__ = [
    "Call",
    "CallError",
    "CallParser",
    "CallStart",
    "Event",
    "Problem",
    "Text",
    "check_arguments",
    "error_text",
    "escaped",
    "joined",
    "manual",
    "read_calls",
    "result_text",
    "source_of",
    "with_manual",
    "write_call",
]
