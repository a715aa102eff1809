"""From texts and units to tokens: what of the prices of a menu is left to a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.atoms import NEXT as NEXT_ENTRY
from mckp.columns.atoms import Atoms, atoms_for, note_names, settle, walk
from mckp.columns.options import SOURCE, TEXT
from mckp.columns.parts import forget_noted, note, parts_for
from mckp.columns.price import add_up
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


def priced(tape: Tape, menu: Menu, scratch: Scratch, tokenizer: Bpe) -> Small:
    """Return the tokens of each option without its children."""
    own = np.zeros(len(menu.options), np.int32)
    Counting(tape, scratch, tokenizer, tables=True).price(menu, 0, len(own), own)
    return own


class Counting:
    """What is counted for a menu that grows: of parts that stand in many texts, once.

    Parameters
    ----------
    tape, scratch : Tape, Scratch
        The document.
    tokenizer : Bpe
        What counts.
    tables : bool
        Whether tables of the standard formats may be on the menu.
    """

    def __init__(self, tape: Tape, scratch: Scratch, tokenizer: Bpe, *, tables: bool) -> None:
        self._tape, self._scratch, self._tokenizer = tape, scratch, tokenizer
        self.units = self._no_units()
        self._counted = self._total = 0
        self._atoms = self._walked()
        self._parts = parts_for(tape, len(self._atoms.ends), tables=tables)

    def price(self, menu: Menu, first: int, last: int, own: Small) -> None:
        """Set the tokens of some options in `own`."""
        counted_texts(menu, first, last, self._tokenizer, own)
        while (stop := self._add_up(menu, first, last, own)) < last:
            self.forget()
            first = stop
        self._scratch.place_of_key[:] = self._scratch.listed[:] = -1

    def forget(self) -> None:
        """Let go of all that was counted but the tokens of parts."""
        nothing = self._atoms.owed[:0].copy()
        self._atoms = self._atoms._replace(units=nothing, owed=nothing)
        self._atoms.state[:] = 0
        self.units, self._counted = self._no_units(), 0

    def _add_up(self, menu: Menu, first: int, last: int, own: Small) -> int:
        """Set the tokens of options that follow from the tape; return the first not looked at."""
        tape, scratch, atoms, parts = self._tape, self._scratch, self._atoms, self._parts

        def noted(units: Units) -> int:
            forget_noted(parts)
            return note(tape, menu, scratch, atoms, parts, units, own, first, last)

        stop = self._collect(noted)
        self._settle(atoms)
        add_up(tape, menu, scratch, atoms, parts, self.units.tokens, own, first, stop)
        return stop

    def _no_units(self) -> Units:
        tape = self._tape
        return room_for_units(min(len(tape.nodes) + 4096, _UNITS), 4 * tape.text.size + (1 << 16))

    def _walked(self) -> Atoms:
        """Return what the tokens of containers follow from, but for the atoms noted last."""
        tape, atoms = self._tape, atoms_for(self._tape)
        self._collect(lambda units: note_names(tape, atoms, units))
        last = tape.nodes[0, AFTER]
        while True:
            self._walk(atoms)
            if atoms.state[NEXT_ENTRY] >= last:
                # The rest is counted together with other units: each call takes its time.
                return atoms._replace(known=atoms.known[:0].copy(), stack=atoms.stack[:0].copy())
            self._settle(atoms)

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
