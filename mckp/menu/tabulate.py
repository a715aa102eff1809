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

    # What an option stands for, or its series and its number there; then what the table says.
    Entry: TypeAlias = tuple[Meaning | tuple[Costs, int], int, float, int, bool]


def tabulate(menu: Menu, prices: Prices) -> Tabulated:
    """Return the knapsack table of a priced menu."""
    return Tabulated(menu, prices)


class Tabulated:
    """The table of a priced menu, and what it stands for.

    `classes` are the classes of the menu in the order of the table.
    """

    def __init__(self, menu: Menu, prices: Prices) -> None:
        self.menu, self.prices = menu, prices
        self.classes: list[MenuClass] = []
        self._start, self._parent = [0], list[int]()
        self._found: list[Entry] = []  # for each option of the table
        # What is offered besides, and the names that notes may have, are counted in one batch.
        classes = list(_classes(menu))
        self._further = {cls: list(cls.narrower()) for cls in classes if cls.narrower}
        opened = (each for cls in classes for each in cls.options if isinstance(each, Option))
        names = [name_in_hint(key) for each in opened for key in each.named()]
        prices.add(gather(option for found in self._further.values() for option in found) + names)
        self._parts = self._frontiers(classes)
        self._add(menu.root, -1, 0.0, may_cut=True)
        _, costs, worths, setup, owing = map(list, zip(*self._found, strict=True))
        self.table = Table(
            start=self._start,
            cost=costs,
            value=np.array(worths, dtype=np.float64),
            parent_option=self._parent,
            setup=setup,
            owing=owing,
        )

    def meaning(self, row: int) -> Meaning:
        """Return what an option of the table is."""
        found = self._found[row][0]
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
        option = meaning.option if meaning.make is None else meaning.make()
        rows = np.sort(meaning.rows).tolist() if len(meaning.rows) else ()
        return Pick(cls, path, option, tuple(own), rows, meaning.call, meaning.is_told)

    def _add(self, cls: MenuClass, parent: int, named: float, *, may_cut: bool) -> None:
        """Add a class; if it is cut, it may be worth something to be called by its name."""
        self.classes.append(cls)
        self._parent.append(parent)
        cost, option = self.prices.cheapest(cls)
        self._found += self._parts.get(cls, ())
        self._mean(Meaning(option, is_whole=True), cost, cls.worth)
        first = len(self._found)
        opened = [each for each in cls.options if isinstance(each, Option) and each.children]
        for each in opened:
            # The hint takes as many tokens whatever number it shows.
            own, hint = self.prices.own(each), self.prices[each.hint(len(each.children))]
            # What serves only where a child is cut has its hint in any case.
            own, hint = (own + hint, 0) if each.is_partial else (own, hint)
            self._mean(Meaning(each), own, each.worth, setup=hint)
        if may_cut and not cls.is_pinned:
            name = self.prices[name_in_hint(cls.key)] if named else 0
            if named and cost >= PAYS * name:
                self._mean(Meaning(None, is_told=True), name, named, owing=True)
            cost = self.prices[self.menu.nothing] if parent < 0 else 0
            self._mean(Meaning(None), cost, 0.0, owing=True)
        self._start.append(len(self._found))
        for row, each in enumerate(opened, first):
            # Without the only thing in it, a container would keep nothing.
            may_cut = len(each.children) > 1 or bool(each.worth)
            names = each.named()
            for child in each.children:
                named = names.get(str(child.key), 0.0) if names else 0.0
                self._add(child, row, named, may_cut=may_cut)

    def _mean(
        self, meaning: Meaning, cost: int, worth: float, setup: int = 0, *, owing: bool = False
    ) -> None:
        """Add an option; what is cut owes the hint of what opened it."""
        self._found.append((meaning, cost, worth, setup, owing))

    def _frontiers(self, classes: Sequence[MenuClass]) -> dict[MenuClass, list[Entry]]:
        """Return the frontiers of the options that write a part of a class without opening it."""
        priced: list[tuple[int, Any]] = [
            (number, each) for number, cls in enumerate(classes) for each in self._priced(cls)
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

    def _priced(self, cls: MenuClass) -> Iterator[Any]:
        """Yield the options of a class that write a part of it without opening it, with costs."""
        every = (*cls.options, *self._further.get(cls, ()))
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
