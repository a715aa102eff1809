"""Tokens of everything on the menu, each text counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.menu.more import PAYS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.menu.base import Menu, MenuClass, Option
    from mckp.menu.more import More
    from mckp.tokenizers.base import Tokenizer


COPIES: Final = 8
"""Copies of a text that are counted at once where counts do not add up."""


class Prices:
    """Token counts of the texts of a menu, each distinct text counted once.

    Where counts do not add up, they are those of several copies of each text, so that
    rounding and constants weigh less; `scale` says how many.

    Parameters
    ----------
    menu : Menu
        The menu; the cheapest whole option of each of its classes is set on the way, unless that
        of the document is known already.
    tokenizer : Tokenizer
        What counts.
    """

    def __init__(self, menu: Menu, tokenizer: Tokenizer) -> None:
        self.menu = menu
        self.scale = 1 if tokenizer.additive else COPIES
        self.tokens: dict[str, int] = {}
        self.with_calls, self.has_calls = True, False
        self._tokenizer = tokenizer
        texts = [menu.nothing]
        for option in menu.root.options:
            _gather(option, texts)
        self._count(texts)
        if menu.root.whole is None:
            self._whole(menu.root)

    def add(self, option: Option) -> None:
        """Put one more way to write the document on the menu, with its prices."""
        self.menu.root.options.append(option)
        texts: list[str] = []
        _gather(option, texts)
        self._count(texts)
        self._whole(self.menu.root)

    def count(self, options: Iterable[Option]) -> None:
        """Price options that were put on the menu beside those that write all of a class."""
        texts: list[str] = []
        for option in options:
            _gather(option, texts)
        self._count(texts)
        for option in options:
            cost = self.own(option) + sum(map(self._whole, option.children))
            if option.more is not None:
                self._settle(option, option.more, cost)

    def own(self, option: Option) -> int:
        """Return the tokens of an option without its children."""
        own = self.tokens[option.tail] if option.tail else 0
        for text in option.fragments:
            own += self.tokens[text]
        return own

    def hint(self, option: Option) -> int:
        """Return the tokens set aside for an option's hint, whatever it says."""
        plain = option.more is None or not self.with_calls
        return self.tokens[option.hint(len(option.children)) if plain else option.longest_hint]

    def whole(self, option: Option) -> int:
        """Return the tokens of an option with the cheapest ways to write what it opens."""
        return self.own(option) + sum(map(whole_cost, option.children))

    def line(self, text: str) -> int:
        """Return the tokens of any line."""
        self._count([text])
        return self.tokens[text]

    def _count(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self.tokens]
        counts = self._tokenizer.count_batch([text * self.scale for text in new])
        self.tokens.update(zip(new, counts, strict=True))

    def _whole(self, cls: MenuClass) -> int:
        best: tuple[int, Option] | None = None
        for option in cls.options:
            cost = self.own(option)
            for child in option.children:
                cost += self._whole(child)
            if option.is_whole and (best is None or cost < best[0]):
                best = cost, option
            if option.more is not None:
                self._settle(option, option.more, cost)
        assert best is not None, "every class can be written whole"
        cls.whole = best
        return best[0]

    def _settle(self, option: Option, more: More, cost: int) -> None:
        """Find out from when on a call pays, and forget it if it never does."""
        more.least = PAYS * self.tokens[option.longest_hint]
        if cost - self.own(option) < more.least:
            option.more = None
        else:
            self.has_calls = True


def whole_cost(cls: MenuClass) -> int:
    """Return the tokens of the cheapest way to write all of a class."""
    assert cls.whole is not None, "priced before"
    return cls.whole[0]


def _gather(option: Option, texts: list[str]) -> None:
    """Add all texts that an option may come to, its hint as long as it can be."""
    texts += option.fragments
    if option.tail:
        texts.append(option.tail)
    if option.children:
        texts += [option.hint(len(option.children)), option.longest_hint]
        for child in option.children:
            for below in child.options:
                _gather(below, texts)
