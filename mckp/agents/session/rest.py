"""The lines of a text that were not shown yet, in order and with their numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from mckp.recall.lines import NumberedLine, NumberedText
from mckp.recall.patterns import LONG
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.result import Elided

_PIECE: Final = regex(rf"(?s).{{1,{LONG}}}(?:(?=\s)|\Z)|.{{1,{LONG}}}")


@dataclass(frozen=True, slots=True)
class Rest:
    """Lines that were not shown; a long one is split into pieces, each of them a `NumberedLine`."""

    lines: tuple[NumberedLine, ...]
    total_lines: int
    """The number of lines of the whole text."""
    shows_numbers: bool = False
    """Whether each line of the text begins with its number."""

    def after(self, count: int) -> Rest:
        """Return the lines that are left once the first `count` were shown."""
        return replace(self, lines=self.lines[count:])


def rest_of(document: str, cuts: Iterable[Elided], shown: str) -> Rest:
    r"""Return the lines of a text that the shorter text `shown` leaves out.

    They are the lines that the cuts name by number; if the cuts name none, the lines that occur
    nowhere in `shown`. If all of them are blank, there are none.

    Examples
    --------
    >>> [line.text for line in rest_of("one\ntwo\nthree\n", (), "one\nthree\n").lines]
    ['two']
    """
    source = NumberedText(document)
    lines = source.lines
    line_cuts = [cut for cut in cuts if cut.kind == "lines" and not cut.path]
    indexes = {key - 1 for cut in line_cuts for key in cut.keys if isinstance(key, int)}
    if not indexes or max(indexes) >= len(lines):
        seen = set(shown.splitlines())
        indexes = {index for index, line in enumerate(lines) if line not in seen}
    lines_left = tuple(
        chain.from_iterable(
            _pieces(
                NumberedLine(source.number(index), lines[index], place=source.inside[index]),
                shown,
            )
            for index in sorted(indexes)
        )
    )
    has_text = any(line_left.text.strip() for line_left in lines_left)
    return Rest(lines_left if has_text else (), len(lines), source.shown_numbers is not None)


def _pieces(line: NumberedLine, shown: str) -> Iterator[NumberedLine]:
    """Yield a line, or if it has more than `LONG` characters, the pieces of it not in `shown`."""
    if len(line.text) <= LONG:
        yield line
        return
    for match in _PIECE.finditer(line.text):
        start, end = match.span()
        if match[0].strip() and match[0].strip() not in shown:
            first, last = "…" if start else "", "…" if end < len(line.text) else ""
            yield line._replace(text=f"{first}{match[0].strip()}{last}")
