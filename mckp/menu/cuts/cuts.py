"""The step `cuts`: every way to write some of each part of a document, made once, before solving.

It is taken only if a document exceeds its budget. It depends on the document, on prices and on
settings, and on no budget.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from mckp.encoders import PROSE, marks
from mckp.frozen import frozen
from mckp.menu.classes import (
    BlockPlan,
    CutPart,
    Gap,
    LinesPlan,
    Option,
    RowsOption,
    StretchPlan,
)
from mckp.menu.costs import costs_of
from mckp.menu.cuts.some import Some
from mckp.menu.cuts.values import RowNotes, SomeOfValues
from mckp.menu.dictionary import write_in_codes
from mckp.menu.line import ValueLine
from mckp.menu.price import gather, name_in_hint
from mckp.menu.values import MEMBERS, ValuePlan
from mckp.menu.widening import Widening

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.encoders.dictionary import Dictionary
    from mckp.menu.classes import AnyOption, Menu, MenuClass, Plan
    from mckp.menu.costs import Costs
    from mckp.menu.price import Prices
    from mckp.menu.weighing import Weighed

Series: TypeAlias = Widening | ValueLine | Some
"""It represents many options; one is made when it is chosen."""


@frozen(eq=False)
class Cuts:
    """The ways to write parts of the classes of a menu, and what hints may say about cuts."""

    options: dict[MenuClass, Sequence[AnyOption | Series]] = field(default_factory=dict[Any, Any])
    """What writes a part of each class, in addition to the options of the menu."""
    names: dict[MenuClass, Mapping[str, float]] = field(default_factory=dict[Any, Any])
    """For an object whose members are classes, the worth of naming each of them if it is cut."""
    row_notes: dict[MenuClass, RowNotes] = field(default_factory=dict[Any, Any])
    """What the hint on missing rows may say about them, by the class of the rows."""
    costs: dict[MenuClass, list[Costs]] = field(default_factory=dict[Any, Any])
    """The costs and worths of the options that write a part of each class and open nothing."""

    def lines_of(self, cls: MenuClass) -> Some | None:
        """Return the ways to write some lines of a class, or None if it is not cut by lines."""
        options = self.options.get(cls, ())
        return next((option for option in options if isinstance(option, Some)), None)

    def add_costs(self, menu: Menu, prices: Prices) -> Cuts:
        """Add the costs of all options, those of the menu and those made for cuts; return self."""
        classes = list(menu.classes())
        options = (
            ((*cls.options, *self.options.get(cls, ())), self.row_notes.get(cls)) for cls in classes
        )
        self.costs.update(zip(classes, costs_of(options, prices), strict=True))
        return self


def menu_cuts(menu: Menu, prices: Prices) -> Cuts:
    """Return the ways to cut that the menu itself has, such as the levels of a catalog."""
    return Cuts().add_costs(menu, prices)


def cuts(menu: Menu, document: Weighed, prices: Prices, reads_as: Callable[[str], str]) -> Cuts:
    """Return the ways to write parts of each class of a menu, with all of their texts counted.

    `reads_as` returns the kind that a reader takes a text for.
    """
    if menu.values is not None:
        return (
            _DataCuts(menu, SomeOfValues(menu.values, prices)).cuts(prices).add_costs(menu, prices)
        )
    from mckp.menu.cuts.step import some_lines  # data have no need of it

    options: dict[MenuClass, Sequence[AnyOption | Series]] = {}
    for cls in menu.classes():
        if isinstance(cls.plan, StretchPlan):
            options[cls] = _cuts_of_stretch(cls, cls.plan, document, prices)
        elif isinstance(cls.plan, LinesPlan):
            some = some_lines(cls, document, prices, reads_as)
            options[cls] = [] if some is None else [some]
        elif isinstance(cls.plan, BlockPlan):
            options[cls] = _cuts_of_block(cls, cls.plan, prices)
    prices.add(_texts(options))
    made = Cuts(options)
    for part in menu.parts:
        assert part.values is not None, "a part is data"
        some_of_part = _DataCuts(part, SomeOfValues(part.values, prices)).cuts(prices)
        made.options.update(some_of_part.options)
        made.names.update(some_of_part.names)
        made.row_notes.update(some_of_part.row_notes)
    return made.add_costs(menu, prices)


def _cuts_of_stretch(
    cls: MenuClass, stretch: StretchPlan, document: Weighed, prices: Prices
) -> list[AnyOption | Series]:
    """Return the ways to write some lines of a stretch, and none of them."""
    from mckp.menu.cuts.step import some_of_stretch  # as above

    first, last = stretch.first + 1, stretch.first + len(stretch.weights)
    some = some_of_stretch(cls, stretch, document.request, prices)
    none = _gap_option("", first, last, stretch.total, prices.whole_cost(cls))
    return [none] if some is None else [some, none]


def _cuts_of_block(cls: MenuClass, block: BlockPlan, prices: Prices) -> list[AnyOption | Series]:
    """Return the ways to leave out the data of a part: with its title, or all of it."""
    cost = prices.whole_cost(cls)
    options: list[AnyOption | Series] = [
        _gap_option("", block.first, block.last, block.total, cost)
    ]
    if block.title:
        left = cost - prices[block.title]
        options.append(
            replace(
                _gap_option(block.title, block.first + 1, block.last, block.total, left),
                worth=cls.options[0].worth,
            )
        )
    return options


def _gap_option(above: str, first: int, last: int, total: int, cost: int) -> Option:
    """Return the option that writes a line, if any, and the mark of a gap below it."""
    part = CutPart((), gaps=(Gap(first, last, cost),), line_count=total)
    return Option(
        PROSE.name, (*filter(None, [above]), f"{marks.write_gap(first, last)}\n"), part=part
    )


class _DataCuts:
    """Makes the cuts of data; classes with the same plan share them."""

    def __init__(self, menu: Menu, some: SomeOfValues) -> None:
        self._menu, self._some = menu, some
        self._names: dict[Plan, Mapping[str, float]] = {}
        self._row_notes: dict[Plan, RowNotes] = {}

    def cuts(self, prices: Prices) -> Cuts:
        """Return the ways to write parts of each class, with all of their texts counted."""
        made = Cuts()
        for cls in self._menu.classes():
            plan = cls.plan
            if not isinstance(plan, ValuePlan):
                continue
            if plan.has_narrower:
                made.options[cls] = self._options(cls, plan)
            if any(option.unit == MEMBERS for option in cls.options):
                made.names[cls] = self._name_worths(plan)
            every_option = (*cls.options, *made.options.get(cls, ()))
            if any(isinstance(option, RowsOption) and option.has_names for option in every_option):
                made.row_notes[cls] = self._row_notes_of(plan)
        names = (name for named in made.names.values() for name in named)
        prices.add([*_texts(made.options), *map(name_in_hint, names)])
        return made

    def _options(self, cls: MenuClass, plan: ValuePlan) -> list[AnyOption | ValueLine | Widening]:
        """Return the ways to write parts of a class, in its codes and below the menu's line."""
        parts = list(self._some.parts(plan.place, plan.below))
        if cls.phrases is not None:
            parts = [_part_in_codes(part, cls.phrases) for part in parts]
        if cls is self._menu.root and (line := self._menu.line):
            parts = [_part_below_line(part, line) for part in parts]
        return parts

    def _name_worths(self, plan: ValuePlan) -> Mapping[str, float]:
        """Return the worths of names of members, made once for each plan."""
        if plan not in self._names:
            self._names[plan] = self._some.name_worths(plan.place)
        return self._names[plan]

    def _row_notes_of(self, plan: ValuePlan) -> RowNotes:
        """Return what hints may say about missing rows, made once for each plan."""
        if plan not in self._row_notes:
            self._row_notes[plan] = self._some.row_notes(plan.place)
        return self._row_notes[plan]


def _part_in_codes(
    part: AnyOption | ValueLine | Widening, phrases: Dictionary
) -> AnyOption | ValueLine | Widening:
    """Return a part with phrases written as codes."""
    if isinstance(part, ValueLine | Widening):
        return part.in_codes(phrases)
    return write_in_codes(part, phrases)


def _part_below_line(
    part: AnyOption | ValueLine | Widening, line: str
) -> AnyOption | ValueLine | Widening:
    """Return a part with a line above it."""
    if isinstance(part, ValueLine | Widening):
        return part.with_line_above(line)
    return replace(part, fragments=(line, *part.fragments))


def _texts(options: Mapping[MenuClass, Sequence[AnyOption | Series]]) -> list[str]:
    """Return all texts of parts except those of a text's lines, which are already counted."""
    texts: list[str] = []
    for option in chain.from_iterable(options.values()):
        if isinstance(option, ValueLine | Widening):
            texts += option.texts()
        elif not isinstance(option, Some):
            texts += gather([option])
    return texts
