"""A menu filled some texts at a time: all of them together would take more room than the rest.

Texts are counted as soon as they are written. Of the options of a value whose tokens are all known
by then, only the cheapest can be part of the whole document, so the texts of the others are
dropped; the options stay. Who cuts a document needs a menu that keeps everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import put
from mckp.columns.count import counted_texts
from mckp.columns.menu import offer
from mckp.columns.native_work import Work, work_for
from mckp.columns.options import CHILDREN, DEPTH, FIRST, NEXT, SIZE, SOURCE, TEXT, Menu, room_for
from mckp.jit import leaf

if TYPE_CHECKING:
    from typing import TypeVar

    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes
    from mckp.columns.scratch import Scratch
    from mckp.columns.tape import Small, Tape
    from mckp.tokenizers.bpe import Bpe

    N = TypeVar("N", bound=np.generic)

AT_ONCE: Final = 1 << 21
"""Bytes of texts that are written before some are dropped."""


def filled(tape: Tape, formats: int, scratch: Scratch) -> Menu:
    """Return the menu of a document with all of its texts."""
    filling = _Filling(tape, formats, scratch)
    while filling.go_on(1 << 62):
        pass
    return filling.menu.taken()


def counted_menu(
    tape: Tape, formats: int, scratch: Scratch, tokenizer: Bpe, at_once: int = AT_ONCE
) -> tuple[Menu, Small, bool]:
    """Return the menu of a document, the tokens of its texts, and whether all of them are there.

    Parameters
    ----------
    at_once : int
        Bytes of texts that are written before some are dropped.
    """
    filling = _Filling(tape, formats, scratch)
    own = np.zeros(len(filling.menu.options), np.int32)
    option, mine, is_more, is_whole = 0, 0, True, True
    while is_more:
        begin = int(filling.menu.state[2])
        is_more = filling.go_on(begin + at_once)
        menu, last = filling.menu, int(filling.menu.state[1])
        if len(own) < last:
            own = _longer(own, len(menu.options))
        counted_texts(menu, option, last, tokenizer, own)
        if is_more or option:
            spare = np.empty(int(menu.state[2]) - begin, np.uint8)
            menu.state[2] = drop(menu, own, option, last, max(mine, 0), filling.mine, begin, spare)
            filling.forget()
            is_whole = False
        option, mine = last, filling.mine
    return filling.menu.taken(), own[:option], is_whole


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
        self.menu = room_for(2 * entries + 64, 4 * tape.text.size + 4096, entries + 64)
        self.mine = -1

    def go_on(self, limit: int) -> bool:
        """Offer until there are so many bytes of texts; return whether there is more to offer."""
        self._offer(limit)
        while self._is_short():
            self._make_room()
            self._offer(limit)
        return self.mine < int(self.menu.state[0])

    def forget(self) -> None:
        """Note that texts so far are no longer where they were written."""
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


@leaf
def drop(
    menu: Menu, own: Small, option: int, last: int, mine: int, stop: int, begin: int, spare: Bytes
) -> int:
    """Drop texts that cannot be part of a whole document; return the size of all that are left.

    Parameters
    ----------
    own : array of int32
        Tokens of each option, as far as they are known: of those with a text.
    option, last : int
        Options whose texts may be dropped.
    mine, stop : int
        The classes that they were offered for.
    begin : int
        Where their texts begin.
    spare : array of uint8
        Room for all of them.
    """
    for each in range(mine, stop):
        if menu.classes[each, DEPTH] >= 0:
            _drop_of(menu, own, option, each)
    n = 0
    for each in range(option, last):
        if menu.kinds[each, SOURCE] == TEXT:
            line = menu.spans[each]
            after = put(spare, n, menu.text, line[0], line[1])
            line[0], line[1] = begin + n, begin + after
            n = after
    return put(menu.text, begin, spare, 0, n)


@leaf
def _drop_of(menu: Menu, own: Small, least: int, mine: int) -> None:
    """Drop the texts of all options of a class but the cheapest one of those that are known."""
    best, lowest = -1, 0
    option: int = menu.classes[mine, FIRST]
    while option >= 0:
        if option >= least:
            tokens = _tokens(menu, own, option)
            if tokens >= 0 and best < 0:
                best, lowest = option, tokens
            elif tokens >= 0 and tokens < lowest:
                _empty(menu, best)
                best, lowest = option, tokens
            elif tokens >= 0:
                _empty(menu, option)
        option = menu.options[option, NEXT]


@leaf
def _tokens(menu: Menu, own: Small, option: int) -> int:
    """Return the tokens of an option and all below it, -1 if they are not known."""
    if menu.kinds[option, SOURCE] != TEXT:
        return -1
    tokens = int(own[option])
    first = menu.options[option, CHILDREN]
    for child in range(first, first + menu.options[option, SIZE]):
        below = menu.classes[child, FIRST]
        if menu.classes[child, DEPTH] >= 0 or menu.kinds[below, SOURCE] != TEXT:
            return -1
        tokens += own[below]
    return int(tokens)


@leaf
def _empty(menu: Menu, option: int) -> None:
    """Drop the text of an option, and those of the lines below it."""
    menu.spans[option, 1] = menu.spans[option, 0]
    first = menu.options[option, CHILDREN]
    for child in range(first, first + menu.options[option, SIZE]):
        below = menu.classes[child, FIRST]
        menu.spans[below, 1] = menu.spans[below, 0]
