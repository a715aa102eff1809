"""Formats of other projects for tool catalogs, to compare ours with.

`FORMATS` has them by name, `DECLARED` says what each is able to say, and `measured` finds out
whether that is so.
"""

from __future__ import annotations

from foreign.expressiveness import DECLARED, Expressiveness
from foreign.formats import FORMATS
from foreign.measure import measured

__all__ = ["DECLARED", "FORMATS", "Expressiveness", "measured"]
