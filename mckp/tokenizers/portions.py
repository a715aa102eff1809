r"""Cutting long texts where counts add up, for libraries take several times the room of a text.

A line feed behind a letter or digit of ASCII begins a piece of its own in the patterns of both
vocabularies, whatever stands further away, and nothing is merged across the end of a piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

PORTION: Final = 1 << 18
"""Characters that a portion has at least, but for the last."""

_JOINT: Final = regex(r"[A-Za-z0-9](?=\n)")


def portions(text: str, size: int = PORTION) -> Iterator[str]:
    r"""Cut a text so that counts of the portions add up.

    Parameters
    ----------
    text : str
        Any text.
    size : int
        Characters that a portion has at least, but for the last; there may be more.

    Examples
    --------
    >>> list(portions("ab\nc!\nd\ne", 3))
    ['ab\nc!\nd', '\ne']
    """
    start = 0
    while len(text) - start > size and (found := _JOINT.search(text, start + size - 1)):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
