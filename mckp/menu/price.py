"""The tokens of everything on the menu; each distinct text is counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.menu.classes import LinesPlan, Option
from mckp.tokenizers.fragment import fragments
from mckp.tokenizers.joints import pricing_for as pricing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.menu.classes import AnyOption, Menu, MenuClass
    from mckp.tokenizers.base import Tokenizer


class Prices:
    """Token counts of the texts of a menu, each distinct text counted once.

    A price is in units, `scale` of which are a token; see `mckp.tokenizers.joints`. A text is
    counted when its price is first needed, and the price never changes. `adds_up` says whether the
    prices of all texts so far add up to the count of the text that they make, less `frame`: the
    tokens of the empty text.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        pricing = pricing_of(tokenizer)
        self.scale, self.frame, self.adds_up = pricing.scale, pricing.frame, pricing.adds_up
        self._count, self._breaks, self._proves = pricing.count, pricing.breaks, pricing.proves
        self._known: dict[str, int] = {}
        self._whole: dict[MenuClass, tuple[int, AnyOption]] = {}

    def __getitem__(self, text: str) -> int:
        """Return the price of a text."""
        text_price = self._known.get(text)
        if text_price is None:
            self.add((text,))
            text_price = self._known[text]
        return text_price

    def of(self, texts: Iterable[str]) -> list[int]:
        """Return the prices of the given texts."""
        texts = list(texts)
        try:
            return list(map(self._known.__getitem__, texts))
        except KeyError:
            self.add(texts)
            return list(map(self._known.__getitem__, texts))

    def add(self, texts: Iterable[str]) -> None:
        """Count those texts that have no price yet, in one batch."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if not new:
            return
        self._known.update(zip(new, self.count(new), strict=True))

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the prices of the given texts without remembering them."""
        if self._breaks and any(sign in text for text in texts for sign in self._breaks):
            self.adds_up = False
        return self._count(texts)

    def learn(self, text: str, tokens: int) -> None:
        """Remember the tokens of a text that was counted elsewhere, if a price is just a count."""
        if self.proves and self.scale == 1 and not self.frame:
            self._known[text] = tokens

    def add_lines(self, texts: Iterable[str]) -> None:
        """Count texts line by line in one batch, if the counts of lines add up.

        The lines of a text that may be cut are counted anyway, and many are in several texts.
        """
        if not self.adds_up or self._breaks or self.frame:
            return
        lines_by_text = {text: fragments(text) for text in texts}
        self.add(line for lines in lines_by_text.values() for line in lines)
        self._known |= {text: sum(self.of(lines)) for text, lines in lines_by_text.items()}

    @property
    def proves(self) -> bool:
        """Whether sums of prices are exact counts, so that the best price proves the best text."""
        return self.adds_up and self._proves

    def tokens(self, cost: int) -> int:
        """Return the tokens of a text whose parts have this price; a guess unless `adds_up`."""
        return -(-(cost + self.frame) // self.scale)

    def own_cost(self, option: AnyOption) -> int:
        """Return the price of an option without its hint and its children or rows."""
        cost = self[option.tail] if option.tail else 0
        for text in option.fragments:
            cost += self[text]
        if isinstance(option, Option):
            cost += self[option.foot] if option.foot else 0
            if option.head is not None:
                cost += self[option.head.line(len(option.children))]
                cost += self[option.head.end] if option.head.end else 0
        return cost

    def whole_cost(self, cls: MenuClass) -> int:
        """Return the price of the cheapest text that writes all of a class."""
        return self.cheapest(cls)[0]

    def cheapest(self, cls: MenuClass) -> tuple[int, AnyOption]:
        """Return the price of the cheapest option that writes all of a class, and that option."""
        cheapest_option = self._whole.get(cls)
        if cheapest_option is None:
            costs = (
                (self.full_cost(option), option) for option in cls.options if writes_all(option)
            )
            cheapest_option = self._whole[cls] = min(costs, key=lambda pair: pair[0])
        return cheapest_option

    def full_cost(self, option: AnyOption) -> int:
        """Return the price of an option with all its rows, or with all of its children."""
        if isinstance(option, Option):
            return self.own_cost(option) + sum(map(self.whole_cost, option.children))
        return self.own_cost(option) + sum(self.of(option.rows))


def name_in_hint(key: str | int | None) -> str:
    """Return a name with the blank before it in a hint; tokens of such texts add up."""
    return f" {key}"


def writes_all(option: AnyOption) -> bool:
    """Whether an option can write all of its class."""
    return option.part is None


def price(menu: Menu, prices: Prices) -> Prices:
    """Count, in one batch, all texts that can write the whole document, and return `prices`."""
    texts = [menu.nothing_text, *gather(menu.root.options)]
    if isinstance(menu.root.plan, LinesPlan):
        prices.add_lines(texts)  # its lines are counted anyway if it is to be cut
    prices.add(texts)
    return prices


def gather(options: Iterable[AnyOption]) -> list[str]:
    """Return all texts of the options and of the classes that they open."""
    texts: list[str] = []
    for option in options:
        texts += option.fragments
        if option.tail:
            texts.append(option.tail)
        if isinstance(option, Option):
            texts += filter(None, [option.foot])
            for child in option.children:
                texts += gather(child.options)
        else:
            texts += option.rows
    return texts
