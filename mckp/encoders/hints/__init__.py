"""The one-line notes about a text that stand inside it: one grammar, to write and to read.

======================================================  =====================================
``> [+18 of 20 rows]``                                  `Overflow`: how much is missing
``> [+18 of 20 rows get_issues(page=2)]``               and the call that gets the rest
``> [ref #3]``                                          `Reference`: the same as an earlier text
``> [ref #3 status:"open"=>"done"]``                    the same but for some values
``> [as csv]``                                          `Layout`: the format of what is below
``> [5 of 23 for status=open]``                         `Returned`: how much a query found
======================================================  =====================================

``str`` writes each of them, `read_hint` reads them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.encoders.hints.layout import Layout, read_layout
from mckp.encoders.hints.overflow import (
    HINT,
    NOTES,
    Overflow,
    read_overflow,
    skip_notes,
    take_hint,
)
from mckp.encoders.hints.reference import Change, Reference, read_reference
from mckp.encoders.hints.returned import Returned, read_returned

if TYPE_CHECKING:
    from typing import TypeAlias

    Hint: TypeAlias = Overflow | Reference | Layout | Returned

__all__ = [
    "HINT",
    "NOTES",
    "Change",
    "Layout",
    "Overflow",
    "Reference",
    "Returned",
    "read_hint",
    "read_overflow",
    "skip_notes",
    "take_hint",
]

_READERS = {"+": read_overflow, "r": read_reference, "a": read_layout}


def read_hint(line: str | None) -> Hint | None:
    """Return the hint that a line is, or None.

    Examples
    --------
    >>> read_hint("> [+18 of 20 rows]")
    Overflow(missing=18, total=20, unit='rows', call=None)
    >>> read_hint("> [as csv]"), read_hint("> [sic]")
    (Layout(format='csv'), None)
    """
    if not line or not line.startswith("> [") or not line.endswith("]"):
        return None
    return _READERS.get(line[3], read_returned)(line)
