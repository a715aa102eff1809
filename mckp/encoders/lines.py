"""A cursor over the lines of a text, for readers."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NoReturn

from mckp.errors import ParseError

LARGEST: Final = 100_000_000
"""Characters that even a short text may spell out."""

MOST_TIMES: Final = 200
"""How many times its own length a large text may spell out."""


class Lines:
    """The lines of a text, split at line feeds only, with a cursor.

    It also holds the state that readers share: `counts` has the number of rows read for each inner
    table, `words` the meanings of bare words, and `room` the number of characters that headers may
    still expand to.
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
        """Subtract the characters that a header adds to a row from `room`; fail if it has fewer."""
        self.room -= size
        if self.room < 0:
            self.fail("the text is too short for what it declares")

    def fail(self, message: str) -> NoReturn:
        """Raise a `ParseError` at the line that was taken last."""
        raise ParseError(message, line=max(1, self.index), column=1)
