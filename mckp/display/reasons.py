"""The reasons why a part of a document is written as it is: what `Result.why` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.display.blocks import aligned_lines, table
from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN: Final = 8
"""The most other places that a printed reason lists."""

_HEAD: Final = ("", "format", "kept", "tokens", "value", "value/token", "best")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write a part of a document, or to leave it out.

    Attributes
    ----------
    format : str
        The format; empty if the part is cut.
    kept : str
        ``whole``, ``part``, or ``cut``.
    tokens : int
        Its tokens, with the best choice for what is below it at the shadow price.
    value : float
        The information that it then keeps.
    taken : bool
        Whether this way was taken; if so, its tokens and value are those in the text.
    turns : int or None
        Roughly the budget from which on this way is the best, or up to which, if it has fewer
        tokens than the way taken. None for the way taken, and for a way that is best at no budget.
    """

    format: str
    kept: str
    tokens: int
    value: float
    taken: bool = False
    turns: int | None = None

    @property
    def density(self) -> float:
        """Value per token, or 0 if there are no tokens."""
        return self.value / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class Reason:
    """How a part of a document is written, or that it was cut, and the alternatives.

    Attributes
    ----------
    path : tuple
        The path that was asked for.
    decided : tuple
        The path of the decision: the part itself, or the ancestor that it is written or cut with.
    shadow_price : float
        The value of a token at the budget.
    ways : tuple of Way
        All alternatives there: the way taken first, then the others, the best at that price first.
    missing : tuple of str
        What the way taken leaves out, if it keeps a part: names, and the number of rows.
    left_out : bool
        Whether the part that was asked for is among those that the way taken leaves out.
    others : tuple of Reason
        For a pattern, the reasons of the other places that it matches.
    """

    path: tuple[str | int, ...]
    decided: tuple[str | int, ...]
    shadow_price: float
    ways: tuple[Way, ...]
    missing: tuple[str, ...] = ()
    left_out: bool = False
    others: tuple[Reason, ...] = ()

    @property
    def taken(self) -> Way:
        """The way that was taken."""
        return self.ways[0]

    def __str__(self) -> str:
        also = [reason.sentence() for reason in self.others[:SHOWN]]
        if len(self.others) > SHOWN:
            also.append(f"and {len(self.others) - SHOWN} more places")
        return "\n".join([self.sentence(), *aligned_lines(_HEAD, list(self._cells())), *also])

    def _repr_html_(self) -> str:
        return table(self.sentence(), _HEAD, list(self._cells()))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        ways = [{name: getattr(way, name) for name in Way.__slots__} for way in self.ways]
        return {
            "path": path_text(self.path),
            "decided": path_text(self.decided),
            "shadow_price": self.shadow_price,
            "missing": list(self.missing),
            "left_out": self.left_out,
            "ways": ways,
        } | ({"others": [reason.to_dict() for reason in self.others]} if self.others else {})

    def sentence(self) -> str:
        """Return the reason as one line."""
        here, there, taken = path_text(self.path), path_text(self.decided), self.taken
        place = "" if here == there else f" with {there}"
        if taken.kept == "cut":
            return f"{here} is cut{place}; one more token would add {self.shadow_price:.3g}"
        part = f", without {', '.join(self.missing)}" if self.missing else ""
        price = f"; one more token would add {self.shadow_price:.3g}" if self.shadow_price else ""
        how = f"as {taken.format}, {taken.kept}"
        if self.left_out:
            return f"{here} is left out: {there} is written {how}{part}{price}"
        return f"{here} is written{place} {how}{part}{price}"

    def _cells(self) -> Iterator[tuple[str, ...]]:
        """Yield the cells of the table, a row for each way."""
        for way in self.ways:
            figures = f"{way.tokens}", f"{way.value:g}", f"{way.density:.3g}"
            side = "from" if way.tokens > self.taken.tokens else "to"
            turns = "" if way.turns is None else f"{side} {way.turns}"
            yield ("*" if way.taken else "", way.format or "-", way.kept, *figures, turns)


@dataclass(frozen=True, slots=True)
class LineReason:
    """Whether a line of a text is kept, and what decides that.

    Within a budget, a text keeps the lines that are worth more per token than the last token of the
    budget buys, each with its heads. Gap marks have a cost, too, so a short line between two kept
    ones is cheaper than it looks, and a line far from all others is more expensive.

    Attributes
    ----------
    number : int
        The number of the line, counted from 1.
    line : str
        The line, without its end.
    kept : str
        ``whole``, ``part``, or ``cut``.
    kind : str
        The detected kind of text, such as ``log``, which decides what lines are worth.
    share : float
        The line's share of the worth of the text; 0 if it only repeats other lines.
    tokens : int
        Its tokens.
    heads : tuple of int
        The numbers of the lines that it is always written with, the nearest first.
    price : float
        The share per token that one more token would buy at this budget; 0 if nothing is cut.
    """

    number: int
    line: str
    kept: str
    kind: str
    share: float
    tokens: int
    heads: tuple[int, ...]
    price: float

    @property
    def density(self) -> float:
        """Share of the worth per token, or 0 if there are no tokens."""
        return self.share / self.tokens if self.tokens else 0.0

    def __str__(self) -> str:
        how = {"whole": "kept", "part": "kept in part", "cut": "cut"}[self.kept]
        worth = (
            f"it has {self.share:.2%} of the value of the text (read as {self.kind}) for "
            f"{self.tokens} tokens"
        )
        lines = [f"line {self.number} is {how}: {worth}, {self.density:.3%} per token"]
        if self.price:
            lines.append(f"one more token of budget would add {self.price:.3%} of that value")
        if self.kept == "whole" and self.density < self.price:
            lines.append("cutting it would save little: gaps have marks, and kept lines need heads")
        if self.kept == "cut" and self.density > self.price > 0:
            lines.append("keeping it would cost more than its own tokens: heads, or another mark")
        if self.heads:
            also = ", ".join(map(str, self.heads))
            lines.append(f"it is written only with line{'s' * (len(self.heads) > 1)} {also}")
        if not self.share:
            lines.append("it says nothing that other lines do not say")
        return "\n".join([*lines, f"  {self.line}"])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        plain = {name: getattr(self, name) for name in LineReason.__slots__}
        return {**plain, "heads": list(self.heads)}
