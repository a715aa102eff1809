"""Which level each tool gets: all in full if that fits, else what a solver proves best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mckp.jsontext import dump
from mckp.tools.levels import LEVELS
from mckp.tools.text.write import Shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.solvers.base import Solution
    from mckp.tools.offer import Levels, Offer

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
