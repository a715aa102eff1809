"""The numbers of a text, one after the other, each with its place for when it is wrong."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def text_of(file: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    ParseError
        If it is no text.

    Examples
    --------
    >>> from pathlib import Path
    >>> len(text_of(Path(__file__))) > 0
    True
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ParseError(
            f"{file.name} is no UTF-8 text: {error.reason} at byte {error.start}; is it compressed?"
        ) from None


class Scanner:
    """Read the numbers of a text in order.

    Parameters
    ----------
    text
        Numbers with blanks and line ends between.
    name
        What errors call the file.

    Examples
    --------
    >>> scanner = Scanner("2 80", "two.txt")
    >>> scanner.count("classes"), scanner.count("budget")
    (2, 80)
    >>> scanner.count("size of class 1")
    Traceback (most recent call last):
    mckp.errors.ParseError: two.txt ends before the size of class 1; it is cut short (line 1, \
column 5)
    """

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._words = text.split()
        self._at = 0

    def count(self, what: str) -> int:
        """Return the next number, which must be whole and 0 or more."""
        self.skip(1, what)
        return int(self.wholes([self._at - 1], what)[0])

    def skip(self, numbers: int, what: str) -> int:
        """Pass over some numbers; return where they begin."""
        begin = self._at
        if begin + numbers > len(self._words):
            raise self._error(f"ends before the {what}; it is cut short", len(self._words))
        self._at += numbers
        return begin

    def end(self, advice: str) -> None:
        """Make sure that nothing is left."""
        if left := len(self._words) - self._at:
            raise self._error(f"goes on with {left} more words; {advice}", self._at)

    def wholes(self, places: Iterable[int], what: str) -> NDArray[np.int64]:
        """Return the numbers at these places, which must be whole and 0 or more."""
        found = list(places)
        for place in found:
            word = self._words[place]
            if not _WHOLE.fullmatch(word):
                raise self._error(
                    f"has {word!r} as {what}, which must be a whole number of up to 18 digits",
                    place,
                )
            if word.startswith("-"):
                raise self._error(f"has {word} as {what}, which cannot be negative", place)
        return np.array([int(self._words[place]) for place in found], dtype=np.int64)

    def numbers(self, places: Iterable[int], what: str) -> NDArray[Any]:
        """Return the numbers at these places: whole ones if all are, or else floats."""
        found = list(places)
        words = [self._words[place] for place in found]
        if all(map(_WHOLE.fullmatch, words)):
            return np.array([int(word) for word in words], dtype=np.int64)
        for place, word in zip(found, words, strict=True):
            if not _NUMBER.fullmatch(word):
                raise self._error(f"has {word!r} as {what}, which must be a number", place)
        return np.array([float(word) for word in words])

    def _error(self, problem: str, place: int) -> ParseError:
        match = next(islice(re.finditer(r"\S+", self._text), place, None), None)
        offset = match.start() if match else len(self._text)
        line = self._text.count("\n", 0, offset) + 1
        column = offset - self._text.rfind("\n", 0, offset)
        return ParseError(f"{self._name} {problem}", line=line, column=column)
