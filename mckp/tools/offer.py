"""A catalog as a menu: a class for each tool, an option for each of its levels of detail.

The catalog itself is a class whose options differ in what is written once, above the tools:
nothing, or what stands there at least so many times. That depends on the tools, not on a budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final

from mckp.encoders.hints import Overflow
from mckp.jsontext import dump
from mckp.menu.classes import AnyOption, Menu, MenuClass, Option, Part
from mckp.tools.levels import LEVELS, told, written
from mckp.tools.text.read import SHARED, UNIT, Header
from mckp.tools.text.write import Parts, Shared, Writer, normal, shared
from mckp.tools.tool import facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mckp.menu.price import Prices
    from mckp.tools.tool import Tool

FINENESS: Final = 1000
"""Units of worth in a fact. Worths are whole numbers of them, so that their sums are exact."""

LEAST: Final = (2, 3, 9, 27, 81)
"""Uses from which on something may be written once; ``benches/tools.py`` tells what is kept."""

_SHARING: Final = ("full", "described")
_ALL: Final = ("full", "json")
_EVERYTHING: Final = ("full", *(level for level in LEVELS if level != "full"))


@dataclass(frozen=True)
class Offer:
    """All that can be written of a catalog."""

    given: tuple[Tool, ...]
    prices: Prices
    weights: tuple[float, ...]
    recall: str = ""
    pinned: frozenset[str] = frozenset()

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in normal form."""
        return tuple(map(normal, self.given))

    @cached_property
    def told(self) -> tuple[dict[str, Tool], ...]:
        """What each level says of each tool."""
        return tuple(
            {level: told(tool, level) for level in LEVELS} | {"json": given}
            for tool, given in zip(self.tools, self.given, strict=True)
        )

    @cached_property
    def worths(self) -> tuple[dict[str, int], ...]:
        """What each tool is worth at each level."""
        return tuple(map(self._worths, self.told, map(facts, self.tools), self.weights))

    def _worths(self, row: Mapping[str, Tool], most: int, weight: float) -> dict[str, int]:
        # A level of names says that they are an object's, which the tool itself may not.
        said = {level: min(facts(row[level]), most) for level in LEVELS if level not in _ALL}
        said |= dict.fromkeys(_ALL, most)
        return {level: round(FINENESS * number * weight) for level, number in said.items()}

    @cached_property
    def total(self) -> int:
        """What all there is to say is worth."""
        return sum(row["full"] for row in self.worths)

    def at_level(self, level: str) -> Menu:
        """Return the menu of all tools at one level, but for what is pinned."""
        levels = ["full" if tool.name in self.pinned else level for tool in self.tools]
        options: list[Option] = []
        if level != "json":
            said = [row[one] for row, one in zip(self.told, levels, strict=True)]
            names, cut = not {"args", "summary"}.isdisjoint(levels), tuple(said) != self.tools
            commons = _distinct([Shared(), self.shared(levels)])
            ladders = [(one,) for one in levels]
            options += (self._opened(each, ladders, names=names, cut=cut) for each in commons)
        if set(levels).issubset(_ALL):
            text = dump([tool.definition() for tool in self.given])
            options.append(Option("json", (text,)))
        worths = (row[one] for row, one in zip(self.worths, levels, strict=True))
        return self._menu(options, sum(worths))

    def within(self) -> Menu:
        """Return the menu of each tool at any level, and of all in full."""
        whole = self.at_level("full").root
        ladders = [_ALL if tool.name in self.pinned else _EVERYTHING for tool in self.tools]
        options = (self._opened(each, ladders, names=True, cut=True) for each in self._commons())
        return self._menu([*whole.options, *options], whole.worth)

    def _menu(self, options: Iterable[AnyOption], worth: float) -> Menu:
        root = MenuClass(None, list(self.tools), worth, tuple(options), bool(self.pinned))
        return Menu(root, Overflow(len(self.tools), None, UNIT, self.recall or None))

    def shared(self, levels: Sequence[str], least: int = 2) -> Shared:
        """Return what is worth writing once where tools are at some levels.

        `least` is how many times it must be there.
        """
        cut = [row[one] for row, one in zip(self.told, levels, strict=True) if one in _SHARING]
        return shared(cut, self._parts, self.prices.of, least)

    def _commons(self) -> list[Shared]:
        """Return what may be written once: what is used most pays off even if tools are cut."""
        found = [Shared()]
        for level, least in product(_SHARING, LEAST):
            common = self.shared((level,) * len(self.tools), least)
            found += (common, Shared(common.parameters))
        return _distinct(found)

    @cached_property
    def _parts(self) -> Parts:
        return Parts()

    def _opened(
        self, common: Shared, ladders: Sequence[Sequence[str]], *, names: bool, cut: bool
    ) -> Option:
        """Return the option in which something is written once; a ladder is a tool's levels."""
        writer = Writer(common, self._parts)
        entries = writer.entries()
        total, recall = len(ladders), self.recall if cut else ""
        return Option(
            "catalog",
            (SHARED, *entries) if entries else (),
            children=tuple(self._class(n, each, writer) for n, each in enumerate(ladders)),
            unit=UNIT,
            head=lambda shown: str(Header(shown, total, names, cut, recall)),
        )

    def classes(self, level: str) -> list[MenuClass]:
        """Return the class of each tool at one level, where nothing is written once."""
        writer = Writer(parts=self._parts)
        return [self._class(number, (level,), writer) for number in range(len(self.tools))]

    def _class(self, number: int, ladder: Sequence[str], writer: Writer) -> MenuClass:
        """Return a tool's class; the first of its levels says all, and a single one must stay."""
        top, tool = ladder[0], self.tools[number]
        options = [self._at(number, top, writer)]
        options += (self._at(number, level, writer, is_part=True) for level in ladder[1:])
        said, worth = self.told[number][top], self.worths[number][top]
        pinned = len(ladder) == 1 or tool.name in self.pinned
        return MenuClass(tool.name, said, worth, tuple(options), pinned)

    def _at(self, number: int, level: str, writer: Writer, *, is_part: bool = False) -> Option:
        said = self.told[number][level]
        return Option(
            level,
            (written(said, self.tools[number], level, writer),),
            self.worths[number][level],
            below=True,
            part=Part(()) if is_part else None,
            kept=(lambda: said) if is_part else None,
        )


def _distinct(found: Iterable[Shared]) -> list[Shared]:
    kept: list[Shared] = []
    for each in found:
        if each not in kept:
            kept.append(each)
    return kept
