"""A document without some of its members, from its tape: what `mckp.menu.projection` leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.columns.buffer import put, put_byte
from mckp.columns.tape import AFTER, ARRAY, END, KEY_END, KEY_START, KIND, LENGTH, NAME, OBJECT, START
from mckp.jit import leaf, njit
from mckp.menu.members import KEYED
from mckp.menu.reduction import share
from mckp.menu.smaller import SmallerValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape
    from mckp.menu.members import Member
    from mckp.menu.shorten import Shortened
    from mckp.menu.smaller import Count

_ALL: Final = 1 << 62
"""Values of a member of which all stay."""

_GONE: Final = 0
"""What becomes of an entry: it goes, or leaves an empty record in a table,"""
_KEPT: Final = 1
"""it stays, or some of what is below it does,"""
_TABLE: Final = 2
"""and so does an entry below which are records, each at least as an empty one."""


class Left(NamedTuple):
    """What is left of a document.

    Attributes
    ----------
    content : array of uint8
        Its compact JSON.
    weights : array of float64
        The information in each leaf of it.
    numbers : sequence of int
        Nothing, for no leaf has a weight of its own.
    cuts : dict of str to (int, int)
        How many sentences, lines and so on are missing from texts, of how many.
    """

    content: Bytes
    weights: NDArray[np.float64]
    numbers: Sequence[int]
    cuts: dict[str, tuple[int, int]]


class SmallerTapes(SmallerValues):
    """The smaller versions of a document with a tape, as compact JSON.

    Parameters
    ----------
    tape : Tape
        The document.
    value
        Its value.
    count : callable
        From texts to the tokens of each.
    """

    def __init__(self, tape: Tape, value: Any, count: Count) -> None:
        super().__init__(value, count, lambda _: 1)
        self._tape = tape
        number = {member: place for place, member in enumerate(self.root.walk())}
        self._member = np.array([number[each] for each in self.order], dtype=np.int32)
        self._number = number
        nodes = tape.nodes[: len(self.order)]
        self._leaves = np.flatnonzero((nodes[:, KIND] > ARRAY) | (nodes[:, LENGTH] == 0))

    def left(self, kept: Mapping[Member, float]) -> Left:
        stay = np.zeros(len(self._number), np.int64)
        for member, level in kept.items():
            stay[self._number[member]] = _ALL if level >= 0 else -int(level)
        fate = np.empty(len(self._member), np.uint8)
        decide(self._tape, self._member, stay, fate)
        forms = self._forms_of(kept)
        instead = np.full(len(self._member), -1, np.int32)
        instead[self._leaves[list(forms)]] = np.arange(len(forms))
        texts = [dumped(form.text) for form in forms.values()]
        shares = [share(1, form.missing, form.total) for form in forms.values()]
        content, weights = _written(self._tape, fate, instead, texts, np.array(shares))
        return Left(content, weights, (), _cuts(forms.values()))

    def _forms_of(self, kept: Mapping[Member, float]) -> dict[int, Shortened]:
        """Return the forms of the texts that are shorter, by the numbers of their leaves."""
        found = [
            (number, form)
            for member, level in kept.items()
            if 0 <= level < len(member.levels) - 1
            for number, leaf in zip(member.numbers, member.leaves, strict=True)
            if isinstance(leaf, str) and (form := self.form(leaf, level)) is not None
        ]
        return dict(sorted(found, key=itemgetter(0)))


def _cuts(forms: Iterable[Shortened]) -> dict[str, tuple[int, int]]:
    cuts: dict[str, tuple[int, int]] = {}
    for form in forms:
        missing, total = cuts.get(form.unit, (0, 0))
        cuts[form.unit] = missing + form.missing, total + form.total
    return cuts


def _written(
    tape: Tape, fate: Bytes, instead: Small, texts: list[bytes], shares: NDArray[np.float64]
) -> tuple[Bytes, NDArray[np.float64]]:
    """Return compact JSON of what is left, and the information in its leaves."""
    ends = np.cumsum([0, *map(len, texts)])
    other = np.frombuffer(b"".join(texts), np.uint8)
    out = np.empty(tape.text.size + other.size + 2 * fate.size, np.uint8)
    weights = np.empty(fate.size)
    size, leaves = write_left(Left..., out)
    return out[:size], weights[:leaves]
