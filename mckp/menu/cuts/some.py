"""The options that keep some lines of a text; `mckp.menu.cuts.step` makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.encoders import PROSE, marks
from mckp.frozen import frozen
from mckp.menu.classes import CutPart, Option
from mckp.parsers.text import text_tree

if TYPE_CHECKING:
    from mckp.menu.cuts.frontier import OptionFrontier
    from mckp.menu.cuts.lines import LinePlan
    from mckp.menu.cuts.parts import Flags, Floats, Ints

TEXT: Final = "text"
"""The kind of a document that is cut by lines."""


@frozen(eq=False)
class Some:
    """The options of a class that keep some of its lines; plain data."""

    plan: LinePlan
    frontier: OptionFrontier
    tokens: Ints
    """The tokens of each part."""
    costs: Ints
    worths: Floats
    """The cost and the worth of each option; the whole text has the worth of the class."""
    shares: Floats
    """The worth of each part, as a share of that of the text."""
    kind: str
    """What kind of text the lines are of."""
    labelled: set[int]
    """The options with a line above that says what kind of text it is, since no gap shows that."""
    line_count: int
    """The number of lines of the text."""
    notes: tuple[str, ...] = ()
    """Notes on all lines, one of which may be below the text. Options with the first one follow
    those without a note, in the same order, and so on."""

    def kept(self, number: int) -> Flags:
        """Flag the parts that an option keeps."""
        return self.frontier.kept(number % len(self.frontier.cost))

    def text(self, number: int) -> str:
        """Return the text of an option."""
        above = marks.kind_line(TEXT) if number in self.labelled else ""
        text = above + self.plan.write(self.kept(number))
        if number < len(self.frontier.cost):
            return text
        note = self.notes[number // len(self.frontier.cost) - 1]
        return f"{text}{note}\n" if text.endswith("\n") else f"{text}\n{note}"

    def option(self, number: int) -> Option:
        """Return an option by its number."""
        kept = self.kept(number)
        gaps = tuple(self.plan.gaps(kept, self.tokens))
        part = CutPart((), gaps=gaps, line_count=self.line_count)
        left = text_tree(self.plan.kept_stretches(kept))
        worth = float(self.worths[number])
        return Option(PROSE.name, (self.text(number),), worth, part=part, left=left)
