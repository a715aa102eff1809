"""The options of a class: the sets of parts that are worth most for their cost.

`option_frontier` returns them, and knows no budget: they depend on the parts alone.

- *Small classes.* `exact_frontier` finds the best set for each number of tokens, by a dynamic
  program over parts and tokens in preorder (the tree knapsack: a part that is left out is
  skipped with all that hangs on it; Johnson and Niemi 1983). It counts the marks of gaps.
- *Large classes.* `sweep` finds, for many prices of a token at once, the set that is worth most net
  of its price. For one price this is a minimum cut, whose capacities grow with the price, so the
  sets of falling prices are nested (parametric maximum flow: Gallo, Grigoriadis and Tarjan 1989);
  without heads it is the fused lasso in one dimension. Nested sets are one rank for each part. They
  are the vertices of the frontier's convex hull. Between two vertices, parts are added in document
  order: these sets are not proven to be best, and none is worth more than the chord.

Options are thinned by their share of cost: neighbours differ by 1 %.

Prices are whole multiples of a power of two that is chosen so that all sums are exact. So ties are
ties on each machine, and sets of falling prices are nested to the letter.
"""

from __future__ import annotations

from math import frexp
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from mckp.distinct import distinct
from mckp.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.cuts.parts import Flags, Floats, Ints, Parts

    Rows: TypeAlias = list[Floats]

CELLS: Final = 500_000
"""Parts times tokens up to which the whole frontier is found; above it the hull is as dense."""

FINENESS: Final = 0.01
"""Options differ in cost by at least this share."""

ROUGH: Final = 2
"""If there are many classes, the options of each are so many times as far apart."""

ROUGH_CELLS: Final = 100_000
"""The same as `CELLS` then."""

LARGE: Final = 3000
"""Of more parts, fewer prices are tried, since the sets between vertices are close anyway."""

_BITS: Final = 51
"""Bits of a sum that is exact in a float."""

_NONE: Final = -np.inf
_CHUNK: Final = 1000


@frozen(eq=False)
class OptionFrontier:
    """Options of a class, by rising cost and worth."""

    cost: Ints
    worth: Floats
    sets: Flags | None
    """A row for each option: which parts it keeps. None if options are nested."""
    rank: Ints
    """Of nested options, the number of the first option that has the part."""

    def of(self, options: Ints) -> OptionFrontier:
        """Return only the options with the given ascending numbers."""
        sets = None if self.sets is None else self.sets[options]
        rank = np.searchsorted(options, self.rank)
        return OptionFrontier(self.cost[options], self.worth[options], sets, rank)

    def kept(self, option: int) -> Flags:
        """Flag the parts that one option keeps."""
        if self.sets is None:
            kept: Flags = self.rank <= option
            return kept
        flags: Flags = self.sets[option]
        return flags

    def kept_by_portions(self, cells: int = 500_000) -> Iterator[tuple[slice, Flags]]:
        """Yield the options in portions: a slice of their numbers, and a row of flags for each.

        The flags say which parts an option keeps. A portion has about `cells` flags.
        """
        step = 1 + cells // max(1, len(self.rank) if self.sets is None else self.sets.shape[1])
        for first in range(0, len(self.cost), step):
            some = slice(first, min(first + step, len(self.cost)))
            if self.sets is None:
                yield some, self.rank <= np.arange(some.start, some.stop)[:, None]
            else:
                yield some, self.sets[some]

    def all_kept(self) -> Flags:
        """Flag the parts that each option keeps, with one row per option."""
        if self.sets is not None:
            return self.sets
        kept: Flags = self.rank <= np.arange(len(self.cost))[:, None]
        return kept


def option_frontier(parts: Parts, *, is_rough: bool = False) -> OptionFrontier:
    """Return the options of a class: the whole frontier of a small one, the hull of a large one.

    If `is_rough`, options are twice as far apart, which suits a class that is one of many.

    Examples
    --------
    >>> from mckp.menu.cuts.parts import Parts
    >>> parts = Parts.of([5, 9, 7, 8], [1, 6, 1, 5], [-1, 0, 0, -1], opens=3, closes=2)
    >>> options = option_frontier(parts)
    >>> options.cost.tolist(), options.worth.tolist()
    ([3, 8, 13, 17, 24, 27, 29], [0.0, 1.0, 5.0, 7.0, 8.0, 12.0, 13.0])
    >>> options.kept(3).tolist()
    [True, True, False, False]
    """
    fineness = ROUGH * FINENESS if is_rough else FINENESS
    cells = parts.size * int(parts.cost.sum())
    if cells <= (ROUGH_CELLS if is_rough else CELLS):
        return exact_frontier(parts, fineness)
    return hull(parts, fineness, is_large=is_rough or parts.size > LARGE)


