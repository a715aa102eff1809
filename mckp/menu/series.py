"""Options that stand for many: what each of them costs and is worth, by numbers.

`Rows`, `Widening` and `Line` are priced by their rows or pieces, whose tokens add up. Only what is
chosen is ever written.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from mckp.menu.classes import Line, Part, Rows, Widening
from mckp.menu.naming import MOST_NAMED
from mckp.menu.price import name_in_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from mckp.menu.classes import AnyOption, Option, Version
    from mckp.menu.naming import Groups
    from mckp.menu.price import Prices

    Costs: TypeAlias = "_RowCosts | _WideningCosts | _LineCosts | OptionCosts"

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FINENESS: Final = 0.01
"""Share of the cost by which options of one frontier differ at least."""

LINE_FINENESS: Final = 0.05
"""The same of the options of a line."""

LONGEST_LINE: Final = 400
"""Tokens of the pieces of a line."""

MOST_WIDENINGS: Final = 256
"""Numbers of full and of kept rows that are options of one widening."""

MOST_COUNTINGS: Final = 32
"""Numbers of rows that are options with how many of each group are missing."""

PAYS: Final = 4
"""How many times the tokens of a call, or of a name, must be missing for it to stand in a hint."""


class Meaning(NamedTuple):
    """What an option of the table stands for."""

    option: AnyOption | None
    """The menu's option; None if the class is cut."""
    is_whole: bool = False
    """Whether everything below is written too, each class in its cheapest way."""
    rows: Ints | range = range(0)
    """The rows that are kept, if it is some of them."""
    call: str | None = None
    """What the hint says besides."""
    make: Callable[[], AnyOption] | None = None
    """Makes the option, if it is one of a series."""
    is_told: bool = False
    """Whether the hint calls the class, which is cut, by its name."""


def frontier(costs: Ints, worths: Floats, classes: Ints, most: Ints) -> Ints:
    """Return which options no other of their class dominates, thinned, the cheapest first.

    Each option has a cost, a worth and the number of its class; all classes are done at once, for
    most have few. Each class has another option besides, of the cost `most`: what costs as much is
    not returned.

    Examples
    --------
    >>> costs, worths, classes = [4, 2, 3, 9, 1], [5.0, 2.0, 1.0, 7.0, 1.0], [0, 0, 0, 0, 1]
    >>> frontier(np.array(costs), np.array(worths), np.array(classes), np.array([9, 9])).tolist()
    [1, 0, 4]
    """
    order = np.lexsort((-worths, costs, classes))
    own, found = classes[order], worths[order]
    before = np.full(len(order), -np.inf)
    starts = (np.flatnonzero(own[1:] != own[:-1]) + 1).tolist()
    for first, end in pairwise((0, *starts, len(order))):
        np.maximum.accumulate(found[first : end - 1], out=before[first + 1 : end])
    order = order[(found > before) & (costs[order] < most[own]) & (found > 0)]
    is_kept, own = thinned(costs[order], FINENESS), classes[order]
    is_kept[:-1] |= own[1:] != own[:-1]
    return order[is_kept]


def thinned(costs: Ints, share: float) -> NDArray[np.bool_]:
    """Return which of ascending costs are the last of each step of some share of them.

    Of options that no other dominates, that is worth the most.
    """
    steps = np.floor(np.log(np.maximum(costs, 1)) / np.log1p(share))
    return np.concatenate((steps[1:] > steps[:-1], np.ones(min(1, costs.size), dtype=np.bool_)))


def better(
    best: Floats, other: Floats, tokens: int, worth: float, chosen: NDArray[Any], number: int
) -> Floats:
    """Return the better of two for each number of tokens, where one takes some tokens more."""
    if tokens >= len(best):
        return best
    more = other[: len(other) - tokens] + worth
    is_more = more > best[tokens:]
    chosen[tokens:][is_more] = number
    found = best.copy()
    found[tokens:][is_more] = more[is_more]
    return found


