"""What may be written of a large document, priced: in arrays, from the tape to the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mckp.columns import menu as menus
from mckp.columns.decide import (
    account,
    cheapest,
    put_hint,
    take_chosen,
    take_whole,
    write,
    write_kept,
)
from mckp.columns.menu import ENTRY, FORMAT, Menu, offer
from mckp.columns.native import work_for
from mckp.columns.tabulate import Rows, tabulated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes, Ints
    from mckp.columns.native import Work
    from mckp.columns.tape import Small, Tape
    from mckp.tokenizers.base import Tokenizer

_CHUNK: Final = 1 << 22
"""Bytes of text that are turned into strings at once."""


def filled(tape: Tape, formats: int) -> Menu:
    """Return the menu of a document."""
    classes, options, size = 2 * tape.kind.size + 64, 2 * tape.kind.size + 64, 4 * tape.text.size + 4096
    work = work_for(tape)
    while True:
        menu = Menu(
            np.empty((classes, 5), np.int32),
            np.empty((options, 6), np.int32),
            np.empty((options, 2), np.int64),
            np.empty(size, np.uint8),
            np.zeros(4, np.int64),
        )
        offer(tape, formats, menu, work)
        used = menu.state.tolist()
        if used[0] <= classes and used[1] <= options and used[2] <= size and not work.short:
            return Menu(
                menu.classes[: used[0]], menu.options[: used[1]], menu.spans[: used[1]],
                menu.text[: used[2]], menu.state,
            )
        classes, options = max(classes, 2 * used[0]), max(options, 2 * used[1])
        size = max(size, 2 * used[2])


class Plan:
    """A priced menu in arrays, and what may be asked of it.

    Parameters
    ----------
    tape : Tape
        The document.
    formats : int
        Numbers of the formats to offer, as bits; see `mckp.columns.menu`.
    tokenizer : Tokenizer
        What counts; counts of fragments must add up.
    """

    def __init__(self, tape: Tape, formats: int, tokenizer: Tokenizer) -> None:
        self.tape = tape
        self.menu = filled(tape, formats)
        self.tokenizer = tokenizer
        self.total = int(tape.facts[0])
        self.nothing = f"> [+{self.total} facts]\n"
        self.floor = tokenizer.count(self.nothing)
        self.own = counted(self.menu, tokenizer)
        self.hint = hints(self.menu, tokenizer)
        self.whole_cost, self.best = cheapest(self.menu, self.own)

    def whole(self) -> Small:
        """Return the decision to write everything in the cheapest way."""
        return self.best

    def rows(self, budget: int, *, spare_hints: bool) -> Rows:
        """Return the knapsack table under a budget, as `mckp.tabulate.tabulate` does."""
        return tabulated(
            self.menu, self.facts, self.own, self.hint, self.whole_cost, self.floor, budget,
            spare_hints,
        )  # fmt: skip

    @property
    def facts(self) -> Small:
        return self.tape.facts

    def chosen(self, rows: Rows, choice: Ints) -> Small:
        """Return the decisions that a solver's choice means."""
        decision = np.full(len(self.menu.classes), -1, np.int32)
        take_chosen(self.menu, self.best, rows.start, rows.of, rows.option, choice, decision)
        return decision

    def text(self, decision: Small) -> str:
        """Return the text of a decision for the whole document."""
        if decision[0] < 0:
            return self.nothing
        guess = self.tape.text.size + 4096
        return _written(lambda out: write(self.menu, decision, 0, out, 0), guess).decode()

    def kept(self, decision: Small) -> bytes:
        """Return compact JSON of what a decision keeps, unless that is nothing."""
        guess = self.tape.text.size + 16
        return _written(
            lambda out: write_kept(self.menu, self.tape, decision, 0, out, 0), guess
        )

    def account(self, decision: Small) -> tuple[Ints, Ints, Ints]:
        """Return, for each class, its tokens, the facts it keeps, and how many children miss."""
        return account(self.menu, self.facts, self.own, self.hint, decision)


def _written(into: Callable[[Bytes], int], guess: int) -> bytes:
    out = np.empty(guess, np.uint8)
    size = into(out)
    if size > guess:
        out = np.empty(size, np.uint8)
        into(out)
    return out[:size].tobytes()


def counted(menu: Menu, tokenizer: Tokenizer) -> Ints:
    """Return the tokens of each option's own text."""
    counts: list[int] = []
    starts, ends = menu.spans[:, 0], menu.spans[:, 1]
    cuts = np.searchsorted(np.cumsum(ends - starts), np.arange(0, menu.text.size, _CHUNK)).tolist()
    for first, last in zip(cuts, [*cuts[1:], len(starts)], strict=True):
        counts += tokenizer.count_batch(_strings(menu.text, starts[first:last], ends[first:last]))
    return np.array(counts, dtype=np.int64)


def _strings(text: Bytes, starts: Ints, ends: Ints) -> list[str]:
    if not len(starts):
        return []
    low = int(starts.min())
    piece = text[low : int(ends.max())].tobytes()
    spans = zip((starts - low).tolist(), (ends - low).tolist(), strict=True)
    if piece.isascii():
        plain = piece.decode("ascii")
        return [plain[start:end] for start, end in spans]
    return [piece[start:end].decode() for start, end in spans]


def hints(menu: Menu, tokenizer: Tokenizer) -> Ints:
    """Return the tokens of each option's hint, 0 where there are no children."""
    units, sizes = menu.options[:, menus.UNIT].astype(np.int64), menu.options[:, menus.SIZE]
    kinds, number = np.unique(sizes * 8 + units, return_inverse=True)
    texts = [_hint(kind & 7, kind >> 3) for kind in kinds.tolist()]
    counts = np.array(tokenizer.count_batch(texts), dtype=np.int64)
    return np.where(sizes > 0, counts[number], 0)


def _hint(unit: int, size: int) -> str:
    if not size:
        return ""
    return _written(lambda out: put_hint(unit, size, size, out, 0), 80).decode()