def exact_frontier(
    parts: Parts, fineness: float = FINENESS, most: int | None = None
) -> OptionFrontier:
    """Return the best set for each number of tokens, thinned. O(parts x tokens) time and space.

    `most` is the largest number of tokens, by default that of all parts. For each part and each
    state there is a row: the greatest worth of the parts from there on within each number of
    tokens. The part in front of it is kept, or is in a gap of one unit, or in another gap.
    """
    most = int(parts.cost.sum()) if most is None else most
    program = _Program(parts, most + 1)
    best = program.kept[0]
    rises = np.flatnonzero(best > np.concatenate(([_NONE], best[:-1])))
    rises = rises[thin(rises, fineness)]
    none = np.zeros((1, parts.size), dtype=np.bool_)
    sets = np.concatenate((none, program.decode_sets(rises)))
    # The best set for the tokens at which the best rises takes all of them.
    cost = np.concatenate(([parts.empty_cost], rises))
    worth = np.concatenate(([0.0], best[rises]))
    stays = undominated_indexes(cost, worth)
    return OptionFrontier(cost[stays], worth[stays], sets[stays], np.zeros(0, dtype=np.int64))


_KEPT, _ONE, _GAP = range(3)
"""The states of the program: the part in front is kept, in a gap of one unit, or in another."""
_SKIPPED: Final = 6


class _Program:
    """The dynamic program of `exact_frontier`, from the last part back, and its decisions."""

    def __init__(self, parts: Parts, width: int) -> None:
        self.parts, size = parts, parts.size
        self._width = width
        shape = (size + 1, width)
        # Where marks of gaps of one unit are not shorter, these are gaps like others.
        self._are_short = bool(parts.less.any()) or parts.tail_less != 0
        self.kept, self._gap = np.empty(shape), np.empty(shape)
        self._one = np.empty(shape) if self._are_short else self._gap
        self.kept[size] = self._gap[size] = self._one[size] = 0.0
        self._gap[size, : parts.tail] = _NONE
        self._one[size, : parts.tail - parts.tail_less] = _NONE
        self._takes = np.zeros((3, size, width), dtype=np.bool_)
        unit, end = parts.unit.tolist(), parts.end.tolist()
        # Whether a part, with all that hangs on it, is of one unit; whether of that in front of it.
        self._is_one = [
            self._are_short and unit[part] >= 0 and unit[part] == unit[behind - 1]
            for part, behind in enumerate(end)
        ]
        self._goes_on = [p > 0 and u >= 0 and u == unit[p - 1] for p, u in enumerate(unit)]
        self._fill_rows()

    def _fill_rows(self) -> None:
        """Fill the rows of all parts, from the last part to the first."""
        parts, width = self.parts, self._width
        single, gap, by_part = self._one, self._gap, self.kept
        columns = (parts.end, parts.cost, parts.worth, parts.opens, parts.closes, parts.less)
        rows = list(enumerate(zip(*(column.tolist() for column in columns), strict=True)))
        units = parts.unit.tolist()
        for part, (end, cost, worth, opens, closes, less) in reversed(rows):
            row = by_part[part]
            row[:opens] = _NONE
            rest = (single if self._is_one[part] else gap)[end]
            row[opens:] = rest[: max(0, width - opens)]
            gap[part] = gap[end]
            taken = by_part[part + 1] + worth
            self._take(_KEPT, part, row, taken, cost)
            self._take(_GAP, part, gap[part], taken, cost + closes)
            if self._are_short and part and units[part - 1] >= 0:
                single[part] = (single if self._goes_on[part] and self._is_one[part] else gap)[end]
                self._take(_ONE, part, single[part], taken, cost + closes - less)

    def _take(self, state: int, part: int, row: Floats, taken: Floats, cost: int) -> None:
        """Keep the part for each number of tokens for which that is worth no less than cutting it.

        `row` has the best worths without the part, by number of tokens; it becomes the best ones.
        `taken` has those with the part, by number of tokens besides its `cost`.
        """
        assert cost >= 0, "a part costs more than it pays back of a mark"
        if cost < self._width:
            with_part, best = taken[: self._width - cost], row[cost:]
            np.greater_equal(with_part, best, out=self._takes[state, part, cost:])
            np.maximum(with_part, best, out=best)

    def decode_sets(self, tokens: Ints) -> Flags:
        """Return the best set for each of the given numbers of tokens."""
        parts, tokens_left = self.parts, tokens.copy()
        chosen = np.zeros((parts.size, len(tokens_left)), dtype=np.bool_)
        state = np.zeros(len(tokens_left), dtype=np.int64)
        step_costs, next_states = self._step_tables()
        decisions, of_state = self._takes.reshape(-1), parts.size * self._width
        for part, head in enumerate(parts.head.tolist()):
            takes = decisions.take(state * of_state + (tokens_left + part * self._width))
            step = state + 3 * takes
            if head >= 0:  # what hangs on a part that was left out has been skipped with it
                takes &= chosen[head]
                step = np.where(chosen[head], step, state + _SKIPPED)
            tokens_left -= step_costs[part].take(step)
            state = next_states[part].take(step)
            chosen[part] = takes
        return chosen.T

    def _step_tables(self) -> tuple[Ints, Ints]:
        """Return the cost of each step at each part, and the state after it, as two tables.

        In a state a part is cut (0 to 2), kept (3 to 5), or was skipped with its head (6 to 8).
        """
        parts = self.parts
        is_one, next_part = np.array(self._is_one, np.bool_), np.array(self._goes_on, np.bool_)
        step_costs = np.zeros((parts.size, 9), dtype=np.int64)
        next_states = np.zeros((parts.size, 9), dtype=np.int64)
        step_costs[:, _KEPT] = parts.opens
        step_costs[:, 3 + _KEPT] = parts.cost
        step_costs[:, 3 + _GAP] = parts.cost + parts.closes
        step_costs[:, 3 + _ONE] = parts.cost + parts.closes - parts.less
        next_states[:, _KEPT] = np.where(is_one, _ONE, _GAP)
        next_states[:, _ONE] = np.where(is_one & next_part, _ONE, _GAP)
        next_states[:, _GAP] = _GAP
        next_states[:, _SKIPPED:] = (_KEPT, _ONE, _GAP)
        return step_costs, next_states


