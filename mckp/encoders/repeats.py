"""Find the runs of symbols that are worth writing only once.

A text is cut into words, numbers and marks, and its tokens are divided among them. A suffix array
lists all repeats. Each round replaces the repeats that save most by new symbols, so that shorter
repeats combine into longer, nested ones.
"""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias, TypeVar

    from numpy.typing import NDArray

    Count: TypeAlias = Callable[[list[str]], list[int]]
    Ints: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]
    Number = TypeVar("Number", int, Ints)

UNIT: Final = 1 << 16
"""The weight of a token: sums of whole numbers do not depend on the order."""

# A phrase never cuts a number: `β5` for 2.55 would save tokens, but mislead.
_ATOM = regex(r"\n|[^\S\n]+|[0-9]+(?:\.[0-9]+)?|[A-Z]?[a-z]+|[A-Z]+|.", re.DOTALL)
# Cuts much like the vocabularies of OpenAI, so that the tokens of pieces add up.
PIECE = regex(r"(?:_|[^\w\r\n])?[^\W\d_]+|\d{1,3}| ?(?:_|[^\w\s])+[\r\n/]*|\s+")
"""The pieces whose tokens are counted."""

NO_EDGE: Final = tuple('"[]{};=')
"""No phrase begins or ends with these: they stay in the text, beside the code."""


class Atoms(NamedTuple):
    """The symbols among which repeats are searched, with one entry per symbol in each array.

    A symbol below zero ends a line and is never in a repeat; `weights` are tokens, in units. A
    repeat neither begins nor ends with an `inner` symbol, unless there are many of them in a row.
    `starts` and `ends` have the place of a symbol's text.
    """

    symbols: Ints
    weights: Ints
    inner: Flags
    starts: Ints
    ends: Ints

    def take(self, places: Flags | slice) -> Atoms:
        """Return the entries at the given places."""
        symbols, weights, inner, starts, ends = self
        return Atoms(symbols[places], weights[places], inner[places], starts[places], ends[places])


