"""A cursor over the lines of a text that is being read back."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NoReturn

from mckp.errors import ParseError

LARGEST: Final = 100_000_000
"""Characters that any text may spell out."""

MOST_TIMES: Final = 200
"""Times its own length that a large text may spell out."""


class Lines:
    """The lines of a text, split at line feeds only, with a place in them.

    What readers know is here as well: `counts` has the rows read of each table within a table,
    `words` what bare words stand for, `room` how many characters headers may still spell out.
    """

    __slots__ = ("counts", "index", "items", "room", "words")

    def __init__(self, text: str) -> None:
        self.items = text.split("\n")
        if self.items[-1] == "":
            self.items.pop()
        self.index = 0
        self.room = max(LARGEST, MOST_TIMES * len(text))
        self.counts: Counter[object] = Counter()
        self.words: dict[str, Any] = {}

    def peek(self) -> str | None:
        """Return the line at the cursor, or None at the end."""
        return self.items[self.index] if self.index < len(self.items) else None

    def take(self) -> str:
        """Return the line at the cursor and step past it."""
        line = self.peek()
        self.index += 1
        if line is None:
            self.fail("the text ends too early")
        return line

    def spend(self, size: int) -> None:
        """Count characters that a header spells out in a row; fail when the room is used up."""
        self.room -= size
        if self.room < 0:
            self.fail("the text is too short for what it declares")

    def fail(self, message: str) -> NoReturn:
        """Raise a ParseError that names the line taken last."""
        raise ParseError(message, line=max(1, self.index), column=1)
