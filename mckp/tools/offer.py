"""What can be written of a catalog: each tool at each level, with tokens and worth."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mckp.jsontext import is_object
from mckp.tools.levels import LEVELS, SHORT, told, written
from mckp.tools.schema import every
from mckp.tools.text.catalog import SHARED, Header, catalog
from mckp.tools.text.share import LeastWriter, shared
from mckp.tools.text.spell import Speller
from mckp.tools.text.words import SIGN
from mckp.tools.text.write import Parts, Shared, Writer, normal
from mckp.tools.tool import facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.tokenizers.base import Tokenizer
    from mckp.tools.tool import Tool

Levels = tuple[str | None, ...]
"""The level of each tool, None for one that is left out."""

_CODE: Final = re.compile(rf"{SIGN}(\d+)")
_SHARING: Final = frozenset({"described", "full"})


@dataclass(frozen=True)
class Offer:
    """All that can be written of a catalog.

    Attributes
    ----------
    given : tuple of Tool
        The tools as they came.
    tokenizer : Tokenizer
        What counts.
    weights : tuple of float
        How much each tool matters.
    fidelity : mapping
        How much of each level reaches the reader, 1 where nothing is said.
    recall : str
        How to get the rest.
    """

    given: tuple[Tool, ...]
    tokenizer: Tokenizer
    weights: tuple[float, ...]
    fidelity: Mapping[str, float]
    recall: str

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in normal form."""
        return tuple(map(normal, self.given))

    @cached_property
    def rule(self) -> bool | None:
        """What most objects say of additional properties, if nothing or a boolean."""
        said: list[bool | None] = [
            one.get("additionalProperties")
            for tool in self.tools
            for one in every(tool.parameters)
            if is_object(one) and "properties" in one
        ]
        return max((None, False, True), key=lambda rule: (_times(said, rule), rule is None))

    @cached_property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """What each tool is worth at each of `LEVELS`."""
        return tuple(
            tuple(self._value(number, level) for level in LEVELS)
            for number in range(len(self.tools))
        )

    @cached_property
    def _facts(self) -> tuple[int, ...]:
        return tuple(map(facts, self.tools))

    def _value(self, number: int, level: str) -> float:
        # A level of names says that they are an object's, which the tool itself may not.
        worth = min(facts(self.told[number][level]), self._facts[number])
        return _rounded(worth * self.weights[number] * self.fidelity.get(level, 1))

    @cached_property
    def total(self) -> float:
        """What all there is to say is worth."""
        pairs = zip(self._facts, self.weights, strict=True)
        return _rounded(sum(_rounded(worth * weight) for worth, weight in pairs))

    @cached_property
    def most(self) -> float:
        """What no selection is worth more than, whatever its budget."""
        return _rounded(sum(map(max, self.values)))

    @cached_property
    def told(self) -> tuple[dict[str, Tool], ...]:
        """What each level says of each tool."""
        return tuple(
            {level: told(tool, level, self.rule) for level in LEVELS} for tool in self.tools
        )

    @cached_property
    def _parts(self) -> Parts:
        return Parts(Speller(self.rule))

    def writer(self, common: Shared) -> Writer:
        """Return what writes tools where something is shared."""
        return Writer(self.rule, common, self._parts)

    def lines(self, number: int, level: str, writer: Writer) -> str:
        """Return the lines of one tool at a level."""
        cut = self.given[number] if level == "json" else self.told[number][level]
        return written(cut, self.tools[number], level, writer)

    @cached_property
    def _short(self) -> tuple[dict[str, str], ...]:
        """The lines of levels in which nothing can be shared."""
        writer = self.writer(Shared())
        return tuple(
            {level: self.lines(number, level, writer) for level in (*SHORT, "json")}
            for number in range(len(self.tools))
        )

    def value(self, levels: Levels) -> float:
        """Return what a selection is worth."""
        worth = sum(
            self.values[number][LEVELS.index(level)]
            for number, level in enumerate(levels)
            if level is not None
        )
        return _rounded(worth)

    def texts(self, common: Shared) -> list[list[str]]:
        """Return each tool at each level, where something is shared."""
        writer = self.writer(common)
        return [
            [
                short[level] if level in short else self.lines(number, level, writer)
                for level in LEVELS
            ]
            for number, short in enumerate(self._short)
        ]

    def least(self) -> list[list[str]]:
        """Return each tool at each level as if what it could share cost nothing."""
        told = [[row[level] for level in sorted(_SHARING)] for row in self.told]
        writer = LeastWriter(told, self._parts)
        return [
            [
                short[level] if level in short else self.lines(number, level, writer)
                for level in LEVELS
            ]
            for number, short in enumerate(self._short)
        ]

    def selected(self, levels: Levels, common: Shared) -> list[str]:
        """Return the lines of each tool that is there."""
        writer = self.writer(common)
        return [
            self.lines(number, level, writer)
            for number, level in enumerate(levels)
            if level is not None
        ]

    def shared(self, levels: Levels) -> Shared:
        """Return what is worth writing once for a selection."""
        cut = [self.told[number][level] for number, level in enumerate(levels) if level in _SHARING]
        return shared(cut, self._parts, self.tokenizer.count_batch)

    def header(self, levels: Levels) -> Header:
        """Return the first line for levels that are fixed: no more than they need."""
        here = set(levels)
        cut = any(
            level is None or (level != "json" and self.told[number][level] != self.tools[number])
            for number, level in enumerate(levels)
        )
        names = bool(here & {"args", "summary"})
        return self._header(levels, names=names, cut=cut)

    def cut_header(self, levels: Levels) -> Header:
        """Return the first line where anything may be cut: the same for all levels."""
        return self._header(levels, names=True, cut=True)

    def _header(self, levels: Levels, *, names: bool, cut: bool) -> Header:
        shown = sum(1 for level in levels if level is not None)
        return Header(shown, len(levels), self.rule, names, cut, self.recall if cut else "")

    def text(self, header: Header, levels: Levels, common: Shared) -> str:
        """Return the text of a selection."""
        return catalog(header, self.writer(common).entries(), self.selected(levels, common))

    def overhead(self, common: Shared) -> int:
        """Return the tokens of header and shared lines, at most, where tools are cut."""
        total = len(self.tools)
        # A number is one token up to 999; above, headers may differ in length.
        numbers = {0, total, *(10**digits for digits in range(len(str(total))))}
        header = self.cut_header((None,) * total)
        shown = [str(replace(header, shown=number)) for number in sorted(numbers)]
        entries = self.writer(common).entries()
        lines = [SHARED, *entries] if entries else []
        return max(self.tokenizer.count_batch(shown)) + sum(self.tokenizer.count_batch(lines))

    def pruned(self, common: Shared, levels: Levels) -> Shared:
        """Return what is shared without what the selection does not use at least twice."""
        full = [self.tools[number] for number, level in enumerate(levels) if level == "full"]
        labels = self.writer(common).uses(full)
        kept = {label: one for label, one in common.parameters.items() if labels[label] > 1}
        entries = self.writer(replace(common, parameters=kept)).entries()
        lines = "".join([*entries, *self.selected(levels, common)])
        codes = Counter(int(code) for code in _CODE.findall(lines))
        # Each text stands in its own entry, too.
        texts = [text for n, text in enumerate(common.texts, start=1) if codes[n] > 2]
        return Shared(kept, tuple(texts))


def _rounded(worth: float) -> float:
    return int(worth) if worth == int(worth) else round(worth, 3)


def _times(said: Sequence[bool | None], rule: bool | None) -> int:
    return sum(1 for one in said if one is rule)