class _RowCosts:
    """Costs and worths of the first rows of a block, in the order of worth for a token."""

    def __init__(self, option: Rows, prices: Prices) -> None:
        self.option, self.prices = option, prices
        self.told = [option.part.told if option.part else None]
        each = np.array(prices.of(option.rows), dtype=np.int64)
        worth = np.array(option.worths, dtype=np.float64)
        self.order = self._order(each, worth)
        first, last = max(1, len(option.pinned)), len(option.rows)
        # All rows are a part only where columns are missing; the hint is then not there.
        is_narrow = option.part is not None
        kept = np.cumsum(each[self.order])
        self.counts = np.arange(first, last + is_narrow)
        self.calls: dict[int, str] = {}
        self.hints = self._hints(kept, int(each.sum()))
        self.costs = prices.own(option) + kept[self.counts - 1] + self.hints
        self.worths = option.worth + np.cumsum(worth[self.order])[self.counts - 1]

    def _order(self, each: Ints, worth: Floats) -> Ints:
        rows = np.arange(len(each))
        if self._pages:
            return rows
        pinned = np.zeros(len(each), dtype=np.bool_)
        pinned[list(self.option.pinned)] = True
        return np.lexsort((rows, -worth / np.maximum(each, 1), ~pinned))

    @property
    def _pages(self) -> bool:
        """Whether rows are kept from the first on, since a call asks for the rest of them."""
        more = self.option.more
        return more is not None and more.pages and not self.option.pinned

    def _hints(self, kept: Ints, total: int) -> Ints:
        """Return what the hint takes for each number of rows that are kept."""
        option, prices, size = self.option, self.prices, len(self.option.rows)
        hints = _hint_costs(prices, option.hint, size - self.counts)
        if option.more is None or (option.more.pages and not self._pages):
            return hints
        for place, count in enumerate(self.counts.tolist()):
            if count < size:
                call = option.more.call(count, size - count)
                tokens = prices[option.hint(size - count, call)]
                if total - int(kept[count - 1]) >= PAYS * tokens:
                    self.calls[count], hints[place] = call, tokens
        return hints

    def meaning(self, place: int) -> Meaning:
        """Return what one number of rows means."""
        count = int(self.counts[place])
        return Meaning(self.option, rows=self.order[:count], call=self.calls.get(count))


