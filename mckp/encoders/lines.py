"""A cursor over the lines of a text that is being read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mckp.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Lines:
    """The lines of a text, split at line feeds only, with a place in them.

    Parameters
    ----------
    text : str
        The text; what follows its last line feed counts as a line if it is not empty.
    """

    __slots__ = ("index", "items")

    def __init__(self, text: str) -> None:
        self.items = text.split("\n")
        if self.items[-1] == "":
            self.items.pop()
        self.index = 0

    def peek(self) -> str | None:
        """Return the line at the cursor, or None at the end."""
        return self.items[self.index] if self.index < len(self.items) else None

    def take(self) -> str:
        """Return the line at the cursor and step past it."""
        line = self.peek()
        if line is None:
            self.fail("the text ends too early")
        self.index += 1
        return line

    def rest(self) -> Iterator[str]:
        """Yield the lines that remain, each with its line feed, stepping past them."""
        while self.index < len(self.items):
            yield self.take() + "\n"

    def fail(self, message: str) -> NoReturn:
        """Raise a ParseError that names the line at the cursor."""
        raise ParseError(message, line=self.index + 1, column=1)
