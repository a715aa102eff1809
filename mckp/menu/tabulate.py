"""The knapsack table of a priced menu, the only input of a solver.

Each class of the menu is a class of the table. Its options in the table are:

- the cheapest option that writes all of it;
- the *frontier* of options that write a part of it, such as the first rows by worth per token.
  Dominated options are dropped, and the rest are thinned: one stays for each percent of cost;
- each option that opens it, with the hint on cut children as a setup cost;
- to cut it, which owes the setup cost of the option that opened it.

Costs and worths of what represents many options are in `mckp.menu.costs`. The table is the same
for all budgets.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mckp.menu.classes import BlockPlan, LinesPlan, Option, PartsPlan, RowsOption
from mckp.menu.costs import RowCosts
from mckp.menu.meaning import Meaning
from mckp.menu.price import name_in_hint
from mckp.menu.render import Pick, child_path, whole_pick
from mckp.menu.thin import frontier
from mckp.menu.values import MEMBERS
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.menu.classes import Menu, MenuClass
    from mckp.menu.costs import Costs
    from mckp.menu.cuts.cuts import Cuts
    from mckp.menu.price import Prices
    from mckp.paths import Path

    # An option's meaning, or its series and its number in that; then, as in the table, its
    # cost, worth and setup cost, and whether it owes that of the option that opened its class.
    Entry: TypeAlias = "tuple[Meaning | tuple[Costs, int], int, float, int, bool]"


def tabulate(menu: Menu, prices: Prices, cuts: Cuts) -> Tabulated:
    """Return the knapsack table of a priced menu and the ways to cut its classes."""
    return Tabulated(menu, prices, cuts)


def _is_by_lines(cls: MenuClass) -> bool:
    """Whether a class is a text, which is cut by lines, perhaps in several parts."""
    return isinstance(cls.plan, LinesPlan | PartsPlan)


class Tabulated:
    """The table of a priced menu, with the meaning of its classes and options."""

    def __init__(
        self,
        menu: Menu,
        prices: Prices,
        cuts: Cuts,
        *,
        is_binary: bool = False,
    ) -> None:
        self.menu, self.prices, self.cuts, self._is_binary = menu, prices, cuts, is_binary
        self.classes: list[MenuClass] = []
        self._start, self._parent = [0], list[int]()
        self._entries: list[Entry] = []  # for each option of the table
        self.whole_option = 0  # the option of the root that writes everything
        self._parts = self._frontiers(list(menu.classes()))
        self._add_class(menu.root, -1, 0.0, may_cut=True)
        _, costs, worths, setup, owing = map(list, zip(*self._entries, strict=True))
        self.table = Table(
            start=self._start,
            cost=costs,
            value=np.array(worths, dtype=np.float64),
            parent_option=self._parent,
            setup=setup,
            owing=owing,
        )

    @cached_property
    def binary(self) -> Tabulated:
        """The table of the 0-1 knapsack of subtrees, a baseline for comparisons.

        Each subtree has one format, that of its shortest text, and is taken whole or left out. A
        container is opened where only some of its members are taken. Rows of a table and lines of a
        text are such subtrees, too. So there are no narrower tables, no shorter texts, no notes
        with names, and no second format.
        """
        return Tabulated(self.menu, self.prices, self.cuts, is_binary=True)

    def meaning(self, option: int) -> Meaning:
        """Return the meaning of an option of the table, given its index."""
        entry = self._entries[option][0]
        return entry if isinstance(entry, Meaning) else entry[0].meaning(entry[1])

    def pick(self, choice: Sequence[int]) -> Pick:
        """Return the pick of a solution; `choice` has an option per class, -1 if not reached."""
        start: list[int] = self.table.start.tolist()
        parents: list[int] = self.table.parent_option.tolist()
        picks: dict[int, Pick] = {}
        children: dict[int, list[Pick]] = {}
        # Paths are known from the top, children from the bottom.
        paths: dict[int, Path] = {-1: ()}
        reached = [(number, taken) for number, taken in enumerate(choice) if taken >= 0]
        for number, taken in reached:
            path = child_path(paths[parents[number]], self.classes[number])
            paths[start[number] + taken] = path
        for number, taken in reversed(reached):
            option = int(start[number] + taken)
            opened = children.pop(option, [])
            opened.reverse()
            picks[number] = self.pick_class(
                self.classes[number], self.meaning(option), opened, paths[option]
            )
            children.setdefault(parents[number], []).append(picks[number])
        return picks[0]

    def pick_class(
        self, cls: MenuClass, meaning: Meaning, children: Sequence[Pick], path: Path
    ) -> Pick:
        """Return the decision for a class that takes the option with the given meaning.

        `children` are the decisions for the classes that this option opens.
        """
        if meaning.is_whole:
            return whole_pick(cls, self.prices, path)
        option = meaning.make_option()
        rows = np.sort(meaning.rows).tolist() if len(meaning.rows) else ()
        hint = meaning.about_rows, meaning.is_named, meaning.hint_worth
        return Pick(cls, path, option, tuple(children), rows, *hint)

    def _add_class(self, cls: MenuClass, parent: int, name_worth: float, *, may_cut: bool) -> None:
        """Add a class with its options, and then the classes below it.

        `parent` is the index of the option that opens it, -1 at the root. `name_worth` is the worth
        of its name in the hint if it is cut.
        """
        self.classes.append(cls)
        self._parent.append(parent)
        cost, option = self.prices.cheapest(cls)
        self._entries += self._parts.get(cls, ())
        if parent < 0:
            self.whole_option = len(self._entries)
        self._entries.append((Meaning(option, is_whole=True), cost, cls.worth, 0, False))
        first_opening = len(self._entries)
        opened = [
            option
            for option in cls.options
            if isinstance(option, Option)
            and option.children
            and (option.keeps_all or not _is_by_lines(cls))  # a text is cut by lines, if it is
        ]
        if self._is_binary and opened:
            opened = [min(opened, key=self.prices.own_cost)]
        for opening in opened:
            # The hint has the same number of tokens for any number in it.
            own_cost = self.prices.own_cost(opening)
            is_hinted = not opening.keeps_all
            hint_cost = self.prices[opening.hint(len(opening.children))] if is_hinted else 0
            self._entries.append((Meaning(opening), own_cost, opening.worth, hint_cost, False))
        if may_cut and not cls.is_pinned:  # a cut class owes the hint of its parent
            name_cost = self.prices[name_in_hint(cls.key)] if name_worth else 0
            if name_worth and cost >= 2 * name_cost and not self._is_binary:
                cut_but_named = Meaning(None, is_named=True, hint_worth=name_worth)
                self._entries.append((cut_but_named, name_cost, name_worth, 0, True))
            cost = self.prices[self.menu.nothing_text] if parent < 0 else 0
            self._entries.append((Meaning(None), cost, 0.0, 0, True))
        self._start.append(len(self._entries))
        for index, opening in enumerate(opened, first_opening):
            # A container without its only child would keep nothing.
            may_cut = len(opening.children) > 1 or bool(opening.worth)
            may_cut = may_cut and not opening.keeps_all
            worths = self.cuts.names.get(cls) if opening.unit == MEMBERS else None
            for child in opening.children:
                name_worth = 0.0 if worths is None else worths.get(str(child.key), 0.0)
                self._add_class(child, index, name_worth, may_cut=may_cut)

    def _frontiers(self, classes: Sequence[MenuClass]) -> dict[MenuClass, list[Entry]]:
        """Return, for each class, the frontier of options that write a part without opening it."""
        priced: list[tuple[int, Costs]] = [
            (number, option)
            for number, cls in enumerate(classes)
            for option in self._part_costs(cls)
        ]
        if not priced:
            return {}
        sizes = [len(option_costs.costs) for _, option_costs in priced]
        costs = np.concatenate([option_costs.costs for _, option_costs in priced])
        worths = np.concatenate([option_costs.worths for _, option_costs in priced])
        numbers = np.repeat([number for number, _ in priced], sizes)
        most = np.array(list(map(self.prices.whole_cost, classes)))
        places = frontier(costs, worths, numbers, most)
        calling = [getattr(option_costs, "has_calls", False) for _, option_costs in priced]
        with_calls = np.repeat(calling, sizes)
        if with_calls.any():
            # What would be left without calls stays, so that they never make a text worth less.
            others = np.flatnonzero(~with_calls)
            alone = others[frontier(costs[others], worths[others], numbers[others], most)]
            places = np.union1d(places, alone)
            places = places[np.lexsort((-worths[places], costs[places], numbers[places]))]
        starts = np.cumsum([0, *sizes])
        series = np.searchsorted(starts, places, side="right") - 1
        columns: tuple[Any, ...] = (series, places - starts[series], costs[places], worths[places])
        entries: dict[MenuClass, list[Entry]] = {}
        for number, place, cost, worth in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            owner, source = priced[int(number)]
            entries.setdefault(classes[owner], []).append(((source, place), cost, worth, 0, False))
        return entries

    def _part_costs(self, cls: MenuClass) -> Sequence[Costs]:
        """Return the costs of options that write a part of a class and do not open it.

        The binary table has only those of the cheapest block of rows, or of the lines of a text.
        """
        if not self._is_binary or isinstance(cls.plan, LinesPlan | BlockPlan):
            return self.cuts.costs[cls]
        blocks = (e for e in cls.options if isinstance(e, RowsOption) and not e.part)
        rows = [RowCosts(block, self.prices) for block in blocks]
        return [min(rows, key=lambda row_costs: row_costs.tokens)] if rows else []
