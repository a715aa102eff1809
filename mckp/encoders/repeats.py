"""Find the runs of symbols that are worth writing once.

A suffix array lists all that repeats; rounds of replacing the most saving repeats by symbols
of their own make longer repeats out of shorter ones, within one another and across the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

LONGEST: Final = 1 << 13
"""Repeats are told apart up to this many symbols; longer ones are found piece by piece."""

LEAST: Final = 12
"""Tokens that a phrase must save: each one is a thing more that a reader has to keep in mind."""

SHORTEST: Final = 3
"""Tokens of a phrase, at least: shorter ones are read faster than they are looked up."""

_CODE: Final = 1.0
_DEFINITION: Final = 3.0
_STEADY: Final = 0.8
_EDGES: Final = 3
_PATIENCE: Final = 20


class Atoms(NamedTuple):
    """What the repeats are looked for in, one entry a symbol.

    A `symbols` below zero ends a line and repeats nothing; `weights` are tokens. An `inner`
    symbol neither begins nor ends a repeat, up to a few in a row. `starts` and `ends` say of
    which text a symbol is.
    """

    symbols: Ints
    weights: Floats
    inner: Flags
    starts: Ints
    ends: Ints

    def take(self, places: Flags | slice) -> Atoms:
        """Return the entries at some places."""
        return Atoms(
            self.symbols[places],
            self.weights[places],
            self.inner[places],
            self.starts[places],
            self.ends[places],
        )


class _Repeats(NamedTuple):
    """Repeats, the most saving first; one stands at `order[low:high]`, each moved by `shift`."""

    order: Ints
    low: Ints
    high: Ints
    shift: Ints
    size: Ints
    saving: Floats


def worthwhile(text: Atoms, most: int) -> list[tuple[int, int]]:
    """Return where the texts stand that are worth a code, the most saving ones first, roughly.

    Time O(n log n) a round for n symbols; each round shortens what the next one looks at.

    Parameters
    ----------
    text : Atoms
        The symbols of a document.
    most : int
        How many to return at most.

    Returns
    -------
    list of (int, int)
        Start and end of each.

    Examples
    --------
    >>> symbols = np.array([5, 6, 7, -1, 5, 6, 7, -1, 5, 6, 7, -1])
    >>> places = np.arange(12)
    >>> text = Atoms(symbols, np.full(12, 3.0), symbols < 0, places, places + 1)
    >>> worthwhile(text, 9)
    [(0, 3)]
    """
    found: list[tuple[int, int]] = []
    fresh = int(text.symbols.max(initial=0)) + 1
    while len(found) < most:
        chosen = list(_choose(text, most - len(found)))
        if not chosen:
            break
        for places, size in chosen:
            first = int(places[0])
            found.append((int(text.starts[first]), int(text.ends[first + size - 1])))
        text = _replace(text, chosen, fresh)
        fresh += len(chosen)
    return found


def _choose(text: Atoms, most: int) -> Iterator[tuple[Ints, int]]:
    """Give the places and the size of repeats that do not touch one another."""
    repeats = _saving_repeats(text)
    total = np.concatenate(([0.0], np.cumsum(text.weights)))
    taken = np.zeros(len(text.symbols), dtype=np.bool_)
    effort = _PATIENCE * len(text.symbols)
    for i in range(len(repeats.low)):
        # Runs of one thing have repeats at every place, of every size, all of them in vain.
        effort -= int(repeats.high[i] - repeats.low[i])
        if effort < 0:
            return
        size = int(repeats.size[i])
        places = np.sort(repeats.order[repeats.low[i] : repeats.high[i]]) + repeats.shift[i]
        places = _apart(places[~(taken[places] | taken[places + size - 1])], size, taken)
        weight = total[places + size] - total[places]
        # A repeat that lost places to better ones waits for the next round, which knows more.
        if len(places) < 2 or _saving(weight[0], len(places)) < max(
            LEAST, _STEADY * repeats.saving[i]
        ):
            continue
        for place in places.tolist():
            taken[place : place + size] = True
        yield places, size
        most -= 1
        if most == 0:
            return


def _apart(places: Ints, size: int, taken: Flags) -> Ints:
    """Return those of the sorted places where a repeat overlaps neither taken ones nor itself."""
    kept: list[int] = []
    end = 0
    for place in places.tolist():
        if place >= end and not taken[place : place + size].any():
            kept.append(place)
            end = place + size
    return np.array(kept, dtype=np.int64)


def _replace(text: Atoms, chosen: list[tuple[Ints, int]], fresh: int) -> Atoms:
    """Put a fresh symbol at each place of a repeat, and the repeat itself once at the end."""
    symbols, weights, ends = text.symbols.copy(), text.weights.copy(), text.ends.copy()
    inner, kept = text.inner.copy(), np.ones(len(symbols), dtype=np.bool_)
    bodies: list[Atoms] = []
    for symbol, (places, size) in enumerate(chosen, fresh):
        first = int(places[0])
        bodies += [_BREAK, text.take(slice(first, first + size))]
        for place in places.tolist():
            kept[place + 1 : place + size] = False
        symbols[places], weights[places], inner[places] = symbol, _CODE, False
        ends[places] = text.ends[places + size - 1]
    parts = [Atoms(symbols, weights, inner, text.starts, ends).take(kept), *bodies]
    return Atoms(
        np.concatenate([part.symbols for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.inner for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
    )


_BREAK: Final = Atoms(
    np.array([-1]), np.array([0.0]), np.array([True]), np.array([0]), np.array([0])
)


def _saving_repeats(text: Atoms) -> _Repeats:
    order, common = _suffixes(text.symbols)
    size, low, high = _intervals(common)
    start = order[low]
    shift = np.zeros_like(start)
    for _ in range(_EDGES):
        size = size - (text.inner[start + shift + np.maximum(size, 1) - 1] & (size > 0))
        first = text.inner[start + shift] & (size > 0)
        shift, size = shift + first, size - first
    total = np.concatenate(([0.0], np.cumsum(text.weights)))
    uses = np.minimum(high - low, len(text.symbols) // np.maximum(size, 1))
    saving = _saving(total[start + shift + size] - total[start + shift], uses)
    rank = np.argsort(-saving, kind="stable")
    rank = rank[(saving[rank] >= LEAST) & (size[rank] > 0)]
    return _Repeats(order, low[rank], high[rank], shift[rank], size[rank], saving[rank])


def _saving(weight: Floats, uses: Ints | int) -> Floats:
    saving = uses * (weight - _CODE) - weight - _DEFINITION
    return np.where(weight < SHORTEST, -1.0, saving)


def _suffixes(symbols: Ints) -> tuple[Ints, Ints]:
    """Sort all suffixes by doubling, and return how much neighbours have in common."""
    ranks = symbols.copy()
    ends = ranks < 0
    ranks[ends] = ranks.max(initial=0) + 1 + np.arange(int(ends.sum()))
    ranks = np.unique(ranks, return_inverse=True)[1].astype(np.int64)
    n, step, levels = len(ranks), 1, [ranks]
    while True:
        keys = ranks * (n + 1)
        keys[: max(0, n - step)] += ranks[step:] + 1
        order = np.argsort(keys, kind="stable")
        differs = np.diff(keys[order]) != 0
        ranks = np.empty(n, dtype=np.int64)
        ranks[order] = np.concatenate(([0], np.cumsum(differs)))
        step *= 2
        if differs.all() or step >= LONGEST:
            break
        levels.append(ranks)
    left, right = order[:-1].copy(), order[1:].copy()
    for level in reversed(range(len(levels))):
        padded = np.append(levels[level], -1)
        same = padded[np.minimum(left, n)] == padded[np.minimum(right, n)]
        same &= np.maximum(left, right) < n
        left += same << level
        right += same << level
    return order, left - order[:-1]


def _intervals(common: Ints) -> tuple[Ints, Ints, Ints]:
    """Return size, low and high of every repeat that no longer one stands for everywhere."""
    found: list[tuple[int, int, int]] = []
    stack: list[tuple[int, int]] = []
    for i, height in enumerate([*common.tolist(), 0]):
        low = i
        while stack and stack[-1][0] > height:
            size, low = stack.pop()
            found.append((size, low, i + 1))
        if height and (not stack or stack[-1][0] < height):
            stack.append((height, low))
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
