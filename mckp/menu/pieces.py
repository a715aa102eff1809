"""Texts cut into fragments, so that a text that stands in several options is counted once.

The whole of a document is the text of its blocks one below the other. Cut where its blocks
begin, it consists of the same fragments as the options of these blocks, and counting it takes
no time of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex
from mckp.tokenizers.fragment import BLANKS, is_fragment

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

CLOSED: Final = "\n\n"
"""How a block ends: the line feed of its last line, and a blank line."""

_START: Final = rf"\n(?=(?!/)[{BLANKS}\x1c-\x1f]*+[^\r\n])"
_LINE: Final = regex(_START)
"""The line feed before a line that a fragment may begin with."""
_LINES: Final = regex(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
_BLOCK: Final = regex(rf"(?<=\n){_START}")
"""The same below an empty line."""


def line_pieces(text: str) -> tuple[str, ...]:
    r"""Return a text cut before each line that a fragment may begin with.

    Examples
    --------
    >>> line_pieces("a\nb\n\n/c\nd")
    ('a\n', 'b\n\n/c\n', 'd')
    """
    return _split(_LINE, text)


def block_pieces(text: str) -> tuple[str, ...]:
    r"""Return a text cut below each empty line, where a fragment may begin.

    Examples
    --------
    >>> block_pieces("a\nb\n\nc\nd\n\n/e")
    ('a\nb\n\n', 'c\nd\n\n/e')
    """
    return _split(_BLOCK, text)


def _split(place: re.Pattern[str], text: str) -> tuple[str, ...]:
    *pieces, last = place.split(text)
    return (*[f"{piece}\n" for piece in pieces], last)


class Pieces:
    r"""The lines of a document, cut where its blocks begin.

    Parameters
    ----------
    text : str
        The document; a carriage return ends a line as well.
    starts : iterable of int
        The numbers of the lines that blocks begin with, ascending.

    Examples
    --------
    >>> pieces = Pieces("# a\n\nb\n/c\n", [0, 2, 3])
    >>> pieces.all, pieces.closed(0, 2), pieces.closed(2, 4)
    (('# a\n\n', 'b\n/c\n'), ('# a\n\n',), ('b\n/c\n\n',))
    """

    def __init__(self, text: str, starts: Iterable[int]) -> None:
        self._lines = _LINES.findall(text)
        inner = (start for start in starts if start and is_fragment(self._lines[start] + "\n"))
        self._starts = [0, *dict.fromkeys(inner)]
        ends = [*self._starts[1:], len(self._lines)]
        self.all = tuple(map(self._text, self._starts, ends))

    def closed(self, start: int, end: int) -> tuple[str, ...]:
        """Return the pieces of some lines, the last of which a blank line closes."""
        first, after = bisect_left(self._starts, start), bisect_left(self._starts, end)
        if first >= after or self._starts[first] != start:
            return (self._text(start, end).strip("\n") + CLOSED,)
        last = self._text(self._starts[after - 1], end).rstrip("\n") + CLOSED
        return (*self.all[first : after - 1], last)

    def _text(self, start: int, end: int) -> str:
        return "".join(self._lines[start:end])