class _WideningCosts:
    """Costs and worths of a block of rows, some of the first of which have more columns."""

    def __init__(self, option: Widening, prices: Prices) -> None:
        self.option, self.prices, size = option, prices, len(option.full)
        tokens = _sums(prices.of(option.full)), _sums(prices.of(option.bare))
        worths = _sums(option.full_worths), _sums(option.bare_worths)
        self.full, self.kept = self._counts(*map(np.diff, (*tokens, *worths)))
        own = sum(prices.of(option.fragments)) + (prices[option.tail] if option.tail else 0)
        pairs = zip(self.full.tolist(), self.kept.tolist(), strict=True)
        lost = [option.lost.hints(*pair) for pair in pairs]
        # What all records lack may stand in none of those that are kept.
        self.told = [option.lost.told if each else None for each in lost]
        notes = np.array(prices.of(Part(each).note for each in lost), dtype=np.int64)
        hint = option.option(0, size).hint
        hints = _hint_costs(prices, hint, size - self.kept)
        self.costs = own + notes + hints + self._summed(*tokens)
        self.worths = self._summed(*worths).astype(np.float64)

    def _summed(self, full: NDArray[Any], bare: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of all rows that are kept, from the sums of the first rows."""
        found: NDArray[Any] = full[self.full] + bare[self.kept] - bare[self.full]
        return found

    def _counts(
        self,
        full: NDArray[Any],
        bare: NDArray[Any],
        full_worths: NDArray[Any],
        bare_worths: NDArray[Any],
    ) -> tuple[Ints, Ints]:
        """Return how many rows are full, and how many are kept, by worth for a token.

        To keep one more row, and to fill one more, are steps in the order of what they are worth
        for a token, where no step is worth more than one that it needs.
        """
        keeping = bare_worths / np.maximum(bare, 1)
        keeping = np.minimum.accumulate(keeping)
        if self.option.keeps_all:
            keeping[:] = np.inf
        filling = (full_worths - bare_worths) / np.maximum(full - bare, 1)
        filling = np.minimum.accumulate(np.minimum(filling, keeping))
        size = len(keeping)
        fills = np.argsort(-np.concatenate((keeping, filling)), kind="stable") >= size
        counts = np.cumsum(fills, dtype=np.int64)
        kept = np.arange(1, 2 * size + 1) - counts
        steps = np.flatnonzero((counts > 0) & (counts < kept))
        chosen = np.linspace(0, len(steps) - 1, min(len(steps), MOST_WIDENINGS)).astype(int)
        steps = steps[np.unique(chosen)]
        return counts[steps], kept[steps]

    def meaning(self, place: int) -> Meaning:
        """Return what one number of full rows, and one of rows, mean."""
        full, kept = int(self.full[place]), int(self.kept[place])
        return Meaning(None, rows=range(kept), make=partial(self.option.option, full, kept))


def _sums(each: Sequence[float]) -> NDArray[Any]:
    """Return the sums of the first of some numbers, of none of them first."""
    numbers = np.array(each)
    return np.concatenate((numbers[:0], [0], np.cumsum(numbers)))


def _hint_costs(prices: Prices, hint: Callable[[int], str], missing: Ints) -> Ints:
    """Return the tokens of the hint for each number of rows that may be missing; 0 for none.

    Numbers of as many digits take as many tokens.
    """
    most = len(str(missing.max(initial=1)))
    plain = np.array([0, *(prices[hint(10**each)] for each in range(most))])
    found: Ints = plain[np.searchsorted(10 ** np.arange(most), missing, side="right")]
    return found


class _LineCosts:
    """Costs and worths of the choices of versions that the pieces of a line may have.

    They add up, each piece with the blank before it, but for the first piece and the last one of a
    line, which are counted for what is left after thinning. So the frontier is exact: a dynamic
    programme over the tokens takes one piece after the other.
    """

    def __init__(self, option: Line, prices: Prices) -> None:
        self.option, self.prices = option, prices
        tokens = [prices.of(f" {version.text}" for version in each) for each in option.pieces]
        best = np.zeros(min(sum(map(max, tokens)), LONGEST_LINE * prices.scale) + 1)
        chosen: list[Ints] = []
        for own, costs in zip(option.pieces, tokens, strict=True):
            taken, before = np.zeros(len(best), dtype=np.int64), best
            for number, (version, cost) in enumerate(zip(own, costs, strict=True), 1):
                best = better(best, before, cost, version.worth, taken, number)
            chosen.append(taken)
        rises = np.flatnonzero(best[1:] > best[:-1]) + 1
        places = rises[thinned(rises, LINE_FINENESS)].tolist()
        self.taken = [self._versions(place, chosen, tokens) for place in places]
        self.notes = [Part(option.hints(each)).note for each in self.taken]
        open_ = [place for place, note in enumerate(self.notes) if note]
        self.taken = [self.taken[place] for place in open_]
        self.notes = [self.notes[place] for place in open_]
        self.told = list(map(option.told, self.taken))
        self.costs = np.array([places[place] for place in open_], dtype=np.int64) + self._ends()
        self.worths = best[[places[place] for place in open_]]

    def _versions(
        self, tokens: int, chosen: Sequence[Ints], costs: Sequence[Sequence[int]]
    ) -> list[Version]:
        """Return the version of each piece that is taken for some tokens."""
        found: list[Version] = []
        for place in reversed(range(len(chosen))):
            if number := int(chosen[place][tokens]):
                found.append(self.option.pieces[place][number - 1])
                tokens -= costs[place][number - 1]
        return found[::-1]

    def _ends(self) -> Ints:
        """Return what each line takes beside its pieces, behind a blank each, and its notes."""
        option, prices = self.option, self.prices
        more: list[str] = []
        less: list[str] = []
        for taken, note in zip(self.taken, self.notes, strict=True):
            first, last = taken[0].text, taken[-1].text
            if len(taken) == 1:
                more += (f"{option.head}{first}{option.end}", note, option.tail)
                less += (f" {first}", "", "")
            else:
                more += (option.head + first, f" {last}{option.end}", note + option.tail)
                less += (f" {first}", f" {last}", "")
        tokens: Ints = np.array(prices.of(more), dtype=np.int64) - np.array(
            prices.of(less), dtype=np.int64
        )
        ends: Ints = tokens.reshape(-1, 3).sum(axis=1)
        return ends

    def meaning(self, place: int) -> Meaning:
        """Return what one choice of versions means."""
        return Meaning(None, make=partial(self.option.option, self.taken[place]))


class OptionCosts:
    """The costs and the worths of options that are just one each."""

    def __init__(self, options: Sequence[Option], prices: Prices) -> None:
        self.options, self.prices = options, prices
        self.told = [option.part.told if option.part else None for option in options]
        self.costs = np.array(list(map(prices.own, options)), dtype=np.int64)
        self.worths = np.array([option.worth for option in options], dtype=np.float64)

    def meaning(self, place: int) -> Meaning:
        """Return what one of the options means."""
        return Meaning(self.options[place])


class _Telling:
    """The options of others that leave something out with names in their notes."""

    def __init__(self, plain: Costs) -> None:
        self._plain, prices = plain, plain.prices
        texts = [list(map(name_in_hint, each.names)) if each else [] for each in plain.told]
        prices.add(chain.from_iterable(texts))
        costs = np.array([sum(prices.of(each)) for each in texts], dtype=np.int64)
        worths = np.array([each.worth if each else 0.0 for each in plain.told])
        self._places = np.flatnonzero(np.broadcast_to(worths, plain.worths.shape))
        self.costs = (plain.costs + costs)[self._places]
        self.worths = (plain.worths + worths)[self._places]

    def meaning(self, place: int) -> Meaning:
        """Return what one of the options means."""
        meaning = self._plain.meaning(int(self._places[place]))
        if (make := meaning.make) is not None:
            return meaning._replace(make=lambda: make().telling())
        assert meaning.option is not None, "something is written"
        return meaning._replace(option=meaning.option.telling())


class _Counting:
    """The options of some rows with how many rows of each group the hint says to be missing."""

    def __init__(self, plain: _RowCosts, groups: Groups) -> None:
        option, size = plain.option, len(plain.option.rows)
        cut = np.flatnonzero(size - plain.counts > MOST_NAMED)  # of fewer there is little to tell
        chosen = np.linspace(0, len(cut) - 1, min(len(cut), MOST_COUNTINGS)).astype(int)
        self._plain, self._places = plain, cut[np.unique(chosen)]
        counts = plain.counts[self._places].tolist()
        self._told = [groups.told(plain.order[count:].tolist()) for count in counts]
        pairs = zip(counts, self._told, strict=True)
        hints = plain.prices.of(option.hint(size - count, told) for count, told in pairs)
        self.costs = (plain.costs - plain.hints)[self._places] + np.array(hints, dtype=np.int64)
        worths, whole = plain.worths[self._places], option.worth + sum(option.worths)
        self.worths = worths + [groups.worth(whole - worth) for worth in worths.tolist()]

    def meaning(self, place: int) -> Meaning:
        """Return what one of the options means."""
        return self._plain.meaning(int(self._places[place]))._replace(call=self._told[place])


def with_names(plain: Costs) -> Iterator[Costs | _Telling | _Counting]:
    """Yield options, and the same with more in their notes where that is worth something.

    That is the names of what is missing, or how many rows of each group.
    """
    yield plain
    if isinstance(plain, _RowCosts) and (groups := plain.option.groups()) is not None:
        yield _Counting(plain, groups)
    if any(plain.told):
        yield _Telling(plain)


COSTS: Final[dict[type, Any]] = {Rows: _RowCosts, Widening: _WideningCosts, Line: _LineCosts}
"""What prices each kind of what stands for many options."""
