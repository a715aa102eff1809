"""A part of a value that may stand for it, and families of such parts, ever smaller ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import frexp
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from mckp.encoders.hints import Overflow
from mckp.menu.shorten import Shortener
from mckp.weights.sums import FINEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Weigh: TypeAlias = Callable[[int], float]


_BITS: Final = 30
"""Bits of the share that a part has of a large weight."""

_NEAR: Final = 12
"""Forms between two that are offered where a choice leaves tokens over."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A part of a value.

    Attributes
    ----------
    content
        What is left.
    weight : float
        Information that is left.
    hints : tuple of Overflow
        What is said about that which is missing.
    place : int
        How much is missing, in steps of its family.
    names : tuple of str
        What was left out, if that has names; ``url[3:]`` where the first three records have it.
    weights : sequence of float
        The information in each leaf of `content`.
    numbers : tuple of int
        Which leaf of the value each leaf of `content` was; -1 for what became empty.
    """

    content: Any
    weight: float
    hints: tuple[Overflow, ...]
    place: int
    names: tuple[str, ...] = ()
    weights: Sequence[float] = field(default=(), compare=False)
    numbers: tuple[int, ...] = ()

    @property
    def note(self) -> str:
        """The lines that tell what is missing."""
        return "".join(f"{hint}\n" for hint in self.hints)


class Family(Protocol):
    """Parts of one value, each of which is a part of the one before it."""

    def places(self) -> Iterable[int]:
        """Return a few places, far enough apart to be worth a choice."""
        ...

    def at(self, place: int) -> Reduction | None:
        """Return the part at a place, or None if nothing is left there."""
        ...

    def near(self, part: Reduction, known: Iterable[int]) -> Iterable[Reduction]:
        """Return parts that are a little larger than one, none of them at a known place."""
        ...


class ShorterTexts:
    """The shorter forms of a string, by how many of its parts are missing.

    Parameters
    ----------
    text : str
        The string.
    weight : float
        The information in it.
    content : callable, optional
        From a shorter form to what it is read back as.
    """

    def __init__(
        self, text: str, weight: float, content: Callable[[str], Any] | None = None
    ) -> None:
        self._forms, self._weight, self._content = Shortener(text), weight, content

    def places(self) -> Iterable[int]:
        return self._forms.places()

    def at(self, place: int) -> Reduction:
        form = self._forms.without(place)
        hint = Overflow(form.missing, form.total, form.unit)
        content = form.text if self._content is None else self._content(form.text)
        return Reduction(content, share(self._weight, form.missing, form.total), (hint,), place)

    def near(self, part: Reduction, known: Iterable[int]) -> Iterable[Reduction]:
        larger = max((place for place in known if place < part.place), default=0)
        stride = max(1, (part.place - larger) // _NEAR)
        return map(self.at, range(part.place - 1, larger, -stride))


def share(weight: float, missing: int, total: int) -> float:
    """Return the weight of a text of which parts are missing.

    It is a multiple of 2**-20, of a larger power of two if the weight is large, so that sums of
    shares are as exact as those of weights.
    """
    unit = 2.0 ** max(FINEST, frexp(weight)[1] - _BITS)
    return int(weight / unit * (total - missing) / total) * unit
