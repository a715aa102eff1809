"""Costs and worths of the options of a line."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.menu.meaning import Meaning
from mckp.menu.thin import improve_worths, thinned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.menu.classes import Option
    from mckp.menu.line import ValueLine, Version
    from mckp.menu.price import Prices

    Ints = NDArray[np.int64]

LINE_FINENESS: Final = 0.05
"""Two options of a line differ by at least this share of their tokens, about."""

LONGEST_LINE: Final = 400
"""Most tokens of all pieces of a line."""


class LineCosts:
    """Costs and worths of a line, for choices of versions of its pieces.

    The tokens of pieces add up, each with the blank before it. So dynamic programming over tokens,
    which takes the pieces one after the other, finds the exact frontier. Only the tokens of the
    first and the last piece differ; they are counted again for the choices left after thinning.
    """

    def __init__(self, option: ValueLine, prices: Prices) -> None:
        self.option, self.prices = option, prices
        costs = iter(
            prices.of([f" {version.text}" for piece in option.pieces for version in piece])
        )
        piece_costs = [list(islice(costs, len(piece))) for piece in option.pieces]
        best = np.zeros(min(sum(map(max, piece_costs)), LONGEST_LINE * prices.scale) + 1)
        chosen: list[Ints] = []
        for piece, version_costs in zip(option.pieces, piece_costs, strict=True):
            taken, before = np.zeros(len(best), dtype=np.int64), best.copy()
            for number, (version, cost) in enumerate(zip(piece, version_costs, strict=True), 1):
                improve_worths(best, before, cost, version.worth, taken, number)
            chosen.append(taken)
        rises = (best[1:] > best[:-1]).nonzero()[0] + 1
        limits = rises[thinned(rises, LINE_FINENESS)]
        candidates = self._versions(limits, chosen, piece_costs)
        notes = list(map(option.note, candidates))
        noted = [number for number, note in enumerate(notes) if note]
        self.taken = [candidates[number] for number in noted]
        self.notes = [notes[number] for number in noted]
        self.note_texts = list(map(option.note_texts, self.taken))
        self._tokens, self.worths = limits[noted], best[limits[noted]]
        self._written_ends, self._counted_ends = self._line_ends()

    def _versions(
        self, limits: Ints, chosen: list[Ints], piece_costs: list[list[int]]
    ) -> list[list[Version]]:
        """Return, for each limit of tokens, the versions of pieces in the best choice within it.

        For each piece, `chosen` has the number of the version taken within each limit from 0 on (0
        for none), and `piece_costs` has the costs of its versions.
        """
        left, numbers = limits.copy(), list[list[int]]()
        for taken, version_costs in zip(reversed(chosen), reversed(piece_costs), strict=True):
            version_numbers = taken[left]
            left -= np.array([0, *version_costs], dtype=np.int64)[version_numbers]
            numbers.append(version_numbers.tolist())
        pieces = self.option.pieces
        return [
            [piece[number - 1] for piece, number in zip(pieces, choice, strict=True) if number]
            for choice in zip(*reversed(numbers), strict=True)
        ]

    def _line_ends(self) -> tuple[list[str], list[str]]:
        """Return the texts at the ends of lines: as they are written, and as they were counted.

        Both lists have three texts for each line: its first and last pieces and what follows them,
        which was not counted. A line of a single piece has one text for both ends.
        """
        option = self.option
        written: list[str] = []
        counted: list[str] = []
        for taken, note in zip(self.taken, self.notes, strict=True):
            first, last = taken[0].text, taken[-1].text
            if len(taken) == 1:
                written += (f"{option.head}{first}{option.end}", note, option.tail)
                counted += (f" {first}", "", "")
            else:
                written += (option.head + first, f" {last}{option.end}", note + option.tail)
                counted += (f" {first}", f" {last}", "")
        return written, counted

    def texts(self) -> list[str]:
        """Return the texts at the ends of lines, whose counts `costs` needs."""
        return self._written_ends

    @cached_property
    def costs(self) -> Ints:
        """The tokens of each line: of its pieces with a blank before each, and of its ends."""
        prices = self.prices
        tokens = np.array(
            [prices.of(self._written_ends), prices.of(self._counted_ends)], dtype=np.int64
        )
        ends: Ints = (tokens[0] - tokens[1]).reshape(-1, 3).sum(axis=1)
        return self._tokens + ends

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        return Meaning(None, series=self, place=place)

    def option_at(self, place: int) -> Option:
        """Return the option at an index."""
        return self.option.option(self.taken[place])
