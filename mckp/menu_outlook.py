"""The classes of a menu of objects, for who wants to know why one was written as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.plan import Candidate
from mckp.render import kept_value
from mckp.report import cost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.base import MenuClass, Option
    from mckp.price import Prices
    from mckp.render import Pick


class MenuOutlook:
    """A `mckp.plan.Outlook` of menu classes.

    Parameters
    ----------
    pick : Pick
        What was decided.
    prices : Prices
        The menu with its prices.
    """

    def __init__(self, pick: Pick, prices: Prices) -> None:
        self.root: MenuClass = pick.cls
        self._prices = prices
        self._picks: dict[int, Pick] = {}
        self._note(pick)

    def _note(self, pick: Pick) -> None:
        self._picks[id(pick.cls)] = pick
        for child in pick.children:
            self._note(child)

    def key(self, cls: MenuClass) -> str | int | None:
        return cls.key

    def weight(self, cls: MenuClass) -> float:
        return cls.weight

    def is_pinned(self, cls: MenuClass) -> bool:
        return cls.pinned

    def candidates(self, cls: MenuClass) -> Iterator[Candidate]:
        taken = self._picks[id(cls)].option if id(cls) in self._picks else None
        for option in cls.options:
            yield self._candidate(cls, option)
        if taken is not None and taken not in cls.options:  # it was offered for a while
            yield self._candidate(cls, taken)

    def taken(self, cls: MenuClass) -> Candidate | None:
        option = self._picks[id(cls)].option
        return None if option is None else self._candidate(cls, option)

    def spent(self, cls: MenuClass) -> tuple[int, float]:
        pick = self._picks[id(cls)]
        return cost(pick, self._prices), kept_value(pick)

    def _candidate(self, cls: MenuClass, option: Option) -> Candidate:
        part, children = option.reduction, option.children
        alone = cls.weight if part is None else part.weight
        return Candidate(
            name=id(option),
            format=option.format,
            cost=self._prices.own(option),
            hint=self._prices.hint(option) if children else 0,
            value=option.weight if children else alone,
            children=children,
            missing=() if part is None else part.names,
            kept=None if part is None else part.content,
        )
