"""The ways to write smaller versions of a document, value by value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mckp.abridge import abridged
from mckp.encoders import PHRASES
from mckp.menu.base import MenuClass
from mckp.menu.data import offer_part
from mckp.menu.dropped import LINES, put_note
from mckp.menu.worth import Worth

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.base import Format
    from mckp.menu.base import Option
    from mckp.menu.more import Templates
    from mckp.menu.reduction import Reduction
    from mckp.price import Prices
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class OptionWays:
    """The ways to write a smaller version.

    Attributes
    ----------
    options : list of Option
        What they are.
    most : int
        The price of the cheapest.
    """

    options: list[Option]
    most: int

    @property
    def is_loose(self) -> bool:
        """Whether a little more may take much less, or rows may be cut from it."""
        return any(each.children or each.format == PHRASES.name for each in self.options)


class VersionOptions:
    """What writes smaller versions of a document of data.

    Parameters
    ----------
    prices : Prices
        The menu of the document with its prices, which are added to.
    formats : tuple of Format
        What may be used, in the order of ties.
    tokenizer : Tokenizer
        What counts.
    worth : Worth, optional
        The weights of the leaves.
    more : Templates, optional
        Calls that get what is missing of arrays.
    put_others : callable
        Says in texts of the document what all of them say besides.

    Attributes
    ----------
    has_phrases : bool
        Whether all of the document is cheapest below a dictionary.
    """

    def __init__(
        self,
        prices: Prices,
        formats: tuple[Format, ...],
        tokenizer: Tokenizer,
        worth: Worth | None,
        more: Templates | None,
        put_others: Callable[[list[Option]], None],
    ) -> None:
        self._prices, self._formats, self._tokenizer = prices, formats, tokenizer
        self._worth, self._more, self._put_others = worth, more, put_others
        assert prices.menu.root.whole is not None, "priced before"
        best = prices.menu.root.whole[1]
        self.has_phrases, self._has_lines = best.format == PHRASES.name, best.unit in LINES

    def __call__(self, part: Reduction) -> OptionWays:
        """Return the ways to write a version, priced."""
        worth = self._worth_of(part)
        options = offer_part(part, self._formats, worth, self._more, lines=self._has_lines)
        if self.has_phrases:
            self._prices.count(options)
            options += self._abridged(part, min(options, key=self._prices.whole))
        for option in options:
            put_note(option, part.note)
        self._put_others(options)
        self._prices.count(options)
        return OptionWays(options, min(map(self._prices.whole, options)))

    def _abridged(self, part: Reduction, option: Option) -> list[Option]:
        """Return a way to write a version below a dictionary, if that is shorter."""
        whole = replace(option, reduction=None)
        cls = MenuClass(None, part.content, part.weight, [whole], (0, whole))
        found = abridged(cls, self._tokenizer)
        return [] if found is None else [replace(found, reduction=part)]

    def _worth_of(self, part: Reduction) -> Worth | None:
        if self._worth is None and all(weight == 1 for weight in part.weights):
            return None
        pins = (number >= 0 and self._is_pinned(number) for number in part.numbers)
        return Worth.of_leaves(part.weights, pins)

    def _is_pinned(self, number: int) -> bool:
        return self._worth is not None and self._worth.is_pinned(number, 1)
