"""Which level each tool gets: all in full if that fits, else what a solver proves best.

What can be written of a catalog: each tool at each level, with tokens and worth.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mckp.jsontext import dump, is_object
from mckp.tools.levels import LEVELS, SHORT, told, written
from mckp.tools.schema import every
from mckp.tools.text.read import SHARED, Header, catalog
from mckp.tools.text.spell import SIGN, Speller
from mckp.tools.text.write import LeastWriter, Parts, Shared, Writer, normal, shared
from mckp.tools.tool import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.solvers.base import Solution
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


_TRIES: Final = 16
_ROUNDS: Final = 2
_PARTS: Final = (0, 0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that may be handed out.

    Attributes
    ----------
    levels : tuple
        The level of each tool, None for one that is left out.
    common : Shared
        What is written once.
    text : str
        The text.
    tokens : int
        Its tokens, counted whole.
    value, bound : float
        What it is worth, and what no selection is worth more than.
    optimal : bool
        Whether it is the best, and among those with the same shared lines the shortest.
    """

    levels: Levels
    common: Shared
    text: str
    tokens: int
    value: float
    bound: float
    optimal: bool


def whole(offer: Offer, levels: Levels) -> Draft:
    """Return the shortest text for levels that are fixed.

    All in full, it is never longer than compact JSON of the tools.
    """
    drafts = [_fixed(offer, levels, Shared()), _fixed(offer, levels, offer.shared(levels))]
    if not set(levels) - {"full", "json"}:
        drafts.append(_as_json(offer))
    if "json" in levels:
        drafts = drafts[-1:]
    return min(drafts, key=lambda draft: draft.tokens)


def _fixed(offer: Offer, levels: Levels, common: Shared) -> Draft:
    text = offer.text(offer.header(levels), levels, common)
    return _finished(offer, levels, common, text)


def _as_json(offer: Offer) -> Draft:
    text = dump([tool.definition() for tool in offer.given])
    return _finished(offer, ("json",) * len(offer.given), Shared(), text)


def _finished(offer: Offer, levels: Levels, common: Shared, text: str) -> Draft:
    value = offer.value(levels)
    return Draft(levels, common, text, offer.tokenizer.count(text), value, value, optimal=True)


def best_within(offer: Offer, limit: int, pinned: frozenset[str], solver: str) -> Draft | int:
    """Return the text that is worth most within a budget, or the least budget for one.

    What is shared is fixed before the levels are chosen, and then cut down to what the choice
    uses, until nothing changes. That begins with nothing, with what all tools would share, and
    with what selections would that pay nothing, or a part, of what is shared. The first of
    those bounds what any selection is worth, whatever it shares.
    """
    search = _Search(offer, limit, pinned, solver)
    for common in _starts(offer, search):
        search.follow(common)
    if search.best is None:
        return search.floor()
    search.follow(offer.shared(search.best.levels))
    return search.judged()


def _starts(offer: Offer, search: _Search) -> Iterator[Shared]:
    """Yield what could be shared to begin with."""
    yield Shared()
    for level in ("full", "described"):
        everything = offer.shared((level,) * len(offer.tools))
        yield from (everything, Shared({}, everything.texts), Shared(everything.parameters))
    yield from map(offer.shared, search.relaxed())


