"""TERSE Tool Catalog 1.0: as its converter writes it, and by its rules, with a way back."""

from __future__ import annotations

from mckp.tools.foreign.ttc.convert import entry_of, tool_of
from mckp.tools.foreign.ttc.entry import Entry, Field
from mckp.tools.foreign.ttc.read import read_entries, read_ttc
from mckp.tools.foreign.ttc.released import ttc_released
from mckp.tools.foreign.ttc.write import ttc, write_ttc

__all__ = [
    "Entry",
    "Field",
    "entry_of",
    "read_entries",
    "read_ttc",
    "tool_of",
    "ttc",
    "ttc_released",
    "write_ttc",
]
