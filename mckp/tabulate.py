"""The knapsack table of a priced menu: all that a solver gets to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mckp.price import whole_cost
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from mckp.menu.base import MenuClass, Option
    from mckp.price import Prices


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
    due : array of int64
        What each option owes if a class that it opens is cut, beyond its cost.
    """

    table: Table
    classes: list[MenuClass]
    rows: list[Row]
    due: NDArray[np.int64]


def tabulate(
    prices: Prices, budget: int, twice: AbstractSet[int], besides: Sequence[Option] = ()
) -> PricedTable:
    """Return the knapsack table of a menu under a budget.

    All ways to write a class whole have the same value, so only the cheapest stands in
    the table. What cannot fit the budget is left out.

    Where all children of a container are there, though something is cut inside one of them,
    no hint is owed. To price that exactly takes a second copy of everything below: one for which
    the hint is paid, and one in which no child may be cut. In the latter, children that cannot be
    opened are no classes of their own: what they cost and hold is their parent's.

    Parameters
    ----------
    prices : Prices
        The menu with its prices.
    budget : int
        The budget, in the unit of the prices.
    twice : set of int
        Options that are priced exactly, by their `id`. The hints of others whose children can be
        opened are `PricedTable.due`.
    besides : sequence of Option
        Ways to write the document that are not on its menu.
    """
    return _Tabulation(prices, budget, twice, besides).result()


class _Tabulation:
    def __init__(
        self,
        prices: Prices,
        budget: int,
        twice: AbstractSet[int],
        besides: Sequence[Option],
    ) -> None:
        self.prices, self.budget, self.twice = prices, budget, twice
        self.besides = besides
        self.start, self.parent = [0], list[int]()
        self.cost, self.value, self.due = list[int](), list[float](), list[int]()
        self.classes, self.rows = list["MenuClass"](), list[Row]()
        self.add(prices.menu.root, parent=-1, cuttable=True)

    def result(self) -> PricedTable:
        table = Table(
            start=np.array(self.start, dtype=np.int64),
            cost=np.array(self.cost, dtype=np.int64),
            value=np.array(self.value),
            parent_option=np.array(self.parent, dtype=np.int64),
        )
        return PricedTable(table, self.classes, self.rows, np.array(self.due, dtype=np.int64))

    def add(self, cls: MenuClass, parent: int, cuttable: bool) -> None:
        self.classes.append(cls)
        self.parent.append(parent)
        opened: list[tuple[int, Option, bool]] = []
        assert cls.whole is not None, "priced before"
        if cls.whole[0] <= self.budget:
            self.option(cls.whole[0], cls.weight, Row(cls.whole[1], whole=True))
        options = cls.options if parent >= 0 else [*cls.options, *self.besides]
        for option in options:
            if option.reduction is not None:
                cost = self.prices.whole(option)
                if cost <= self.budget:
                    self.option(cost, option.reduction.weight, Row(option, whole=False))
        for option in self.worth_opening(options):
            for cost, due, hinted in self.openings(option):
                if cost <= self.budget:
                    opened.append((len(self.rows), option, hinted))
                    value = option.weight + (0 if hinted else _fixed_value(option))
                    self.option(cost, value, Row(option, whole=False), due)
        if cuttable:
            cost = self.prices.tokens[self.prices.menu.nothing] if parent < 0 else 0
            # What must stay has a last option as well, which no budget allows.
            self.option(self.budget + 1 if cls.pinned else cost, 0, Row(None, whole=False))
        self.start.append(len(self.rows))
        for row, option, hinted in opened:
            for child in option.children:
                if hinted or _can_open(child):
                    self.add(child, row, cuttable=hinted)

    def openings(self, option: Option) -> Iterator[tuple[int, int, bool]]:
        """Yield what opening a container costs and may owe, and whether children may be cut."""
        own, hint = self.prices.own(option), self.prices.hint(option)
        if not any(_can_open(child) for child in option.children):
            yield own + hint, 0, True
        elif _only_wraps(option):
            yield own + _fixed_cost(option), 0, False
        elif id(option) in self.twice:
            yield own + _fixed_cost(option), 0, False
            yield own + hint, 0, True
        else:
            yield own, hint, True

    def option(self, cost: int, value: float, row: Row, due: int = 0) -> None:
        self.cost.append(cost)
        self.value.append(value)
        self.rows.append(row)
        self.due.append(due)

    def worth_opening(self, options: Iterable[Option]) -> Iterable[Option]:
        """Leave out layouts whose every row another layout writes in no more tokens."""
        kept: list[tuple[Option, NDArray[np.int64] | None]] = []
        for option in options:
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
    """Whether a class can lose something and still be there."""
    return any(option.children or option.reduction for option in cls.options)


def _only_wraps(option: Option) -> bool:
    """Whether a container holds one child and nothing else: without it nothing is kept."""
    return len(option.children) == 1 and not option.weight
