"""A menu filled some texts at a time: all of them together would take more room than the rest.

What is offered is priced at once, and what can no longer be part of the whole document is taken
from the menu. Who cuts a document needs a menu that keeps everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from mckp.columns.count import Counting
from mckp.columns.menu import BEGUN, DONE, offer
from mckp.columns.native_work import Work, work_for
from mckp.columns.options import CSV, FIRST, TABLE, Menu, room_for
from mckp.columns.thin import thin
from mckp.memory import LARGE

if TYPE_CHECKING:
    from typing import TypeVar

    from numpy.typing import NDArray

    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape
    from mckp.tokenizers.bpe import Bpe

    N = TypeVar("N", bound=np.generic)

AT_ONCE: Final = 1 << 20
"""Bytes of texts that are written before some are dropped."""

PER_OPTION: Final = 8
"""Bytes at least for each option that is kept."""


def filled(tape: Tape, formats: int, scratch: Scratch) -> Menu:
    """Return the menu of a document with all of its texts."""
    filling = _Filling(tape, formats, scratch)
    while filling.go_on(1 << 62):
        pass
    return filling.menu.taken()


class Priced(NamedTuple):
    """A menu with its prices.

    Attributes
    ----------
    menu : Menu
        The menu.
    own : array of int32
        Tokens of each option without its children.
    every : list of arrays of int32
        Tokens of all options there are, one array behind the other, where some of them are not on
        the menu; else nothing.
    """

    menu: Menu
    own: Small
    every: list[Small]


def priced_menu(
    tape: Tape, formats: int, scratch: Scratch, tokenizer: Bpe, at_once: int = AT_ONCE
) -> Priced:
    """Return the menu of a document, with all that may be part of the whole of it.

    Parameters
    ----------
    at_once : int
        Bytes of texts that are written before some are dropped.
    """
    tables = bool(formats & ((1 << CSV) | (1 << TABLE)))
    counting = Counting(tape, scratch, tokenizer, tables=tables)
    filling = _Filling(tape, formats, scratch)
    own = np.zeros(len(filling.menu.options), np.int32)
    every: list[Small] = []
    first, is_more = 0, True
    while is_more:
        begin = int(filling.menu.state[2])
        # More where much is kept, for that is looked at again each time.
        is_more = filling.go_on(begin + max(at_once, begin // 4, PER_OPTION * first))
        last = int(filling.menu.state[1])
        own = _longer(own, len(filling.menu.options))
        counting.price(filling.menu, first, last, own)
        if is_more or every:
            every.append(own[first:last].copy())
            filling.thin(own, first, begin)
            counting.forget()
        first = int(filling.menu.state[1])
    menu = filling.menu.taken()
    if every:
        # What is left takes little of the room that there was.
        del counting, filling
        menu = Menu._make(each.copy() for each in menu)
    return Priced(menu, own[:first], every)


class _Filling:
    """A menu that is being filled, with more room whenever that is short.

    Parameters
    ----------
    tape, formats, scratch
        As for `mckp.columns.menu.offer`.

    Attributes
    ----------
    menu : Menu
        The menu so far.
    mine : int
        The class that is looked at next.
    """

    def __init__(self, tape: Tape, formats: int, scratch: Scratch) -> None:
        self._tape, self._formats, self._scratch = tape, formats, scratch
        self._shapes = 1 << 12
        self._work: Work = work_for(tape, self._shapes)
        entries = len(tape.nodes)
        # Room that is never used takes none, yet of a large document little is kept anyway.
        size = tape.text.size * (4 if tape.text.size >= LARGE else 8)
        self.menu = room_for(2 * entries + 64, size + 4096, entries + 64)
        self.mine = BEGUN

    def go_on(self, limit: int) -> bool:
        """Offer until there are so many bytes of texts; return whether there is more to offer."""
        self._offer(limit)
        while self._is_short():
            self._make_room()
            self._offer(limit)
        return self.mine != DONE

    def thin(self, own: Small, first: int, begin: int) -> None:
        """Take from the menu what can no longer be chosen; see `mckp.columns.thin.thin`."""
        self.mine = thin(self.menu, own, self.mine, first, begin)
        # Texts are no longer where they were written.
        self._work.flows[:] = -1

    def _offer(self, limit: int) -> None:
        self.mine = offer(
            self._tape, self._formats, self.menu, self._work, self._scratch, self.mine, limit
        )

    def _is_short(self) -> bool:
        return self._work.short or self.menu.is_short

    def _make_room(self) -> None:
        """Make room, and take back what was offered for the class at which it was short."""
        if self._work.short:
            self._shapes *= 4
            self._work = work_for(self._tape, self._shapes)
        menu = self.menu
        classes, options, size, _, columns = menu.state[:5].tolist()
        self.menu = menu._replace(
            classes=_longer(menu.classes, classes),
            options=_longer(menu.options, options),
            kinds=_longer(menu.kinds, options),
            spans=_longer(menu.spans, options),
            text=_longer(menu.text, size),
            columns=_longer(menu.columns, columns),
        )
        menu.state[:5] = menu.state[5:]
        if self.mine >= 0 and self.menu.classes[self.mine, FIRST] >= menu.state[1]:
            self.menu.classes[self.mine, FIRST] = -1


def _longer(array: NDArray[N], size: int) -> NDArray[N]:
    """Return an array with room for so many rows."""
    if size <= len(array):
        return array
    longer = np.zeros((2 * size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
