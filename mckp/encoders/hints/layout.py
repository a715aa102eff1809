"""``> [as csv]``: the format of what stands below.

No text of ours needs it, for headers say the same; it is for texts of another hand.
"""

from __future__ import annotations

from dataclasses import dataclass

from mckp.regexes import regex

_LAYOUT = regex(r"> \[as ([a-z][a-z0-9_]*)\]")


@dataclass(frozen=True, slots=True)
class Layout:
    """The name of a format, a word of small letters, digits and underscores."""

    format: str

    def __str__(self) -> str:
        return f"> [as {self.format}]"


def read_layout(line: str) -> Layout | None:
    """Return the layout that a line tells, or None."""
    match = _LAYOUT.fullmatch(line)
    return Layout(match[1]) if match else None
