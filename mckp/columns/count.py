"""From texts and units to tokens: what of the prices of a menu is left to a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.atoms import NEXT as NEXT_ENTRY
from mckp.columns.atoms import Atoms, atoms_for, note_names, settle, walk
from mckp.columns.options import CSV_ROW, SOURCE, TEXT
from mckp.columns.price import Parts, add_up, parts_of
from mckp.columns.tape import AFTER
from mckp.columns.units import Units, room_for_units, with_more_room

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.options import Menu
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape
    from mckp.tokenizers.bpe import Bpe

    T = TypeVar("T")

_AT_ONCE: Final = 1 << 21
"""Bytes of texts that are counted at once."""

_UNITS: Final = 1 << 16
"""Units that there is room for at first."""


def priced(
    tape: Tape, menu: Menu, scratch: Scratch, tokenizer: Bpe, own: Small | None = None
) -> Small:
    """Return the tokens of each option without its children.

    Parameters
    ----------
    own : array of int32, optional
        Those of the options with texts, if they are known; the others are set in it.
    """
    if own is None:
        own = np.zeros(len(menu.options), np.int32)
        counted_texts(menu, 0, len(own), tokenizer, own)
    counting = _Counting(tape, tokenizer)
    atoms = counting.atoms()
    parts = counting.parts(menu, scratch, atoms)
    add_up(tape, menu, scratch, atoms, parts, counting.units.tokens, own)
    return own


class _Counting:
    """Units that are being collected, with more room whenever that is short.

    Parameters
    ----------
    tape : Tape
        The document.
    tokenizer : Bpe
        What counts.
    """

    def __init__(self, tape: Tape, tokenizer: Bpe) -> None:
        self._tape, self._tokenizer = tape, tokenizer
        room = min(len(tape.nodes) + 4096, _UNITS)
        self.units = room_for_units(room, 4 * tape.text.size + (1 << 16))
        self._counted = self._total = 0

    def atoms(self) -> Atoms:
        """Return what the tokens of containers follow from, but for the atoms noted last."""
        tape, atoms = self._tape, atoms_for(self._tape)
        self._collect(lambda units: note_names(tape, atoms, units))
        last = tape.nodes[0, AFTER]
        while True:
            self._walk(atoms)
            if atoms.state[NEXT_ENTRY] >= last:
                # The rest is counted together with all other units: each call takes its time.
                return atoms._replace(known=atoms.known[:0].copy(), stack=atoms.stack[:0].copy())
            self._settle(atoms)

    def parts(self, menu: Menu, scratch: Scratch, atoms: Atoms) -> Parts:
        """Return the units of all options, and have everything counted."""
        used, size = self.units.state.tolist()
        # In tables a value has units for each place that it may stand in.
        has_tables = (menu.kinds[:, SOURCE] >= CSV_ROW).any()
        more = len(atoms.ends) if has_tables else len(atoms.ends) // 4
        if len(self.units.spans) - used < more:
            self.units = with_more_room(self.units, used, size, more)
        parts = self._collect(lambda units: parts_of(self._tape, menu, scratch, atoms, units))
        self._settle(atoms)
        return parts

    def _walk(self, atoms: Atoms) -> None:
        state, stack = atoms.state.copy(), atoms.stack[: atoms.state[3]].copy()

        def go_on(units: Units) -> None:
            atoms.state[:], atoms.stack[: len(stack)] = state, stack
            walk(self._tape, atoms, units)

        self._collect(go_on)

    def _collect(self, work: Callable[[Units], T]) -> T:
        """Do what adds units; once more, with more room, if that is short."""
        used, size = self.units.state.tolist()
        while True:
            found = work(self.units)
            units = self.units
            if units.state[0] <= len(units.spans) and units.state[1] <= units.text.size:
                return found
            del found
            self.units = with_more_room(units, used, size, 2 * int(units.state[0]))

    def _settle(self, atoms: Atoms) -> None:
        units, used = self.units, int(self.units.state[0])
        new = slice(self._counted, used)
        units.tokens[new] = counted(units.text, units.spans[new], self._tokenizer)
        self._counted = used
        self._total = settle(atoms, units.tokens, self._total)


def counted_texts(menu: Menu, first: int, last: int, tokenizer: Bpe, own: Small) -> None:
    """Set the tokens of those of some options whose texts stand on the menu."""
    written = np.flatnonzero(menu.kinds[first:last, SOURCE] == TEXT) + first
    own[written] = counted(menu.text, menu.spans[written], tokenizer)


def counted(text: Bytes, spans: Small | Ints, tokenizer: Bpe) -> Ints:
    """Return the tokens of pieces of a buffer, each on its own."""
    found = np.empty(len(spans), np.int64)
    behind = np.cumsum(spans[:, 1] - spans[:, 0], dtype=np.int64)
    first = 0
    # Some at a time, for counting takes more room than the texts do.
    while first < len(spans):
        done = behind[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(behind, done + _AT_ONCE)))
        starts, ends = spans[first:last].T.astype(np.int64, order="C")
        found[first:last] = tokenizer.count_pieces(text, starts, ends)
        first = last
    return found
