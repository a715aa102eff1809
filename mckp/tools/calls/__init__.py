"""Tool calls as compact text: how to write them, read them from streams, check and answer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.renamed import renamed_in
from mckp.tools.calls.bodies import write_call
from mckp.tools.calls.grammar import Call, CallError, CallStart, Event, Text, source_of
from mckp.tools.calls.parser import CallParser, joined, read_calls
from mckp.tools.calls.prompts import error_text, escaped, manual, result_text, with_manual
from mckp.tools.calls.validate import ArgumentProblem, check_arguments

__all__ = [
    "ArgumentProblem",
    "Call",
    "CallError",
    "CallParser",
    "CallStart",
    "Event",
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

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(
        __name__,
        {"Problem": "ArgumentProblem"},
    )