class _Search:
    """The rounds of one search, and the best that they have found."""

    def __init__(self, offer: Offer, limit: int, pinned: frozenset[str], solver: str) -> None:
        self.offer, self.limit, self.solver = offer, limit, solver
        everything: Levels = (*LEVELS, None)
        self.menus: list[Levels] = [
            ("full", "json") if tool.name in pinned else everything for tool in offer.tools
        ]
        self.best: Draft | None = None
        self.seen: list[Shared] = []
        self.bound: float | None = None

    def follow(self, common: Shared) -> None:
        """Settle what is shared, and begin again with what the choice itself would share."""
        for _ in range(_ROUNDS):
            found = self.settle(common)
            if found is None:
                return
            common = self.offer.shared(found.levels)

    def settle(self, common: Shared) -> Draft | None:
        """Choose levels, drop what they do not share, and so on; return the last new choice."""
        last = None
        while common not in self.seen:
            self.seen.append(common)
            draft = self.solved(common)
            if draft is None:
                break
            last = draft
            self.best = max(filter(None, [self.best, draft]), key=rank)
            common = self.offer.pruned(common, draft.levels)
        return last

    def relaxed(self) -> Iterator[Levels]:
        """Yield selections that pay no more than a part of what all tools would share."""
        costs = self._priced(self.offer.least())
        header = self.offer.overhead(Shared())
        block = self.offer.overhead(self.offer.shared(("full",) * len(self.menus))) - header
        for part in _PARTS:
            found = self._solution(costs, self.limit - header - round(part * block))
            if found is not None:
                if part == 0:
                    self.bound = found.bound
                yield self._levels(found)

    def judged(self) -> Draft:
        """Return the best that was found, with the bound for everything that may be shared."""
        assert self.best is not None, "judged after something was found"
        value = self.best.value
        bound = value if self.bound is None else max(value, self.bound)
        # Bounds of values that are not whole lie a rounding error above them.
        proved = bound - value <= 1e-9 * max(1.0, value)
        optimal = self.best.optimal and proved
        return replace(self.best, bound=value if optimal else bound, optimal=optimal)

    def solved(self, common: Shared) -> Draft | None:
        overhead = self.offer.overhead(common)
        costs = self._priced(self.offer.texts(common))
        limit = self.limit
        for _ in range(_TRIES):
            found = self._solution(costs, limit - overhead)
            if found is None:
                return None
            draft = self._draft(common, found, overhead)
            if draft.tokens <= self.limit:
                return draft
            limit -= draft.tokens - self.limit  # counts do not add up for this tokenizer
        return None

    def _priced(self, texts: list[list[str]]) -> list[list[int]]:
        counts = iter(self.offer.tokenizer.count_batch([text for row in texts for text in row]))
        priced = [dict(zip(LEVELS, counts, strict=False)) for _ in texts]
        return [
            [0 if level is None else row[level] for level in menu]
            for row, menu in zip(priced, self.menus, strict=True)
        ]

    def _solution(self, costs: list[list[int]], limit: int) -> Solution | None:
        # The solvers are imported only where something must go.
        from mckp.solvers import solve
        from mckp.table import Table

        if limit < 0:
            return None
        values = [
            [0 if level is None else row[LEVELS.index(level)] for level in menu]
            for row, menu in zip(self.offer.values, self.menus, strict=True)
        ]
        solution = solve(Table.flat(costs, values), limit, self.solver)
        return None if solution.status == "infeasible" else solution

    def _levels(self, solution: Solution) -> Levels:
        places: list[int] = solution.choice.tolist()
        return tuple(menu[place] for menu, place in zip(self.menus, places, strict=True))

    def _draft(self, common: Shared, solution: Solution, overhead: int) -> Draft:
        levels = self._levels(solution)
        text = self.offer.text(self.offer.cut_header(levels), levels, common)
        tokens = self.offer.tokenizer.count(text)
        value = self.offer.value(levels)
        optimal = (
            solution.is_optimal
            and self.offer.tokenizer.additive
            and tokens == solution.cost + overhead
        )
        bound = value if optimal else max(value, solution.bound)
        return Draft(levels, common, text, tokens, value, bound, optimal)

    def floor(self) -> int:
        """Return the tokens of the shortest text: the header and the pinned tools."""
        levels = tuple(None if None in menu else "full" for menu in self.menus)
        header = self.offer.cut_header(levels)
        texts = [
            self.offer.text(header, levels, one) for one in (Shared(), self.offer.shared(levels))
        ]
        return min(self.offer.tokenizer.count_batch(texts))


def rank(draft: Draft) -> tuple[float, int]:
    """Return what makes one text better than another: more worth, then fewer tokens."""
    return draft.value, -draft.tokens
