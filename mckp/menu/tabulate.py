"""The knapsack table of a priced menu: all that a solver gets to know.

A class of the menu is a class of the table. Its options there:

- the cheapest way to write all of it;
- the *frontier* of its parts: rows of a table in the order of worth for a token, and what else
  writes a part of it. Of these options, those that others dominate are dropped, and the rest are
  thinned: one stays for each percent of cost;
- each way to open it, with the hint on cut children as a setup cost;
- to cut it, which owes the setup cost of the option that opened it.

The table is the same for all budgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mckp.menu.classes import Option
from mckp.menu.price import gather, name_in_hint
from mckp.menu.render import Pick, below, whole
from mckp.menu.series import COSTS, PAYS, Meaning, OptionCosts, frontier, with_names
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mckp.menu.classes import Menu, MenuClass
    from mckp.menu.price import Prices
    from mckp.menu.render import Path
    from mckp.menu.series import Costs

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tabulated:
    """A table and what it stands for.

    Attributes
    ----------
    menu : Menu
        The menu.
    prices : Prices
        Its prices.
    table : Table
        The numbers.
    classes : list of MenuClass
        What each class of the table is.
    options : list of Meaning or of a pair of Costs and int
        What each option of the table is, or what makes it, and its number there.
    """

    menu: Menu
    prices: Prices
    table: Table
    classes: list[MenuClass]
    options: list[Meaning | tuple[Costs, int]]

    def meaning(self, row: int) -> Meaning:
        """Return what an option of the table is."""
        found = self.options[row]
        return found if isinstance(found, Meaning) else found[0].meaning(found[1])

    def pick(self, choice: Sequence[int]) -> Pick:
        """Return what a solution means; `choice` is one option a class, -1 if not reached."""
        start: list[int] = self.table.start.tolist()
        parents: list[int] = self.table.parent_option.tolist()
        found: dict[int, Pick] = {}
        children: dict[int, list[Pick]] = {}
        # Paths are known from the top, children from the bottom.
        paths: dict[int, Path] = {-1: ()}
        reached = [(number, taken) for number, taken in enumerate(choice) if taken >= 0]
        for number, taken in reached:
            path = below(paths[parents[number]], self.classes[number])
            paths[start[number] + taken] = path
        for number, taken in reversed(reached):
            row = int(start[number] + taken)
            own = children.pop(row) if row in children else []
            own.reverse()
            found[number] = self._picked(self.classes[number], self.meaning(row), own, paths[row])
            children.setdefault(parents[number], []).append(found[number])
        return found[0]

    def _picked(self, cls: MenuClass, meaning: Meaning, own: list[Pick], path: Path) -> Pick:
        if meaning.is_whole:
            return whole(cls, self.prices, path)
        if meaning.make is not None:
            return Pick(cls, path, meaning.make(), rows=range(meaning.count))
        if meaning.rows is not None:
            rows = np.sort(meaning.rows[: meaning.count]).tolist()
            return Pick(cls, path, meaning.option, rows=rows, call=meaning.call)
        return Pick(cls, path, meaning.option, tuple(own), is_told=meaning.is_told)


def tabulate(menu: Menu, prices: Prices) -> Tabulated:
    """Return the knapsack table of a priced menu."""
    return _Tabulation(menu, prices).result()


class _Tabulation:
    def __init__(self, menu: Menu, prices: Prices) -> None:
        self.menu, self.prices = menu, prices
        self.start, self.parent = [0], list[int]()
        self.classes = list["MenuClass"]()
        self.options = list["Meaning | tuple[Costs, int]"]()
        self.costs, self.worths = list[int](), list[float]()
        self.setup, self.owing = list[int](), list[bool]()
        # What is offered besides, and the names that notes may have, are counted in one batch.
        classes = list(_classes(menu))
        self.further = {cls: list(cls.narrower()) for cls in classes if cls.narrower}
        opened = (each for cls in classes for each in cls.options if isinstance(each, Option))
        names = [name_in_hint(key) for each in opened for key in each.named()]
        prices.add(gather(option for found in self.further.values() for option in found) + names)

    def result(self) -> Tabulated:
        self.add(self.menu.root, -1, 0.0, may_cut=True)
        table = Table(
            start=self.start,
            cost=self.costs,
            value=np.array(self.worths, dtype=np.float64),
            parent_option=self.parent,
            setup=self.setup,
            owing=self.owing,
        )
        return Tabulated(self.menu, self.prices, table, self.classes, self.options)

    def add(self, cls: MenuClass, parent: int, named: float, *, may_cut: bool) -> None:
        """Add a class; if it is cut, it may be worth something to be called by its name."""
        self.classes.append(cls)
        self.parent.append(parent)
        cost, option = self.prices.cheapest(cls)
        self.add_parts(cls, cost)
        self.offer(Meaning(option, cost, cls.worth, is_whole=True))
        first = len(self.options)
        opened = [each for each in cls.options if isinstance(each, Option) and each.children]
        for each in opened:
            self.offer(self.opening(each))
        if may_cut and not cls.is_pinned:
            name = self.prices[name_in_hint(cls.key)] if named else 0
            if named and cost >= PAYS * name:
                self.offer(Meaning(None, name, named, is_told=True), owing=True)
            cost = self.prices[self.menu.nothing] if parent < 0 else 0
            self.offer(Meaning(None, cost, 0.0), owing=True)
        self.start.append(len(self.options))
        for row, each in enumerate(opened, first):
            # Without the only thing in it, a container would keep nothing.
            may_cut = len(each.children) > 1 or bool(each.worth)
            names = each.named()
            for child in each.children:
                named = names.get(str(child.key), 0.0) if names else 0.0
                self.add(child, row, named, may_cut=may_cut)

    def offer(self, meaning: Meaning, *, owing: bool = False) -> None:
        """Add an option; what is cut owes the hint of what opened it."""
        self.options.append(meaning)
        self.costs.append(meaning.cost)
        self.worths.append(meaning.worth)
        self.setup.append(meaning.setup)
        self.owing.append(owing)

    def opening(self, option: Option) -> Meaning:
        own, hint = self.prices.own(option), self.prices.hint(option)
        # What serves only where a child is cut has its hint in any case.
        if option.is_partial:
            return Meaning(option, own + hint, option.worth)
        return Meaning(option, own, option.worth, setup=hint)

    def add_parts(self, cls: MenuClass, most: int) -> None:
        """Add the frontier of the options that write a part of a class without opening it."""
        every = (*cls.options, *self.further.get(cls, ()))
        single = [e for e in every if isinstance(e, Option) and e.part and not e.children]
        plain: list[Any] = [OptionCosts(single, self.prices)] if single else []
        plain += [COSTS[type(e)](e, self.prices) for e in every if not isinstance(e, Option)]
        if not plain:
            return
        priced = [each for own in plain for each in with_names(own)]
        costs = np.concatenate([each.costs for each in priced])
        worths = np.concatenate([each.worths for each in priced])
        starts = np.cumsum([0, *(len(each.costs) for each in priced)])
        places = frontier(costs, worths, most, cls.worth)
        series = np.searchsorted(starts, places, side="right") - 1
        for place, number in zip(places, series.tolist(), strict=True):
            self.options.append((priced[number], place - int(starts[number])))
        self.costs += costs[places].tolist()
        self.worths += worths[places].tolist()
        self.setup += [0] * len(places)
        self.owing += [False] * len(places)


def _classes(menu: Menu) -> Iterator[MenuClass]:
    """Yield all classes of a menu."""
    ahead = [menu.root]
    while ahead:
        cls = ahead.pop()
        yield cls
        for option in cls.options:
            if isinstance(option, Option):
                ahead += option.children
