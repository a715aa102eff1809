"""The knapsack table of a priced menu: all that a solver gets to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.price import whole_cost
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from mckp.menu.base import MenuClass, Option
    from mckp.price import Prices

MOST_CLASSES: Final = 500_000
"""Classes that a table may have for the sake of exactness.

Where all children of a container are there, though something is cut inside one of them,
no hint is owed. To price that exactly takes a second copy of everything below, at every
level. A document so large and deep that the copies would pass this number has them at its
outer levels only; further in, hints are priced in two ways, see `tabulate`.
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
    """A table and what its classes and options stand for, in the table's order.

    Attributes
    ----------
    table : Table
        The numbers.
    classes : list of MenuClass
        What each class of the table is.
    rows : list of Row
        What each option of the table means.
    """

    table: Table
    classes: list[MenuClass]
    rows: list[Row]


def tabulate(prices: Prices, budget: int, *, spare_hints: bool) -> PricedTable:
    """Return the knapsack table of a menu under a budget.

    All ways to write a class whole have the same value, so only the cheapest stands in
    the table. What cannot fit the budget is left out. Where nothing may be cut, children that
    cannot be opened are no classes of their own: what they cost and hold is their parent's.

    Parameters
    ----------
    prices : Prices
        The menu with its prices.
    budget : int
        The budget, in the unit of the prices.
    spare_hints : bool
        Whether hints that may turn out not to be owed cost nothing, which makes the table
        a relaxation; they cost what they cost otherwise, which makes every choice fit.
    """
    return _Tabulation(prices, budget, spare_hints).result()


class _Tabulation:
    def __init__(self, prices: Prices, budget: int, spare_hints: bool) -> None:
        self.prices, self.budget, self.spare_hints = prices, budget, spare_hints
        self.copied = _levels(prices.menu.root)
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
        for option in cls.options:
            if option.reduction is not None:
                cost = self.prices.own(option) + sum(map(whole_cost, option.children))
                if cost <= self.budget:
                    self.option(cost, option.reduction.weight, Row(option, whole=False))
        for option in self.worth_opening(cls):
            for cost, hinted in self.openings(option, depth):
                if cost <= self.budget:
                    opened.append((len(self.rows), option, hinted))
                    value = option.weight + (0 if hinted else _fixed_value(option))
                    self.option(cost, value, Row(option, whole=False))
        if cuttable and not cls.pinned:
            cost = self.prices.tokens[self.prices.menu.nothing] if parent < 0 else 0
            self.option(cost, 0, Row(None, whole=False))
        self.start.append(len(self.rows))
        for row, option, hinted in opened:
            for child in option.children:
                if hinted or _can_open(child):
                    self.add(child, row, cuttable=hinted, depth=depth + 1)

    def openings(self, option: Option, depth: int) -> Iterator[tuple[int, bool]]:
        """Yield the costs of opening a container, each with whether children may be cut."""
        own, hint = self.prices.own(option), self.prices.hint(option)
        if not any(_can_open(child) for child in option.children):
            yield own + hint, True
        elif depth < self.copied or _only_wraps(option):
            yield own + _fixed_cost(option), False
            if not _only_wraps(option):
                yield own + hint, True
        else:
            yield own if self.spare_hints else own + hint, True

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
                other is not None
                and of.reduction is option.reduction
                and len(other) == len(costs)
                and (other <= costs).all()
                for of, other in kept
            ):
                kept.append((option, costs))
        return [option for option, _ in kept]

    def flat_costs(self, option: Option) -> NDArray[np.int64] | None:
        if any(_can_open(child) for child in option.children):
            return None
        own = self.prices.own(option) + self.prices.hint(option)
        return np.array([own, *map(whole_cost, option.children)], dtype=np.int64)


def _fixed_cost(option: Option) -> int:
    """Return the tokens of the children of an option that cannot be opened."""
    return sum(whole_cost(child) for child in option.children if not _can_open(child))


def _fixed_value(option: Option) -> float:
    return sum(child.weight for child in option.children if not _can_open(child))


def _can_open(cls: MenuClass) -> bool:
    return any(option.children for option in cls.options)


def _only_wraps(option: Option) -> bool:
    """Whether a container holds one child and nothing else: without it nothing is kept."""
    return len(option.children) == 1 and not option.weight


def _levels(root: MenuClass) -> int:
    """Return down to which depth everything may stand in the table twice."""
    classes, deepest = 0, 0
    stack = [(root, 0)]
    while stack:
        cls, depth = stack.pop()
        classes, deepest = classes + 1, max(deepest, depth)
        stack += [(child, depth + 1) for option in cls.options for child in option.children]
    return min(deepest, (MOST_CLASSES // classes).bit_length() - 1 if classes else 0)
