"""What servers ask the host: who asked what, so that each answer goes to who asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from mckp.agents.mcp.link import Link
    from mckp.agents.mcp.messages import RequestId


def secret() -> str:
    """Return an id that nobody can guess: who answers to it was asked, or has seen it."""
    return f"mckp-{uuid4().hex}"


@dataclass(slots=True)
class Questions:
    """Requests of servers that the host has not answered.

    Attributes
    ----------
    several : bool
        Whether ids are replaced by secret ones, which no other server can spell.
    most : int
        Requests that a server may have open.
    """

    several: bool
    most: int = 256
    _open: dict[RequestId, tuple[Link, RequestId]] = field(
        default_factory=dict["RequestId", "tuple[Link, RequestId]"]
    )

    def ask(self, link: Link, number: RequestId) -> RequestId | None:
        """Return the id under which the host is asked; None if the server has asked too much."""
        if self._of(link, number) is not None or len(self.open(link)) == self.most:
            return None
        shown = secret() if self.several else number
        self._open[shown] = link, number
        return shown

    def answered(self, shown: RequestId) -> tuple[Link, RequestId] | None:
        """Return who asked, and the id that it gave; None if nobody waits for that."""
        return self._open.pop(shown, None)

    def taken_back(self, link: Link, number: RequestId) -> RequestId | None:
        """Return the id that the host knows, and wait no more; None if that is not open."""
        shown = self._of(link, number)
        return None if shown is None or self.answered(shown) is None else shown

    def open(self, link: Link) -> list[RequestId]:
        """Return the ids, as the host knows them, of what a server waits for."""
        return [shown for shown, (asker, _) in self._open.items() if asker is link]

    def _of(self, link: Link, number: RequestId) -> RequestId | None:
        """Return the id that the host knows; a number is not the text of the same digits."""
        found = (n for n, (asker, own) in self._open.items() if asker is link and own == number)
        return next(found, None)
