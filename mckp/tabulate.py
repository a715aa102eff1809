"""The knapsack table of a priced menu: all that a solver gets to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.price import whole_cost
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from mckp.menu.base import MenuClass, Option
    from mckp.price import Prices

UNHINTED_DEPTH: Final = 2
"""Levels of opened containers that are also offered with all their children.

Where all children of a container are there, though something is cut inside one of them,
no hint is owed. To leave it out exactly takes a second copy of everything below, so it is
offered at the outer levels only; further in, the hint's tokens are set aside.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What one option of the table means.

    Attributes
    ----------
    option : Option or None
        The menu's option; None when the class is cut.
    whole : bool
        Whether everything below is written too, each class in its cheapest way.
    """

    option: Option | None
    whole: bool


@dataclass(frozen=True, slots=True)
class PricedTable:
    """A table and what its classes and options stand for, in the table's order."""

    table: Table
    classes: list[MenuClass]
    rows: list[Row]


def tabulate(prices: Prices, budget: int) -> PricedTable:
    """Return the knapsack table of a menu under a budget.

    All ways to write a class whole have the same value, so only the cheapest stands in
    the table. What cannot fit the budget is left out.
    """
    return _Tabulation(prices, budget).result()


class _Tabulation:
    def __init__(self, prices: Prices, budget: int) -> None:
        self.prices, self.budget = prices, budget
        self.start, self.parent = [0], list[int]()
        self.cost, self.value = list[int](), list[float]()
        self.classes, self.rows = list["MenuClass"](), list[Row]()
        self.add(prices.menu.root, parent=-1, cuttable=True, depth=0)

    def result(self) -> PricedTable:
        table = Table(
            start=np.array(self.start, dtype=np.int64),
            cost=np.array(self.cost, dtype=np.int64),
            value=np.array(self.value),
            parent_option=np.array(self.parent, dtype=np.int64),
        )
        return PricedTable(table, self.classes, self.rows)

    def add(self, cls: MenuClass, parent: int, cuttable: bool, depth: int) -> None:
        self.classes.append(cls)
        self.parent.append(parent)
        opened: list[tuple[int, Option, bool]] = []
        assert cls.whole is not None, "priced before"
        if cls.whole[0] <= self.budget:
            self.option(cls.whole[0], cls.weight, Row(cls.whole[1], whole=True))
        for option in self.worth_opening(cls):
            for hinted in (False, True) if _unhinted(option, depth) else (True,):
                cost = self.prices.own(option) + (self.prices.hint(option) if hinted else 0)
                if cost <= self.budget:
                    opened.append((len(self.rows), option, hinted))
                    self.option(cost, option.weight, Row(option, whole=False))
        if cuttable:
            cost = self.prices.tokens[self.prices.menu.nothing] if parent < 0 else 0
            self.option(cost, 0, Row(None, whole=False))
        self.start.append(len(self.rows))
        for row, option, hinted in opened:
            for child in option.children:
                self.add(child, row, cuttable=hinted, depth=depth + 1)

    def option(self, cost: int, value: float, row: Row) -> None:
        self.cost.append(cost)
        self.value.append(value)
        self.rows.append(row)

    def worth_opening(self, cls: MenuClass) -> Iterable[Option]:
        """Leave out layouts whose every row another layout writes in no more tokens."""
        kept: list[tuple[Option, NDArray[np.int64] | None]] = []
        for option in cls.options:
            if not option.children:
                continue
            costs = self.flat_costs(option)
            if costs is None or not any(
                other is not None and len(other) == len(costs) and (other <= costs).all()
                for _, other in kept
            ):
                kept.append((option, costs))
        return [option for option, _ in kept]

    def flat_costs(self, option: Option) -> NDArray[np.int64] | None:
        if any(_can_open(child) for child in option.children):
            return None
        own = self.prices.own(option) + self.prices.hint(option)
        return np.array([own, *map(whole_cost, option.children)], dtype=np.int64)


def _can_open(cls: MenuClass) -> bool:
    return any(option.children for option in cls.options)


def _unhinted(option: Option, depth: int) -> bool:
    return depth < UNHINTED_DEPTH and any(_can_open(child) for child in option.children)
