"""Reports what became of a result, for observers of a loop: counts and times, but no content."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.agents.session.record import Delivery

LOG: Final = logging.getLogger("mckp")
"""The logger that gets one line for each result, at the level DEBUG."""


@dataclass(frozen=True, slots=True)
class ResultEvent:
    """What became of one text that a tool returned.

    Attributes
    ----------
    tool : str
        The tool's name; empty if the call is not in the conversation.
    call_id : str
        The id of the call.
    before, after : int
        Tokens of the text as it came (of compact JSON, if it is JSON), and as it is sent.
    budget : int or None
        The most tokens that it could have.
    milliseconds : float
        How long it took.
    way : str
        What is sent: ``compact``, ``raw``, ``hint_exact`` or ``hint_near``, as in
        `mckp.agents.session.Delivery.name`; ``left`` for a tool whose results stay unchanged,
        ``note`` if a shared budget has no room left, ``plain`` for a text that was cut without
        being parsed.
    cuts : tuple of str
        The number of each kind of unit that was cut, such as ``rows 18``.
    fallback : str
        Why the result was not encoded: an error, or a budget without room; empty if it was encoded.
    notes : tuple of str
        What was replaced in a text that was not clean.
    unmatched : tuple of str
        The patterns of the tool's priorities that matched nothing in a result that was cut:
        misspelled ones, or ones for something that this result does not have.
    """

    tool: str
    call_id: str
    before: int
    after: int
    budget: int | None
    milliseconds: float
    way: str
    cuts: tuple[str, ...] = ()
    fallback: str = ""
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()

    def attributes(self, prefix: str = "mckp.") -> dict[str, str | int | float | list[str]]:
        """Return the event as attributes of an OpenTelemetry span, for `Span.set_attributes`.

        The tool and the call have the names that OpenTelemetry's conventions for generative AI use;
        all other names begin with `prefix`. What is None is left out.

        Examples
        --------
        >>> event = ResultEvent("jobs", "c1", 900, 95, 100, 2.5, "compact", ("rows 18",))
        >>> event.attributes()["gen_ai.tool.name"], event.attributes()["mckp.after"]
        ('jobs', 95)
        """
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        standard_names = {"tool": "gen_ai.tool.name", "call_id": "gen_ai.tool.call.id"}
        return {
            standard_names.get(name, f"{prefix}{name}"): [*cast("tuple[str, ...]", value)]
            if isinstance(value, tuple)
            else value
            for name, value in plain.items()
            if value is not None
        }

    def __str__(self) -> str:
        """Return the event as a line for a log."""
        limit = "" if self.budget is None else f" of {self.budget}"
        head = f"{self.tool or 'a tool'}: {self.before} tokens, sent {self.after}{limit} as "
        remarks = [*self.cuts, *self.notes, *([self.fallback] if self.fallback else [])]
        remarks += [f"nothing matches {pattern!r}" for pattern in self.unmatched]
        return f"{head}{self.way} in {self.milliseconds:.1f} ms" + "".join(
            f"; {remark}" for remark in remarks
        )


def cuts_of(delivery: Delivery) -> tuple[str, ...]:
    """Return how many units of each kind were cut from a result, such as ``rows 18``."""
    counts: dict[str, int] = {}
    for cut in delivery.elided:
        counts[cut.kind] = counts.get(cut.kind, 0) + cut.count
    return tuple(f"{kind} {count}" for kind, count in counts.items())


def report(event: ResultEvent, on_event: Callable[[ResultEvent], object] | None) -> None:
    """Log an event and pass it to `on_event`; an exception that this raises is only logged."""
    LOG.debug("%s", event)
    if on_event is not None:
        try:
            on_event(event)
        except Exception:
            LOG.warning("on_event failed", exc_info=True)