def sweep(parts: Parts, prices: Floats, scale: float = 1.0) -> Flags:
    """Return, for each of the falling token prices, the set worth most net of its price.

    See `sweep_counts`, which says the same as a number for each part, since the sets are nested.
    """
    counts = sweep_counts(parts, prices, scale)
    chosen: Flags = counts >= len(prices) - np.arange(len(prices))[:, None]
    return chosen


def sweep_counts(parts: Parts, prices: Floats, scale: float = 1.0) -> Ints:
    """Return, for each part, at how many of the falling token prices the best set has it.

    The best set is the one worth most net of its price. Worths are multiplied by `scale`; all
    numbers are whole. Of equally good sets, the largest one is the best. From the last part to the
    first, ``net[part]`` is the gain of keeping the part instead of cutting it, with the best choice
    of all that follows, if the mark of the gap that it ends or begins were free. ``ahead`` is the
    same for the next part, less the mark. What of a part's net worth does not depend on marks is
    added to that of its head. The shorter marks of gaps of one unit are left to
    `Parts.price_nested`. O(parts x prices), with a few calls of NumPy for each part.

    A part that is worth keeping at one price is worth keeping at all lower ones, behind a kept part
    as well as behind a gap. So the number of such prices decides, from the first part to the last.
    """
    size, price_count = parts.size, len(prices)
    net = parts.worth[:, None] * scale - parts.cost[:, None] * prices
    heads: list[int] = parts.head.tolist()
    opens: list[int] = parts.opens.tolist()
    closes: list[int] = parts.closes.tolist()
    marks = {cost: cost * prices for cost in {*closes, *(-cost for cost in opens)}}
    rows, ahead, over = list(net), parts.tail * prices, np.empty(price_count)
    for part in range(size - 1, -1, -1):
        row = rows[part]
        row += ahead
        np.minimum(row, marks[closes[part]], out=ahead)
        if heads[part] >= 0:
            np.subtract(row, ahead, out=over)
            rows[heads[part]] += over
        np.maximum(ahead, marks[-opens[part]], out=ahead)
    behind_kept, behind_gap = (np.empty(size, dtype=np.int64) for _ in range(2))
    for first in range(0, size, _CHUNK):
        some = slice(first, first + _CHUNK)
        behind_kept[some] = (net[some] >= -parts.opens[some, None] * prices).sum(axis=1)
        behind_gap[some] = (net[some] >= parts.closes[some, None] * prices).sum(axis=1)
    counts: list[int] = []
    before = price_count
    most: list[int] = behind_kept.tolist()
    least: list[int] = behind_gap.tolist()
    for head, after_kept, after_gap in zip(heads, most, least, strict=True):
        before = max(min(before, after_kept), after_gap)
        if head >= 0:
            before = min(before, counts[head])
        counts.append(before)
    return np.array(counts, dtype=np.int64)


