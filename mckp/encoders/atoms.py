"""Cut a text into what phrases are made of, and share its tokens out."""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from numpy.typing import NDArray

    Count: TypeAlias = Callable[[list[str]], list[int]]
    Ints: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

UNIT: Final = 1 << 16
"""The weight of a token: whole numbers add up alike wherever they are added up."""

# A phrase never cuts a number that it was found beside: `β5` for 2.55 would save, and mislead.
_ATOM = regex(r"\n|[^\S\n]+|[0-9]+(?:\.[0-9]+)?|[A-Z]?[a-z]+|[A-Z]+|.", re.DOTALL)
# Much as the vocabularies of OpenAI cut, so that the tokens of pieces add up.
PIECE = regex(r"(?:_|[^\w\r\n])?[^\W\d_]+|\d{1,3}| ?(?:_|[^\w\s])+[\r\n/]*|\s+")
"""What is counted at once."""

NO_EDGE: Final = tuple('"[]{};=')
"""No phrase begins or ends so: they stand where they would without it."""


class Atoms(NamedTuple):
    """What the repeats are looked for in, one entry a symbol.

    A `symbols` below zero ends a line and repeats nothing; `weights` are tokens, in units. An
    `inner` symbol neither begins nor ends a repeat, up to a few in a row. `starts` and `ends`
    say of which text a symbol is.
    """

    symbols: Ints
    weights: Ints
    inner: Flags
    starts: Ints
    ends: Ints

    def take(self, places: Flags | slice) -> Atoms:
        """Return the entries at some places."""
        symbols, weights, inner, starts, ends = self
        return Atoms(symbols[places], weights[places], inner[places], starts[places], ends[places])


class Tally:
    """Counts the tokens of pieces, of each distinct one once.

    Parameters
    ----------
    count : callable
        Counts the tokens of each of a list of texts.

    Examples
    --------
    >>> tally = Tally(lambda texts: [len(text) for text in texts])
    >>> tally(["one", "three", "one"]).tolist()
    [3, 5, 3]
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def __call__(self, pieces: Iterable[str]) -> Ints:
        """Return the tokens of each piece."""
        pieces = list(pieces)
        fresh = list(dict.fromkeys(filterfalse(self._known.__contains__, pieces)))
        if fresh:
            self._known.update(zip(fresh, self._count(fresh), strict=True))
        return np.fromiter(map(self._known.__getitem__, pieces), np.int64, count=len(pieces))

    def of(self, text: str, starts: Ints, ends: Ints) -> Ints:
        """Return the tokens of pieces that stand in a text.

        Examples
        --------
        >>> tally = Tally(lambda texts: [len(text) for text in texts])
        >>> tally.of("one three", np.array([0, 4]), np.array([3, 9])).tolist()
        [3, 5]
        """
        return self(text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True))


def cut(document: str, tally: Tally) -> Atoms:
    """Cut a document into words, numbers and marks, each with its share of tokens."""
    atoms = _ATOM.findall(document)
    names = {atom: i for i, atom in enumerate(dict.fromkeys(atoms))} | {"\n": -1}
    inner = {atom: atom.isspace() or atom in NO_EDGE for atom in names}
    ends = np.cumsum(np.fromiter(map(len, atoms), np.int64, count=len(atoms)))
    starts = np.concatenate(([0], ends))[:-1]
    spent = _spent(document, tally)
    return Atoms(
        np.fromiter(map(names.__getitem__, atoms), np.int64, count=len(atoms)),
        spent[ends] - spent[starts],
        np.fromiter(map(inner.__getitem__, atoms), np.bool_, count=len(atoms)),
        starts,
        ends,
    )


def _spent(document: str, tally: Tally) -> Ints:
    """Return the weight of all that stands before each character, and of the document."""
    pieces = PIECE.findall(document)
    sizes = np.fromiter(map(len, pieces), np.int64, count=len(pieces))
    # The blank before a word is part of the word's token.
    leading = np.fromiter((piece[0] == " " for piece in pieces), np.bool_, count=len(pieces))
    leading &= sizes > 1
    shares = np.repeat(tally(pieces) * UNIT // (sizes - leading), sizes)
    shares[(np.cumsum(sizes) - sizes)[leading]] = 0
    return np.concatenate(([0], np.cumsum(shares)))
