"""``> [5 of 23 for status=open]``: how many of all that a query found are here."""

from __future__ import annotations

from dataclasses import dataclass

from mckp.encoders.hints.parts import read_end, write_end
from mckp.regexes import regex

_RETURNED = regex(r"> \[([0-9]{1,18}) of ([0-9]{1,18})(?: for (.+))?\]")


@dataclass(frozen=True, slots=True)
class Returned:
    """What was returned of what was found.

    Attributes
    ----------
    count, total : int
        How many are here, of how many.
    query : str or None
        What was asked.
    """

    count: int
    total: int
    query: str | None = None

    def __str__(self) -> str:
        asked = "" if self.query is None else f" for {write_end(self.query)}"
        return f"> [{self.count} of {self.total}{asked}]"


def read_returned(line: str) -> Returned | None:
    """Return what a line tells about a query, or None."""
    match = _RETURNED.fullmatch(line)
    if match is None:
        return None
    found = Returned(int(match[1]), int(match[2]), None if match[3] is None else read_end(match[3]))
    return found if str(found) == line else None