def hull(
    parts: Parts,
    fineness: float = FINENESS,
    *,
    price_count: int | None = None,
    rounds: int | None = None,
    fills: bool = True,
    is_large: bool | None = None,
) -> OptionFrontier:
    """Return the vertices of the frontier's convex hull, and sets between them, thinned.

    At first, `price_count` prices are tried, spread over the parts' own worths per token. Then, in
    some `rounds`, the slopes between neighbours that are far apart are tried as prices: each finds
    the vertex between them or proves that there is none. If it `fills`, what a vertex has more than
    the one before it is also added part by part. Options differ in cost by the share `fineness`. If
    the class `is_large`, as one of more than `LARGE` parts is by default, fewer prices are tried.
    """
    if not parts.size:
        return exact_frontier(parts)
    large = parts.size > LARGE if is_large is None else is_large
    rounds = rounds or (1 if large else 2)
    scale = _price_scale(parts)
    tried = _spread_prices(parts, price_count or (24 if large else 48)) * scale
    tried = distinct(np.floor(tried))[::-1]
    kept = sweep_counts(parts, tried, scale)
    for _ in range(rounds):
        cost, worth = parts.price_nested(len(tried) - kept + 1, len(tried) + 1)
        stays = undominated_indexes(cost, worth)
        cost, worth = cost[stays], worth[stays]
        wide = np.flatnonzero(cost[1:] > np.maximum(cost[:-1], 1) * (1 + fineness) + 1)
        ratio = cost[wide + 1] / np.maximum(cost[wide], 1)
        wide = wide[np.argsort(-ratio, kind="stable")[: 32 if large else 64]]
        slopes = np.floor((worth[wide + 1] - worth[wide]) * scale / (cost[wide + 1] - cost[wide]))
        slopes = distinct(slopes[~np.isin(slopes, tried)])[::-1]
        if not len(slopes):
            break
        tried = np.concatenate((tried, slopes))
        kept += sweep_counts(parts, slopes, scale)  # sets are nested, so ranks add up
    rank = len(tried) - kept + 1  # set 0 has no part
    size = len(tried) + 1
    if fills:
        order = np.argsort(rank, kind="stable")
        stays_in = int((rank < size).sum())
        rank = np.full(parts.size, stays_in + 1)
        rank[order[:stays_in]] = np.arange(1, stays_in + 1)
        size = stays_in + 1
    cost, worth = parts.price_nested(rank, size)
    places = undominated_indexes(cost, worth)
    places = places[thin(cost[places], fineness)]
    return OptionFrontier(cost[places], worth[places], None, np.searchsorted(places, rank))


def _price_scale(parts: Parts) -> float:
    """Return the power of two by which prices are scaled to integers, so sums are exact."""
    marks = np.abs(parts.opens) + np.abs(parts.closes)
    tokens = float(parts.cost.sum() + marks.sum() + parts.tail) + 1
    dearest = float((parts.worth / np.maximum(parts.cost, 1)).max()) + 1
    most = max(float(parts.worth.sum()), dearest * tokens) + tokens
    return 2.0 ** (_BITS - frexp(most)[1])


def _spread_prices(parts: Parts, count: int) -> Floats:
    """Return prices of a token: quantiles of the parts' own worths per token.

    Half of them are closer together the more a part is worth, since the few parts worth most decide
    which sets are first. Each also occurs lower, as if the part needed a mark, and 0 comes last.
    There are at most twice `count` and one. Parts worth nothing are ignored.
    """
    is_worth = parts.worth > 0
    if not is_worth.any():
        return np.zeros(1)
    density = np.sort(parts.worth[is_worth] / np.maximum(parts.cost[is_worth], 1))[::-1]
    marks = int((parts.opens + parts.closes).max(initial=0))
    most = min(count, len(density))
    even = np.linspace(0, len(density) - 1, most - most // 2)
    places = np.sort(np.append(even, np.geomspace(1, len(density), most // 2) - 1))
    prices = np.interp(places, np.arange(len(density)), density)
    return np.concatenate((prices, prices / (1 + marks / 8), [0.0]))


def undominated_indexes(cost: Ints, worth: Floats) -> Ints:
    """Return the indexes of the sets that no other one dominates, by rising cost.

    Of sets with equal cost and worth, the first is returned.
    """
    order = np.lexsort((-worth, cost))
    best = np.maximum.accumulate(worth[order])
    good = np.concatenate(([True], worth[order][1:] > best[:-1]))
    return order[good]


def thin(cost: Ints, fineness: float) -> Flags:
    """Flag which of the rising costs are kept: the first one, and the last in each step.

    A step is the share `fineness` of the cost.
    """
    steps = np.floor(np.log(np.maximum(cost, 1)) / np.log1p(fineness))
    stays = np.concatenate((steps[1:] > steps[:-1], np.ones(min(1, len(cost)), dtype=np.bool_)))
    stays[:1] = True
    return stays
