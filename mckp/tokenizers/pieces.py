"""Counts of many short texts: each piece is counted once by a library, then looked up.

The pattern of a vocabulary cuts a text into pieces, and tokens never cross a cut. So the count
of a text is the sum over its pieces, and most pieces of data have been seen before.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.tokenizers import backends
from mckp.tokenizers.automata import AUTOMATA
from mckp.tokenizers.classes import ASCII, COMMON, classes
from mckp.tokenizers.slices import texts_of
from mckp.tokenizers.tally import LATER, PIECES, SHORT, USED, classify, spread, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mckp.jit import Ints

    Bytes = NDArray[np.uint8]

SLOTS: Final = 2**15
"""Slots of a new table; half of them are used."""
MOST_SLOTS: Final = 2**19
"""Slots of the largest table, 8 MB; one that is full is emptied."""
ROUNDS: Final = 6
"""How often slices are looked at; those not counted by then are left to the library."""
_GROWTH: Final = 4
_ARENA: Final = 8
"""Bytes for long pieces, by slot."""


class Pieces:
    """The pieces of one vocabulary whose tokens are known.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    slots, most : int
        Slots of the first table, and of the largest; powers of two.

    Examples
    --------
    >>> text = np.frombuffer(b"Hello world", np.uint8)
    >>> Pieces("o200k_base").count(text, np.array([0, 5]), np.array([11, 11])).tolist()
    [2, 1]
    """

    def __init__(self, name: str, slots: int = SLOTS, most: int = MOST_SLOTS) -> None:
        self._name = name
        self._most = most
        self._lock = Lock()
        self._clear(slots)

    def count(self, text: Bytes, starts: Ints, ends: Ints) -> Ints:
        """Count the tokens of slices of a buffer, each on its own.

        Parameters
        ----------
        text : array of uint8
            UTF-8; surrogates in it are read as tiktoken does.
        starts, ends : array of int64
            Where the slices stand; they may overlap, and cut no character.

        Returns
        -------
        array of int64
            One count a slice.

        Raises
        ------
        UnicodeDecodeError
            If a slice is no UTF-8.
        """
        if not starts.size:
            return np.empty(0, np.int64)
        counts = np.full(starts.size, LATER, np.int64)
        first = starts.min()
        starts, ends = starts - first, ends - first
        text = _read_only(text[first : first + ends.max()])
        kinds = np.empty(text.size, np.uint8)
        classify(text, classes(COMMON if (text >= ASCII).any() else ASCII), kinds)
        with self._lock:
            try:
                self._look_up(text, kinds, starts, ends, counts)
            except BaseException:  # pieces may have been noted whose tokens were not
                self._clear(SLOTS)
                raise
        rest = np.flatnonzero(counts < 0)
        counts[rest] = self._counted(text, starts[rest], ends[rest])
        return counts

    def _look_up(self, text: Bytes, kinds: Bytes, starts: Ints, ends: Ints, counts: Ints) -> None:
        """Count what can be."""
        for _ in range(ROUNDS):
            known = self._table, self._arena, self._state, self._unknown
            waiting = tally(text, kinds, starts, ends, AUTOMATA[self._name], *known, counts)
            new = self._unknown[1 : 1 + 3 * int(self._unknown[0])].reshape(-1, 3)
            self._table[2 * new[:, 0] + 1] += self._counted(text, new[:, 1], new[:, 2])
            if not waiting or not (new.size or self._state[SHORT]):
                break
            if self._state[SHORT]:
                self._make_room()

    def _counted(self, text: Bytes, starts: Ints, ends: Ints) -> Ints:
        """Have slices counted by a library."""
        return np.array(backends.count_batch(self._name, texts_of(text, starts, ends)), np.int64)

    def _make_room(self) -> None:
        old, state, arena = self._table, self._state, self._arena
        if old.size >= 2 * self._most:
            self._clear(self._most)
            return
        self._clear(min(_GROWTH * old.size // 2, self._most))
        spread(old, self._table)
        self._arena[: arena.size] = arena
        self._state[PIECES], self._state[USED] = state[PIECES], state[USED]

    def _clear(self, slots: int) -> None:
        self._table = np.zeros(2 * slots, np.int64)
        self._arena = np.zeros(_ARENA * slots, np.uint8)
        self._state = np.zeros(3, np.int64)
        self._unknown = np.empty(1 + 3 * (slots // 2), np.int64)


def _read_only(text: Bytes) -> Bytes:
    """Return a view that nobody writes to, which is a type of its own to Numba."""
    view = np.ascontiguousarray(text).view()
    view.flags.writeable = False
    return view


@cache
def pieces_of(name: str) -> Pieces:
    """Give what is known of the pieces of a vocabulary, the same object on every call."""
    return Pieces(name)


def count_texts(name: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text by its pieces.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    texts : sequence of str
        Any texts.

    Returns
    -------
    list of int
        One count a text.
    """
    coded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.fromiter(accumulate(map(len, coded), initial=0), np.int64, len(coded) + 1)
    content = np.frombuffer(b"".join(coded), np.uint8)
    counts: list[int] = pieces_of(name).count(content, ends[:-1], ends[1:]).tolist()
    return counts
