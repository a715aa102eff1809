"""The fragments of a text."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Iterable

CLOSED: Final = "\n\n"
"""The end of a block: the line feed of its last line, and a blank line."""

_LINES: Final = regex(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


class Pieces:
    r"""The pieces of a document, which is cut where its blocks begin.

    The whole document and the options of its blocks share these pieces, so each is counted once.
    `starts` has the numbers of lines where blocks begin; a carriage return ends a line as well.

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
        """Return the pieces of the lines from `start` to before `end`, closed by a blank line."""
        first, after = bisect_left(self._starts, start), bisect_left(self._starts, end)
        if first >= after or self._starts[first] != start:
            return (self._text(start, end).strip("\n") + CLOSED,)
        last = self._text(self._starts[after - 1], end).rstrip("\n") + CLOSED
        return (*self.all[first : after - 1], last)

    def _text(self, start: int, end: int) -> str:
        """Return the text of the lines from `start` to before `end`."""
        return "".join(self._lines[start:end])


def is_normalised(text: str) -> bool:
    """Whether parsing leaves the characters of a text as they are."""
    return "\ufeff" not in text or normalise(text) == text


def margin(text: str) -> str:
    """Return a block of Markdown as a fragment: one that begins with ``/`` gets a blank first."""
    return f" {text}" if text.startswith("/") else text
