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
    from typing import TypeAlias

    from mckp.menu.classes import Menu, MenuClass
    from mckp.menu.price import Prices
    from mckp.menu.render import Path
    from mckp.menu.series import Costs

    Meant: TypeAlias = Meaning | tuple[Costs, int]
    Entry: TypeAlias = tuple[Meant, int, float, int, bool]


@dataclass(frozen=True, slots=True)
class Tabulated:
    """A table and what it stands for."""

    menu: Menu
    """The menu."""
    prices: Prices
    """Its prices."""
    table: Table
    """The numbers."""
    classes: list[MenuClass]
    """What each class of the table is."""
    options: list[Meant]
    """What each option of the table is, or what makes it, and its number there."""

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
            own = children.pop(row, [])
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
        self.found = list["Entry"]()  # one for each option
        # What is offered besides, and the names that notes may have, are counted in one batch.
        classes = list(_classes(menu))
        self.further = {cls: list(cls.narrower()) for cls in classes if cls.narrower}
        opened = (each for cls in classes for each in cls.options if isinstance(each, Option))
        names = [name_in_hint(key) for each in opened for key in each.named()]
        prices.add(gather(option for found in self.further.values() for option in found) + names)
        self.parts = self.frontiers(classes)

    def result(self) -> Tabulated:
        self.add(self.menu.root, -1, 0.0, may_cut=True)
        options, costs, worths, setup, owing = map(list, zip(*self.found, strict=True))
        table = Table(
            start=self.start,
            cost=costs,
            value=np.array(worths, dtype=np.float64),
            parent_option=self.parent,
            setup=setup,
            owing=owing,
        )
        return Tabulated(self.menu, self.prices, table, self.classes, options)

    def add(self, cls: MenuClass, parent: int, named: float, *, may_cut: bool) -> None:
        """Add a class; if it is cut, it may be worth something to be called by its name."""
        self.classes.append(cls)
        self.parent.append(parent)
        cost, option = self.prices.cheapest(cls)
        self.found += self.parts.get(cls, ())
        self.mean(Meaning(option, cost, cls.worth, is_whole=True))
        first = len(self.found)
        opened = [each for each in cls.options if isinstance(each, Option) and each.children]
        for each in opened:
            self.mean(self.opening(each))
        if may_cut and not cls.is_pinned:
            name = self.prices[name_in_hint(cls.key)] if named else 0
            if named and cost >= PAYS * name:
                self.mean(Meaning(None, name, named, is_told=True), owing=True)
            cost = self.prices[self.menu.nothing] if parent < 0 else 0
            self.mean(Meaning(None, cost, 0.0), owing=True)
        self.start.append(len(self.found))
        for row, each in enumerate(opened, first):
            # Without the only thing in it, a container would keep nothing.
            may_cut = len(each.children) > 1 or bool(each.worth)
            names = each.named()
            for child in each.children:
                named = names.get(str(child.key), 0.0) if names else 0.0
                self.add(child, row, named, may_cut=may_cut)

    def mean(self, meaning: Meaning, *, owing: bool = False) -> None:
        """Add an option; what is cut owes the hint of what opened it."""
        self.found.append((meaning, meaning.cost, meaning.worth, meaning.setup, owing))

    def opening(self, option: Option) -> Meaning:
        own, hint = self.prices.own(option), self.prices.hint(option)
        # What serves only where a child is cut has its hint in any case.
        if option.is_partial:
            return Meaning(option, own + hint, option.worth)
        return Meaning(option, own, option.worth, setup=hint)

    def frontiers(self, classes: Sequence[MenuClass]) -> dict[MenuClass, list[Entry]]:
        """Return the frontiers of the options that write a part of a class without opening it."""
        priced: list[tuple[int, Any]] = [
            (number, each) for number, cls in enumerate(classes) for each in self.priced(cls)
        ]
        if not priced:
            return {}
        sizes = [len(each.costs) for _, each in priced]
        costs = np.concatenate([each.costs for _, each in priced])
        worths = np.concatenate([each.worths for _, each in priced])
        numbers = np.repeat([number for number, _ in priced], sizes)
        most = np.array(list(map(self.prices.whole, classes)))
        places = frontier(costs, worths, numbers, most)
        starts = np.cumsum([0, *sizes])
        series = np.searchsorted(starts, places, side="right") - 1
        columns: tuple[Any, ...] = (series, places - starts[series], costs[places], worths[places])
        found: dict[MenuClass, list[Entry]] = {}
        for number, place, cost, worth in zip(*(e.tolist() for e in columns), strict=True):
            owner, source = priced[int(number)]
            found.setdefault(classes[owner], []).append(((source, place), cost, worth, 0, False))
        return found

    def priced(self, cls: MenuClass) -> Iterator[Any]:
        """Yield the options of a class that write a part of it without opening it, with costs."""
        every = (*cls.options, *self.further.get(cls, ()))
        single = [e for e in every if isinstance(e, Option) and e.part and not e.children]
        if single:
            yield from with_names(OptionCosts(single, self.prices))
        for each in every:
            if not isinstance(each, Option):
                yield from with_names(COSTS[type(each)](each, self.prices))


def _classes(menu: Menu) -> Iterator[MenuClass]:
    """Yield all classes of a menu."""
    ahead = [menu.root]
    while ahead:
        cls = ahead.pop()
        yield cls
        for option in cls.options:
            if isinstance(option, Option):
                ahead += option.children
