"""A place in a line that is being read, and what all readers do there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn

from mckp.encoders.embedded import MOST_DEPTH, MOST_LEVELS
from mckp.encoders.words import NAME
from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, load
from mckp.regexes import regex

if TYPE_CHECKING:
    import re

    from mckp.encoders.lines import Lines

_STRING = regex(STRING)
_NAME = regex(NAME)
_DEEPEST = MAX_DEPTH + MOST_LEVELS * MOST_DEPTH


class Cursor(ABC):
    """A line being read, with the lines below it.

    Parameters
    ----------
    text : str
        The line.
    lines : Lines
        The cursor behind it: the lines of long strings are taken from there.
    place : int, default 0
        Where in the line to begin.
    """

    __slots__ = ("depth", "lines", "place", "text")

    def __init__(self, text: str, lines: Lines, place: int = 0) -> None:
        self.text, self.lines, self.place = text, lines, place
        self.depth = 0

    def close(self) -> None:
        """Check that all of the line was read."""
        if self.place != len(self.text):
            self.fail("nothing more was expected")

    def fail(self, message: str) -> NoReturn:
        """Raise a ParseError that names this place."""
        raise ParseError(message, line=max(1, self.lines.index), column=self.place + 1)

    def sees(self, text: str) -> bool:
        """Whether a text stands here."""
        return self.text.startswith(text, self.place)

    def skip(self, text: str) -> bool:
        """Step past a text if it stands here."""
        if self.text.startswith(text, self.place):
            self.place += len(text)
            return True
        return False

    def need(self, text: str) -> None:
        """Step past a text that has to stand here."""
        if not self.skip(text):
            self.fail(f"{text!r} was expected")

    def match(self, pattern: re.Pattern[str], what: str) -> str:
        """Step past what a pattern matches here, and return it."""
        found = pattern.match(self.text, self.place)
        if found is None:
            self.fail(f"{what} was expected")
        self.place = found.end()
        return found[0]

    @abstractmethod
    def value(self) -> Any:
        """Read a value in the notation of the line."""

    def deeper(self) -> None:
        """Step into a bracket."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail("brackets are nested too deeply")

    def json(self, text: str) -> Any:
        """Return the value of a text that is JSON."""
        try:
            return load(text)
        except ValueError as error:
            return self.fail(f"broken JSON {text[:40]!r}: {error}")

    def string(self) -> str:
        """Read a string of JSON."""
        return str(self.json(self.match(_STRING, "a string")))

    def name(self) -> str:
        """Read the name of a member."""
        if (bare := _NAME.match(self.text, self.place)) is not None:
            self.place = bare.end()
            return bare[0]
        return self.string() if self.sees('"') else self.fail("a name was expected")

    def add(self, members: dict[str, Any], name: str, value: Any) -> None:
        """Put a member where there is none of its name yet."""
        if name in members:
            self.fail(f"{name!r} stands twice")
        members[name] = value
