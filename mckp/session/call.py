"""One call of a tool, and its result."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.errors import ParseError
from mckp.jsontext import canonical
from mckp.telemetry.names import hashed

if TYPE_CHECKING:
    from mckp.session.scopes import Scope


@dataclass(frozen=True, slots=True)
class Call:
    """One call, and its result.

    Attributes
    ----------
    tool : str
        The tool's name.
    args
        Its arguments.
    text : str
        The result.
    file : str or None
        The file that it is about.
    agent : str
        Whose context it goes to.
    budget : int or None
        Tokens that it may have.
    call_id : str
        What the call is known by.
    scope : Scope
        That context.
    """

    tool: str
    args: Any
    text: str
    file: str | None
    agent: str
    budget: int | None
    call_id: str
    scope: Scope

    @property
    def key(self) -> str:
        """A hash of the arguments."""
        return hashed(_spelled(self.args), "", 32)

    @property
    def size(self) -> int:
        """Bytes of the result."""
        return len(self.text) if self.text.isascii() else len(_encoded(self.text))

    def may_have(self, tokens: int) -> bool:
        """Whether so many tokens are within the budget."""
        return self.budget is None or tokens <= self.budget

    def check(self) -> None:
        """Check that the result is text.

        Raises
        ------
        ParseError
            With the place of a lone surrogate.
        """
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            place = error.start
            raise ParseError(f"a lone surrogate at character {place} is not text") from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _spelled(args: Any) -> str:
    try:
        return canonical(args)
    except (TypeError, ValueError, RecursionError):
        with suppress(Exception):  # of whose object it is
            return repr(args)
    return type(args).__name__
