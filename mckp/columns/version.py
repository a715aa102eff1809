"""What may be written of a smaller version of a document, in arrays, with a note in each text."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.columns.document import document_tape
from mckp.columns.options import (
    CHILDREN,
    DOCUMENT,
    FORMAT,
    NARROW,
    OWNER,
    PHRASES,
    SIZE,
    SOURCE,
    UNIT,
    UNITS,
)
from mckp.columns.plan import ColumnPlan
from mckp.columns.tape import AFTER, ARRAY, KIND, LENGTH
from mckp.encoders import dictionary
from mckp.menu.dropped import LINES
from mckp.result import Elided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from mckp.columns.tape import Small, Tape
    from mckp.menu.reduction import Reduction
    from mckp.paths import Path
    from mckp.tokenizers.bpe import Bpe


class VersionPlan(ColumnPlan):
    """A `ColumnPlan` of a smaller version, whose texts tell what is missing.

    Parameters
    ----------
    part : Reduction
        The version; its content is compact JSON.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.options`.
    tokenizer : Bpe
        What counts.
    whole : int
        Tokens of all of the document.
    """

    def __init__(self, part: Reduction, formats: int, tokenizer: Bpe, whole: int) -> None:
        tape = document_tape(part.content)
        assert tape is not None, "so is the document, which holds more"
        super().__init__(tape, formats | 1 << NARROW, tokenizer)
        self.part, self._uncut = part, whole
        self._add_note(tokenizer)

    def _add_note(self, tokenizer: Bpe) -> None:
        roots = np.flatnonzero(self.menu.options[:, OWNER] == 0)
        # The texts of all others end with a line feed, and were counted so.
        is_open = (self.menu.kinds[roots, [[SOURCE], [FORMAT]]] == [[DOCUMENT], [PHRASES]]).any(0)
        alone = roots[is_open & (self.menu.options[roots, SIZE] == 0)]
        texts = [text.removesuffix("\n") + "\n" for text in self._texts(alone)]
        *counts, note = tokenizer.count_batch([*texts, self.part.note])
        self._own[alone] = counts
        self._own[roots] += note
        self._settle()

    @property
    def is_loose(self) -> bool:
        """Whether a little more may take much less, or rows may be cut from it."""
        roots = self.menu.options[:, OWNER] == 0
        opens = self.menu.options[roots, SIZE] > 0
        return bool((opens | (self.menu.kinds[roots, FORMAT] == PHRASES)).any())

    @cached_property
    def held(self) -> NDArray[Any]:
        weights = np.asarray(self.part.weights)
        return super().held if (weights == 1).all() else _sums(self.tape, weights)

    def _text(self, pick: Small) -> str:
        text, note = super()._text(pick), self.part.note
        if not self._is_noted_first(pick):
            return text.removesuffix("\n") + "\n" + note
        end = 0
        for _ in range(1 + dictionary.height(text.partition("\n")[0])):
            end = text.index("\n", end) + 1
        return text[:end] + note + text[end:]

    def _is_noted_first(self, pick: Small) -> bool:
        return UNITS[self.menu.kinds[pick[0], UNIT]] in LINES

    def elided(self, pick: Small) -> Iterator[Elided]:
        cut = list(super().elided(pick))
        own = self._own_cuts(cut)
        return iter([*cut[:own], *self._told(pick), *cut[own:]])

    def hints(self, pick: Small) -> Iterator[tuple[Path, str]]:
        cut = list(super().elided(pick))
        own = 0 if self._is_noted_first(pick) else self._own_cuts(cut)
        return ((each.path, each.kind) for each in [*cut[:own], *self._told(pick), *cut[own:]])

    def _own_cuts(self, cut: list[Elided]) -> int:
        """Return how many cuts are of the root, which stand first."""
        return int(bool(cut) and not cut[0].path)

    def _told(self, pick: Small) -> Iterator[Elided]:
        """Yield what the note tells."""
        first, size = self.menu.options[pick[0], [CHILDREN, SIZE]].tolist()
        kept = int(self._own[pick[0]]) + int(self._cost[first : first + size].sum())
        names, lost = self.part.names, max(0, self._uncut - kept)
        for hint in self.part.hints:
            total = hint.missing if hint.total is None else hint.total
            yield Elided((), hint.unit, hint.missing, total, lost, names)
            names, lost = (), 0


def _sums(tape: Tape, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the information in each entry, given that in each leaf."""
    last = int(tape.nodes[0, AFTER])
    nodes = tape.nodes[:last]
    each = np.zeros(last + 1)
    each[1:][(nodes[:, KIND] > ARRAY) | (nodes[:, LENGTH] == 0)] = weights
    before = np.cumsum(each)
    return before[nodes[:, AFTER]] - before[:-1]
