"""What an encoding call returns: the text and everything there is to know about it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.encoders.base import DataLoss


@dataclass(frozen=True, slots=True)
class Choice:
    """One block of the text and the format it was written in.

    Attributes
    ----------
    path : tuple
        Steps from the root of the document.
    format : str
        The format's name.
    tokens : int
        Tokens of the block, all that stands below it included.
    value : float
        Information the block keeps.
    """

    path: tuple[str | int, ...]
    format: str
    tokens: int
    value: float


@dataclass(frozen=True, slots=True)
class Elided:
    """What was cut from one container; a hint stands in the text for each of these.

    Attributes
    ----------
    path : tuple
        Steps from the root to the container.
    kind : str
        What was cut: ``rows``, ``fields``, ``items``, ``blocks``, ``paragraphs``, ``lines``, or
        ``facts`` when it was all of the data; ``tools``, or ``keywords`` of one.
    count, total : int
        How many were cut, of how many.
    tokens : int
        What they would have cost in the cheapest format of their place.
    keys : tuple
        Their names or indices.
    """

    path: tuple[str | int, ...]
    kind: str
    count: int
    total: int
    tokens: int
    keys: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.count} of {self.total} {self.kind}"


@dataclass(frozen=True, slots=True)
class Result:
    """An encoded document.

    Attributes
    ----------
    text : str
        What to send.
    tokens : int
        Tokens of the text, counted.
    budget : int or None
        The budget it was made for.
    tokenizer : str
        Who counted.
    exact : bool
        Whether that tokenizer counts exactly; an estimate proves no budget.
    value : float
        Information the text keeps; `total` is what the document holds.
    bound : float
        No selection from the same menu keeps more within the budget.
    status : str
        ``optimal`` when `value` equals the bound and no text of equal value from the same
        menu is shorter; else ``feasible``.
    choices : tuple of Choice
        The blocks of the text, in the order of the document.
    elided : tuple of Elided
        All that was cut.
    loss : DataLoss
        What the formats used have lost: ``NONE`` for documents, as no format that loses
        anything is offered; ``TRUNCATED`` for tools of which anything is left out.
    unmatched : tuple of str
        The patterns among the priorities that nothing in the document matches.
    """

    text: str
    tokens: int
    budget: int | None
    tokenizer: str
    exact: bool
    value: float
    total: float
    bound: float
    status: str
    choices: tuple[Choice, ...]
    elided: tuple[Elided, ...]
    loss: DataLoss
    unmatched: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """How far `value` may be from the best, as a share of `value`; 0 when optimal."""
        return (self.bound - self.value) / max(1.0, abs(self.value))

    def summary(self) -> str:
        """Return a few lines for people: tokens, value, formats, cuts."""
        return "\n".join(f"{name:10} {text}" for name, text in self._facts())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "budget": self.budget,
            "tokenizer": self.tokenizer,
            "exact": self.exact,
            "value": self.value,
            "total": self.total,
            "bound": self.bound,
            "gap": self.gap,
            "status": self.status,
            "loss": self.loss.name,
            "choices": [_plain(choice) for choice in self.choices],
            "elided": [_plain(cut) for cut in self.elided],
            "unmatched": list(self.unmatched),
        }

    def _facts(self) -> Iterable[tuple[str, str]]:
        limit = "no budget" if self.budget is None else f"budget {self.budget}"
        counted = "counted" if self.exact else "estimated"
        yield "tokens", f"{self.tokens} ({limit}, {counted} by {self.tokenizer})"
        yield "value", f"{self.value:g} of {self.total:g}"
        yield "status", f"{self.status} (bound {self.bound:g}, gap {self.gap:.2%})"
        yield "formats", ", ".join(f"{name} {n}" for name, n in self._formats().items()) or "none"
        yield "cut", "; ".join(map(str, self.elided)) or "nothing"
        if self.unmatched:
            yield "unmatched", ", ".join(self.unmatched)

    def _formats(self) -> dict[str, int]:
        names = [choice.format for choice in self.choices]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in self._facts()
        )
        return (
            f"<table>{rows}</table><details><summary>text</summary>"
            f"<pre>{escape(self.text)}</pre></details>"
        )


def _plain(record: Choice | Elided) -> dict[str, Any]:
    fields = {name: getattr(record, name) for name in type(record).__slots__}
    return {**fields, "path": path_text(record.path)}
