"""A document without some of its members, from its tape: what `mckp.menu.projection` leaves."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.columns.buffer import put, put_byte
from mckp.columns.tape import (
    AFTER,
    ARRAY,
    END,
    KEY_END,
    KEY_START,
    KIND,
    LENGTH,
    NAME,
    OBJECT,
    START,
)
from mckp.jit import leaf, njit
from mckp.jsontext import dumped
from mckp.menu.members import KEYED
from mckp.menu.reduction import share
from mckp.menu.smaller import SmallerValues

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.tape import Small, Tape
    from mckp.menu.members import Member
    from mckp.menu.shorten import Shortened
    from mckp.tokenizers.bpe import Bpe

_ALL: Final = 1 << 62
"""Values of a member of which all stay."""

_GONE: Final = 0
"""What becomes of an entry: it goes, or leaves an empty record in a table,"""
_KEPT: Final = 1
"""it stays with all that is below it,"""
_OBJECT: Final = 2
"""or with some of its members,"""
_TABLE: Final = 3
"""or with all of its records, some of them empty ones."""


class TapeLeft(NamedTuple):
    """A `mckp.menu.projection.Left` of which the content is compact JSON."""

    content: Bytes
    weights: Any
    cuts: dict[str, tuple[int, int]]
    numbers: tuple[int, ...] = ()

    @property
    def weight(self) -> float:
        """The information in all of it."""
        return len(self.weights) if (self.weights == 1).all() else float(self.weights.sum())


class SmallerTapes(SmallerValues):
    """The smaller versions of a document with a tape, as compact JSON.

    Parameters
    ----------
    tape : Tape
        The document.
    value
        Its value.
    tokenizer : Bpe
        What counts.
    """

    def __init__(self, tape: Tape, value: Any, tokenizer: Bpe) -> None:
        super().__init__(value, partial(_counted, tokenizer), lambda _: 1)
        self._tape = tape
        number = {member: place for place, member in enumerate(self.members)}
        self._member = np.array([number[each] for each in self.order], dtype=np.int32)
        self._number = number
        nodes = tape.nodes[: len(self.order)]
        self._leaves = np.flatnonzero((nodes[:, KIND] > ARRAY) | (nodes[:, LENGTH] == 0))

    def left(self, kept: Mapping[Member, float]) -> TapeLeft:
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
        ends = np.cumsum([0, *map(len, texts)])
        other = np.frombuffer(b"".join(texts), np.uint8)
        content, weights = _written(
            self._tape, fate, _Texts(instead, ends, other, np.array(shares))
        )
        return TapeLeft(content, weights, _cuts(forms.values()))

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


def _counted(tokenizer: Bpe, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, of which most pieces were counted before."""
    coded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([0, *map(len, coded)])
    buffer = np.frombuffer(b"".join(coded), np.uint8)
    found: list[int] = tokenizer.count_pieces(buffer, ends[:-1], ends[1:]).tolist()
    return found


def _cuts(forms: Iterable[Shortened]) -> dict[str, tuple[int, int]]:
    cuts: dict[str, tuple[int, int]] = {}
    for form in forms:
        missing, total = cuts.get(form.unit, (0, 0))
        cuts[form.unit] = missing + form.missing, total + form.total
    return cuts


class _Texts(NamedTuple):
    """Shorter texts: which of them each entry becomes, if any, where it stands, and its share."""

    instead: Small
    ends: Ints
    other: Bytes
    shares: NDArray[np.float64]


def _written(tape: Tape, fate: Bytes, texts: _Texts) -> tuple[Bytes, NDArray[np.float64]]:
    """Return compact JSON of what is left, and the information in its leaves."""
    out = np.empty(tape.text.size + texts.other.size + 2 * fate.size, np.uint8)
    weights = np.empty(fate.size)
    size, leaves = _write(tape, fate, texts, 0, out, 0, weights, 0)
    return out[:size], weights[:leaves]


@njit
def decide(tape: Tape, member: Small, stay: Ints, fate: Bytes) -> None:
    """Decide what becomes of each entry.

    Parameters
    ----------
    tape : Tape
        The document.
    member : array of int32
        The number of the member that each entry is a value of.
    stay : array of int64
        How many values of each member stay, the first ones.
    fate : array of uint8
        Is set for each entry.
    """
    seen = np.zeros(stay.size, np.int64)
    entry = 0
    while entry < fate.size:
        mine, after = member[entry], tape.nodes[entry, AFTER]
        seen[mine] += 1
        if seen[mine] > stay[mine]:
            fate[entry:after] = _GONE
        else:
            fate[entry] = _opened(tape, entry)
            if fate[entry] == _KEPT:
                fate[entry:after] = _KEPT
            else:
                after = entry + 1
        entry = after
    for entry in range(fate.size - 1, -1, -1):
        if fate[entry] >= _OBJECT and not _has_any(tape, fate, entry):
            fate[entry] = _GONE


@leaf
def _opened(tape: Tape, entry: int) -> int:
    """Return what becomes of an entry that stays, as far as what is below it does."""
    kind, size = tape.nodes[entry, KIND], tape.nodes[entry, LENGTH]
    if kind > ARRAY or not size:
        return _KEPT
    objects = 0
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        objects += tape.nodes[child, KIND] == OBJECT
        child = tape.nodes[child, AFTER]
    if objects == size and (kind == ARRAY or size >= KEYED):
        return _TABLE
    return _OBJECT if kind == OBJECT else _KEPT


@leaf
def _has_any(tape: Tape, fate: Bytes, entry: int) -> bool:
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        if fate[child] != _GONE:
            return True
        child = tape.nodes[child, AFTER]
    return False


@leaf
def _write(
    tape: Tape,
    fate: Bytes,
    texts: _Texts,
    entry: int,
    out: Bytes,
    n: int,
    weights: NDArray[np.float64],
    leaves: int,
) -> tuple[int, int]:
    """Append what is left of an entry, and the information in its leaves; return both sizes."""
    kind = tape.nodes[entry, KIND]
    gone = fate[entry] == _GONE
    if gone or kind > ARRAY or not tape.nodes[entry, LENGTH]:
        other: int = texts.instead[entry]
        weights[leaves] = 0 if gone else 1
        if gone:
            n = put_byte(out, put_byte(out, n, 123), 125)
        elif other >= 0:
            weights[leaves] = texts.shares[other]
            n = put(out, n, texts.other, texts.ends[other], texts.ends[other + 1])
        else:
            n = put(out, n, tape.text, tape.spans[entry, START], tape.spans[entry, END])
        return n, leaves + 1
    begin = n
    n = put_byte(out, n, 123 if kind == OBJECT else 91)
    child = entry + 1
    while child < tape.nodes[entry, AFTER]:
        if fate[child] != _GONE or fate[entry] == _TABLE:
            if n > begin + 1:
                n = put_byte(out, n, 44)
            key = tape.nodes[child, NAME]
            if kind == OBJECT:
                n = put(out, n, tape.text, tape.keys[key, KEY_START], tape.keys[key, KEY_END])
                n = put_byte(out, n, 58)
            n, leaves = _write(tape, fate, texts, child, out, n, weights, leaves)
        child = tape.nodes[child, AFTER]
    return put_byte(out, n, 125 if kind == OBJECT else 93), leaves
