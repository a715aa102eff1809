"""Formats of others for tool catalogs, beside our own, to compare with.

`FORMATS` has them by name, `DECLARED` says what each is able to say, and `measured` finds out
whether that is so.
"""

from __future__ import annotations

from mckp.tools.foreign.expressiveness import DECLARED, Expressiveness
from mckp.tools.foreign.formats import FORMATS
from mckp.tools.foreign.measure import measured

__all__ = ["DECLARED", "FORMATS", "Expressiveness", "measured"]
