"""A parser goes from state to state in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mckp.tools.calls.events import Event


class State(Protocol):
    """Where a parser is, and how it reads on."""

    def step(self, text: str, at: int, final: bool) -> Step:
        """Read on from a place.

        The character before the place is there, but at the start of all. What is decided here
        must hold whatever comes after `text`, unless it is `final`, the last there is.
        """
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """How far was read, what was found, and the state after it, None to wait for more text."""

    at: int
    events: tuple[Event, ...]
    state: State | None
