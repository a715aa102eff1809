"""The first and the last line of a catalog."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from mckp.regexes import regex
from mckp.tools.text.spell import CUT

SHARED: Final = "shared:\n"
"""The line above what is shared."""

UNIT: Final = "tools"
"""The unit of the hint that replaces a catalog when no tool fits."""

_MORE_TOOLS: Final = "; more: "
HEADER: Final = regex(
    r"\[(?:(\d{1,9})(?:/\d{1,9})? )?tools(?:, a\? optional, untyped: str)?"
    rf"(?:, \[names only\])?(?:, {CUT} cut)?(?:{_MORE_TOOLS}[^\n]*)?\]\n"
)
COUNT: Final = regex(r"\[(\d{1,9}) tools\]\n\Z")
"""Below a whole catalog, so that with one tool more all above it is the same, and may be cached."""


@dataclass(frozen=True, slots=True)
class CatalogHeader:
    """The first line of a catalog."""

    shown: int
    """How many tools are written."""
    total: int
    """How many tools there are."""
    has_names_only: bool = False
    """Whether there may be tools whose parameters are names only."""
    is_cut: bool = False
    """Whether parts of tools may have been left out."""
    recall: str = ""
    """How to get the rest."""

    def __str__(self) -> str:
        """Return the header line."""
        # From a thousand on, numbers of as many digits are numbers of as many tokens.
        width = len(str(self.total)) if self.total >= 1000 else 0
        count = f"{self.shown:0{width}d}/{self.total} " if self.is_cut else ""
        names_only = ", [names only]" if self.has_names_only else ""
        cut = f", {CUT} cut" if self.is_cut else ""
        more = f"{_MORE_TOOLS}{self.recall}" if self.recall else ""
        return f"[{count}tools, a? optional, untyped: str{names_only}{cut}{more}]\n"

    @property
    def end(self) -> str:
        """The line below all tools if none is cut, with their number."""
        return "" if self.is_cut else f"[{self.total} tools]\n"

    def line(self, kept: int) -> str:
        """Return the header line of a text that shows `kept` of the tools."""
        return str(replace(self, shown=kept))