class TokenTally:
    """Counts the tokens of pieces, and caches the count of each distinct piece."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def __call__(self, pieces: Iterable[str]) -> Ints:
        """Return the number of tokens of each piece."""
        pieces = list(pieces)
        fresh = list(dict.fromkeys(filterfalse(self._known.__contains__, pieces)))
        if fresh:
            self._known.update(zip(fresh, self._count(fresh), strict=True))
        return np.fromiter(map(self._known.__getitem__, pieces), np.int64, count=len(pieces))


def cut_into_atoms(document: str, tally: TokenTally) -> Atoms:
    """Cut a document into words, numbers and marks, each with its share of tokens."""
    atoms = _ATOM.findall(document)
    symbols = {atom: index for index, atom in enumerate(dict.fromkeys(atoms))} | {"\n": -1}
    inner = {atom: atom.isspace() or atom in NO_EDGE for atom in symbols}
    ends = np.cumsum(np.fromiter(map(len, atoms), np.int64, count=len(atoms)))
    starts = np.concatenate(([0], ends))[:-1]
    weights_before = _cumulative_weights(document, tally)
    return Atoms(
        np.fromiter(map(symbols.__getitem__, atoms), np.int64, count=len(atoms)),
        weights_before[ends] - weights_before[starts],
        np.fromiter(map(inner.__getitem__, atoms), np.bool_, count=len(atoms)),
        starts,
        ends,
    )


def _cumulative_weights(document: str, tally: TokenTally) -> Ints:
    """Return the weight of the text before each character and, last, of the document."""
    pieces = PIECE.findall(document)
    sizes = np.fromiter(map(len, pieces), np.int64, count=len(pieces))
    # The blank before a word is part of the word's token.
    leading = np.fromiter((piece[0] == " " for piece in pieces), np.bool_, count=len(pieces))
    leading &= sizes > 1
    shares = np.repeat(tally(pieces) * UNIT // (sizes - leading), sizes)
    shares[(np.cumsum(sizes) - sizes)[leading]] = 0
    return np.concatenate(([0], np.cumsum(shares)))


LEAST: Final = 12
"""Tokens that a phrase must save, because a reader has to keep each phrase in mind."""

SHORTEST: Final = 3
"""Fewest tokens of a phrase: a shorter one is read faster than it is looked up."""

CODE: Final = UNIT
"""The weight of a code."""

_DEFINITION: Final = 3 * UNIT
_EDGES: Final = 3
_ALIKE: Final = 64

# Shares of tokens are rounded down, so whole tokens may have lost a little.
_SHORTEST: Final = SHORTEST * UNIT - UNIT // 4


def choose_repeats(atoms: Atoms, most: int) -> list[tuple[Ints, int]]:
    """Return up to `most` repeats, those that save most first: the places and size of each.

    Places that overlap each other or a better repeat are dropped. For n symbols, finding repeats
    takes O(n log n) time and choosing O(n), since at most 64 repeats begin at one place.
    """
    symbol_count = len(atoms.symbols)
    order, repeats = _saving_repeats(atoms)
    taken = bytearray(symbol_count)
    chosen: list[tuple[Ints, int]] = []
    for low, high, shift, size, weight, saving in repeats:
        if len(chosen) == most:
            break
        last = shift + size - 1
        free = [
            suffix + shift
            for suffix in order[low:high]
            if not (taken[suffix + shift] or taken[suffix + last])
        ]
        # A repeat that lost places to better ones waits for the next round.
        least = max(LEAST * UNIT, saving * 4 // 5)
        if len(free) < 2 or _saving(weight, len(free)) < least:
            continue
        places = _free_places(sorted(free), size, taken)
        if len(places) < 2 or _saving(weight, len(places)) < least:
            continue
        for place in places:
            taken[place : place + size] = b"\1" * size
        chosen.append((np.array(places, dtype=np.int64), size))
    return chosen


def replace_repeats(atoms: Atoms, chosen: list[tuple[Ints, int]], fresh: int) -> Atoms:
    """Return the atoms with a new symbol in place of each chosen repeat.

    `fresh` is the first of the new symbols. The symbols of each repeat are appended once.
    """
    symbols, weights, ends = atoms.symbols.copy(), atoms.weights.copy(), atoms.ends.copy()
    inner, kept = atoms.inner.copy(), np.ones(len(symbols), dtype=np.bool_)
    bodies: list[Atoms] = []
    for index, (places, size) in enumerate(chosen):
        bodies += [_BREAK, atoms.take(slice(int(places[0]), int(places[0]) + size))]
        kept[(places[:, None] + np.arange(1, size)).ravel()] = False
        symbols[places], weights[places], inner[places] = fresh + index, CODE, False
        ends[places] = atoms.ends[places + size - 1]
    parts = [Atoms(symbols, weights, inner, atoms.starts, ends).take(kept), *bodies]
    return Atoms(*map(np.concatenate, zip(*parts, strict=True)))


_BREAK: Final = Atoms(np.array([-1]), np.array([0]), np.array([True]), np.array([0]), np.array([0]))


def find_worthwhile_repeats(atoms: Atoms, most: int) -> list[tuple[int, int]]:
    """Return the ranges of up to `most` phrases that are worth a code, roughly the best first.

    A round takes time O(n log n) for n symbols, and shortens the text for the next one.
    """
    ranges: list[tuple[int, int]] = []
    fresh = int(atoms.symbols.max(initial=0)) + 1
    while len(ranges) < most:
        # Choose only some now: the next round knows better what the others still save.
        chosen = choose_repeats(atoms, -(-3 * (most - len(ranges)) // 4))
        if not chosen:
            break
        for places, size in chosen:
            first = places[0]
            ranges.append((int(atoms.starts[first]), int(atoms.ends[first + size - 1])))
        atoms = replace_repeats(atoms, chosen, fresh)
        fresh += len(chosen)
    return ranges


def _free_places(places: list[int], size: int, taken: bytearray) -> list[int]:
    """Return the places at which a repeat overlaps neither `taken` symbols nor itself.

    `places` has all places of the repeat, sorted, and `size` is the number of its symbols; `taken`
    flags symbols of better repeats.
    """
    kept: list[int] = []
    end = 0
    for place in places:
        if place >= end and taken.find(1, place, place + size) < 0:
            kept.append(place)
            end = place + size
    return kept


def _saving_repeats(atoms: Atoms) -> tuple[list[int], list[list[int]]]:
    """Return the order of suffixes and the repeats that save enough, the best first.

    A repeat is [low, high, shift, size, weight, saving]; it is found `shift` symbols after each
    place in ``order[low:high]``.
    """
    order, common = sort_suffixes(atoms.symbols)
    table = np.array(list(_intervals(common.tolist())), dtype=np.int64).reshape(-1, 3)
    size, low, high = table.T
    start = order[low]
    shift = np.zeros_like(start)
    # An empty repeat may have been moved to the end of the text.
    inner = np.append(atoms.inner, False)
    for _ in range(_EDGES):
        size = size - (inner[start + shift + size - 1] & (size > 0))
        first = inner[start + shift] & (size > 0)
        shift, size = shift + first, size - first
    weight_before = np.concatenate(([0], np.cumsum(atoms.weights)))
    weight = weight_before[start + shift + size] - weight_before[start + shift]
    use_count = np.minimum(high - low, len(order) // np.maximum(size, 1))
    saving = np.where(weight < _SHORTEST, -1, _saving(weight, use_count))
    rank = np.argsort(-saving, kind="stable")
    rank = rank[(saving[rank] >= LEAST * UNIT) & (size[rank] > 0)]
    repeats = np.stack((low, high, shift, size, weight, saving), axis=1)[rank]
    return order.tolist(), repeats.tolist()


def _saving(weight: Number, use_count: Number) -> Number:
    """Return the weight that the uses of a repeat save, less that of its definition."""
    return use_count * (weight - CODE) - weight - _DEFINITION


def sort_suffixes(symbols: Ints) -> tuple[Ints, Ints]:
    """Return the starts of all suffixes in sorted order, and the lengths of common prefixes.

    Each length is the number of leading symbols that a suffix shares with the next one. Suffixes
    are only compared up to 64 symbols.

    A longer repeat is found in parts, which later rounds join.
    """
    fresh = int(symbols.max(initial=-1)) + 1
    breaks = symbols < 0
    distinct = np.where(breaks, fresh + np.cumsum(breaks) - 1, symbols)
    text = "".join(map(chr, distinct.tolist()))
    keys = [text[index : index + _ALIKE] for index in range(len(text))]
    order = np.array(sorted(range(len(text)), key=keys.__getitem__), dtype=np.int64)
    return order, _common_sizes(distinct, order)


def _common_sizes(symbols: Ints, order: Ints) -> Ints:
    """Return how many leading symbols, up to 64, each suffix shares with the next in order."""
    common = np.zeros(max(0, len(order) - 1), dtype=np.int64)
    # The padding never matches: no two suffixes reach it at once.
    padded = np.concatenate((symbols, np.full(_ALIKE, -1))).astype(np.int32)
    pairs = np.arange(len(common))
    for place in range(_ALIKE):
        pairs = pairs[padded[order[pairs] + place] == padded[order[pairs + 1] + place]]
        common[pairs] += 1
    return common


def _intervals(common: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the length of each common prefix, and the bounds of its suffixes in the sorted order.

    `common` has the number of symbols that each suffix shares with the next one. A prefix that is
    always part of a longer one is left out.
    """
    stack: list[tuple[int, int]] = []
    top = 0
    for index, height in enumerate([*common, 0]):
        if height == top:
            continue
        low = index
        while top > height:
            size, low = stack.pop()
            yield size, low, index + 1
            top = stack[-1][0] if stack else 0
        if height > top:
            stack.append((height, low))
            top = height
