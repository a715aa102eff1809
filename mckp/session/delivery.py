"""What is to be sent for a response, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mckp.result import Elided
    from mckp.telemetry.event import Event


@dataclass(frozen=True, slots=True)
class Tried:
    """A text that might have been sent.

    Attributes
    ----------
    layer, name : str
        The layer, and the reference's kind, the template or the form.
    tokens : int
        Of the text.
    """

    layer: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is to be sent for a response.

    Attributes
    ----------
    text : str
        What to send.
    number : int or None
        The handle by which `mckp.session.Session.recall` gives the response back; None if
        it was too short to be kept.
    layer, name : str
        What wrote it: ``L0`` with ``hint_exact`` or ``hint_near``, ``L1`` with a template,
        ``L2`` with ``compact``, ``L3`` with ``raw``.
    tokens, baseline : int
        Of the text; of the response as compact JSON, or as it came if it is none.
    why : str
        The reason in words.
    tried : tuple of Tried
        What it was chosen from.
    elided : tuple of Elided
        What was cut for a budget.
    event : Event
        The same for telemetry: figures and hashes, no text and no arguments.
    """

    text: str
    number: int | None
    layer: str
    name: str
    tokens: int
    baseline: int
    why: str
    tried: tuple[Tried, ...]
    elided: tuple[Elided, ...]
    event: Event

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data that JSON can hold."""
        return {
            "text": self.text,
            "number": self.number,
            "layer": self.layer,
            "name": self.name,
            "tokens": self.tokens,
            "baseline": self.baseline,
            "why": self.why,
            "tried": [asdict(each) for each in self.tried],
            "elided": [str(cut) for cut in self.elided],
            "event": self.event.to_dict(),
        }
