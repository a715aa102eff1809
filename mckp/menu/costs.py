"""Costs and worths of options that write a part of a class: the columns of the knapsack table.

`RowsOption`, `Widening`, `ValueLine` and `Some` are *series*: each represents many options.
Their costs are sums of the tokens of rows or pieces, and only the chosen option is ever written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mckp.distinct import even_indexes
from mckp.menu.classes import CutPart, Option, RowsOption
from mckp.menu.cuts.some import Some
from mckp.menu.cuts.values import RowNotes
from mckp.menu.line import ValueLine
from mckp.menu.line_costs import LineCosts
from mckp.menu.meaning import Meaning
from mckp.menu.members import MOST_IN_ONE
from mckp.menu.naming import FEW_ROWS, NAME_SHARE, RATE, REMARK_RATE, missing_ranges, names_text
from mckp.menu.price import name_in_hint
from mckp.menu.thin import FINENESS, thinned
from mckp.menu.widening import Widening
from mckp.result import SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mckp.menu.classes import AnyOption, NoteText
    from mckp.menu.price import Prices

    # Costs and worths of options; `meaning` says what the option of a number is.
    Plain: TypeAlias = "RowCosts | _WideningCosts | LineCosts | OptionCosts | _SomeCosts"
    Costs: TypeAlias = "Plain | _WithNoteTexts | _WithHintText"

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Numbers = NDArray[Any]

MOST_WIDENINGS: Final = 256
"""Most options of one widening: pairs of numbers of full and of kept rows."""

MOST_COUNTINGS: Final = 32
"""Most options of one table whose hint counts the missing rows by group."""

SHORT_RANGES: Final = 5
"""A hint always says which rows are missing if that takes at most so many tokens."""

RANGES_SHARE: Final = 6
"""It also does if that takes at most one in so many tokens of the table."""


class RowCosts:
    """Costs and worths of the best row, the best two rows and so on, by worth per token."""

    def __init__(self, option: RowsOption, prices: Prices) -> None:
        self.option, self.prices = option, prices
        self.note_texts = [option.part.note_texts if option.part else ()]
        row_tokens = np.array(prices.of(option.rows), dtype=np.int64)
        row_worths = np.array(option.worths, dtype=np.float64)
        self.order = self._order(row_tokens, row_worths)
        first, last = max(1, len(option.pinned)), len(option.rows)
        # If columns are missing, all rows are a part, too, and have no hint.
        is_narrow = option.part is not None
        cumulated = np.cumsum(row_tokens[self.order])
        self.tokens = int(row_tokens.sum())
        self.counts: Ints = np.arange(first, last + is_narrow)
        self.calls: dict[int, str] = {}
        self.hints = self._hint_tokens(cumulated, self.tokens)
        self.costs: Ints = prices.own_cost(option) + cumulated[self.counts - 1] + self.hints
        self.worths: Floats = option.worth + np.cumsum(row_worths[self.order])[self.counts - 1]
        self.hint_worths: Floats = np.zeros(len(self.counts))
        self.ranges: dict[int, str] = {}
        self._whole_worth = option.worth + float(row_worths.sum())
        #: The ranges of missing rows as text, by number of kept rows; see `_missing_by_count`.
        self.missing_by_count: dict[int, str] = {}
        #: Whether hints have calls that fetch missing rows.
        self.has_calls = bool(self.calls)
        if self.has_calls:
            self._rate_calls()
        elif option.has_indexes:
            self._add_ranges()

    def _add_ranges(self) -> None:
        """Let hints say which rows are missing, so that a reader who counts rows is not misled.

        An option that lacks rows before its last one is left out if `missing_by_count` does not
        have it. Where the ranges of missing rows would be long, the hint stays as it is.
        """
        size, prices = len(self.option.rows), self.prices
        ranges = self.missing_by_count = self._missing_by_count()
        is_end = np.maximum.accumulate(self.order)[self.counts - 1] < self.counts
        stays = is_end | np.array([count in ranges for count in self.counts.tolist()], np.bool_)
        self.counts, self.hints, self.costs = (
            self.counts[stays],
            self.hints[stays],
            self.costs[stays],
        )
        self.worths, self.hint_worths = self.worths[stays], self.hint_worths[stays]
        hints = prices.of(
            self.option.hint(size - count, ranges[count]) if count in ranges else ""
            for count in self.counts.tolist()
        )
        worths = self.text_worths(ranges)
        for place, (count, hint) in enumerate(zip(self.counts.tolist(), hints, strict=True)):
            added = hint - self.hints[place]
            is_short = added <= SHORT_RANGES or RANGES_SHARE * added <= self.costs[place]
            if count in ranges and is_short:
                self.ranges[count], self.hint_worths[place] = ranges[count], worths[count]
                self.costs[place] += added
                self.hints[place] = hint
        self.worths = self.worths + self.hint_worths

    def _rate_calls(self) -> None:
        """Add the worths of calls: what is cut at the end of the rows can be had by them."""
        worths = self.text_worths(self.calls, self.hint_rate * REMARK_RATE / RATE)
        added = [worths.get(count, 0.0) for count in self.counts.tolist()]
        self.hint_worths = np.array(added, dtype=np.float64)
        self.worths = self.worths + self.hint_worths

    @property
    def hint_rate(self) -> float:
        """The worth of a token of a hint: `RATE` times the average worth of a token of the rows."""
        return RATE * self._whole_worth / max(1, self.tokens)

    def missing_worths(self) -> dict[int, float]:
        """Return the worth of the missing rows, for each number of kept rows."""
        missing = self._whole_worth - (self.worths - self.hint_worths)
        return dict(zip(self.counts.tolist(), missing.tolist(), strict=True))

    def text_worths(self, texts: Mapping[int, str], rate: float | None = None) -> dict[int, float]:
        """Return the worth of each text in a hint, by number of kept rows, as `texts` are.

        It is `rate` (by default, `hint_rate`) for each token of the text, but at most half of the
        worth of the missing rows.
        """
        missing, tokens = self.missing_worths(), self.prices.of(map(name_in_hint, texts.values()))
        return {
            count: float(min(missing[count] / 2, (rate or self.hint_rate) * text_tokens) // 1)
            for count, text_tokens in zip(texts, tokens, strict=True)
        }

    def _order(self, row_tokens: Ints, row_worths: Floats) -> Ints:
        """Return the row numbers in the order of keeping: pinned rows, then by worth per token.

        If a call fetches the missing rows from an index on, it is the order of the document.
        """
        rows = np.arange(len(row_tokens))
        if self._is_paged:
            return rows
        pinned = np.zeros(len(row_tokens), dtype=np.bool_)
        pinned[list(self.option.pinned)] = True
        return np.lexsort((rows, -row_worths / np.maximum(row_tokens, 1), ~pinned))

    @property
    def _is_paged(self) -> bool:
        """Whether rows are kept in document order, since a call fetches the rest from an index."""
        more = self.option.more
        return more is not None and more.is_paged and not self.option.pinned

    def _hint_tokens(self, cumulated: Ints, total: int) -> Ints:
        """Return the tokens of the hint for each number of kept rows, and fill `calls`.

        `cumulated` has the tokens of the first row that is kept, of the first two and so on;
        `total` is that of all rows. A hint has a call if the missing rows have far more tokens.
        """
        option, prices, size = self.option, self.prices, len(self.option.rows)
        hints = _hint_costs(prices, option.hint, size - self.counts)
        if option.more is None or (option.more.is_paged and not self._is_paged):
            return hints
        for place, count in enumerate(self.counts.tolist()):
            if count < size:
                call = option.more.call(count, size - count)
                tokens = prices[option.hint(size - count, call)]
                if total - int(cumulated[count - 1]) >= NAME_SHARE * tokens:
                    self.calls[count], hints[place] = call, tokens
        return hints

    def _missing_by_count(self) -> dict[int, str]:
        """Return the ranges of missing rows as text, by number of kept rows.

        Numbers for which only the last rows are missing are left out. So are most numbers for a
        long table, since each hint is a text that has to be counted.
        """
        size, before = len(self.option.rows), 0
        is_kept = np.zeros(size, dtype=np.bool_)
        by_count: dict[int, str] = {}
        counts = self.counts[self.counts < size]
        if size > MOST_IN_ONE:
            counts = counts[thinned(self.costs[: len(counts)], FINENESS)]
        for count in counts.tolist():
            is_kept[self.order[before:count]] = True
            before = count
            if ranges := missing_ranges(is_kept):
                by_count[count] = ranges
        return by_count

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        count = int(self.counts[place])
        about_rows = self.calls.get(count) or self.ranges.get(count)
        worth = float(self.hint_worths[place])
        return Meaning(
            self.option, rows=self.order[:count], about_rows=about_rows, hint_worth=worth
        )


class _WideningCosts:
    """Costs and worths of a block in which some rows have more columns than the others."""

    def __init__(self, option: Widening, prices: Prices) -> None:
        self.option, self.prices, size = option, prices, len(option.keys)
        wider = option.wider
        order = np.asarray(wider.order)
        tokens = [
            np.array(prices.of(rows.held or ()) if rows.tokens is None else rows.tokens)[order]
            for rows in (option.full, option.bare)
        ]
        worths = [np.array(values)[order] for values in (wider.full_worths, wider.bare.worths)]
        self.full_counts, self.kept_counts = self._row_counts(*tokens, *worths)
        fixed = sum(prices.of(option.fragments)) + (prices[option.tail] if option.tail else 0)
        pairs = list(zip(self.full_counts.tolist(), self.kept_counts.tolist(), strict=True))
        hints_by_option = wider.hints_of(pairs)
        # A column that all records lack may be absent from the kept ones anyway.
        self.note_texts = [
            wider.note_texts if hints and hints[0].unit in NAMING else ()
            for hints in hints_by_option
        ]
        notes = prices.of(CutPart(hints).note for hints in hints_by_option)
        hint = option.hint
        row_hints = _hint_costs(prices, hint, size - self.kept_counts)
        self.ranges = self._missing_by_count(order)
        for place, kept in enumerate(self.kept_counts.tolist()):
            if kept in self.ranges:
                row_hints[place] = prices[hint(size - kept, self.ranges[kept])]
        self.costs = fixed + np.array(notes, np.int64) + row_hints + self._sum_rows(*tokens)
        self.worths = self._sum_rows(*worths).astype(np.float64)

    def _missing_by_count(self, order: Ints) -> dict[int, str]:
        """Return the ranges of missing rows as text, by number of kept rows.

        Numbers for which only the last rows are missing are left out. If rows are kept in the order
        of the document, or have names, the result is empty.
        """
        if isinstance(self.option.wider.order, range) or isinstance(self.option.keys[0], str):
            return {}
        size = len(order)
        missing: dict[int, str] = {}
        for kept in set(self.kept_counts.tolist()):
            is_kept = np.zeros(size, dtype=np.bool_)
            is_kept[order[:kept]] = True
            if ranges := missing_ranges(is_kept):
                missing[kept] = ranges
        return missing

    def _sum_rows(self, full: Numbers, bare: Numbers) -> Numbers:
        """Return, for each option, the sum over its kept rows.

        A full row adds its number in `full`, the others add theirs in `bare`.
        """
        full_sums, bare_sums = np.cumsum([0, *full]), np.cumsum([0, *bare])
        sums: Numbers = bare_sums[self.kept_counts] - bare_sums[self.full_counts]
        return full_sums[self.full_counts] + sums

    def _row_counts(
        self,
        full_tokens: Numbers,
        bare_tokens: Numbers,
        full_worths: Numbers,
        bare_worths: Numbers,
    ) -> tuple[Ints, Ints]:
        """Return, for each option, the number of full rows and the number of kept rows.

        From one option to the next, one more row is kept or becomes full. These steps are taken by
        worth per token, but none comes before a step that it needs. Options without full rows or
        without bare rows are left out, and so are some if there are many. The parameters have the
        tokens and worths of all rows: with all columns, and with those that every row has.
        """
        keeping = bare_worths / np.maximum(bare_tokens, 1)
        keeping = np.minimum.accumulate(keeping)
        if self.option.keeps_all:
            keeping[:] = np.inf
        filling = (full_worths - bare_worths) / np.maximum(full_tokens - bare_tokens, 1)
        filling = np.minimum.accumulate(np.minimum(filling, keeping))
        size = len(keeping)
        fills = np.argsort(-np.concatenate((keeping, filling)), kind="stable") >= size
        counts = np.cumsum(fills, dtype=np.int64)
        kept = np.arange(1, 2 * size + 1) - counts
        steps = np.flatnonzero((counts > 0) & (counts < kept))
        steps = steps[even_indexes(len(steps), MOST_WIDENINGS)]
        return counts[steps], kept[steps]

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        kept = int(self.kept_counts[place])
        rows = np.sort(np.asarray(self.option.wider.order[:kept], dtype=np.int64))
        return Meaning(None, rows=rows, series=self, place=place, about_rows=self.ranges.get(kept))

    def option_at(self, place: int) -> RowsOption:
        """Return the option at an index."""
        return self.option.option(int(self.full_counts[place]), int(self.kept_counts[place]))


def _hint_costs(prices: Prices, hint: Callable[[int], str], missing: Ints) -> Ints:
    """Return the tokens of the hint for each number of missing rows; 0 if no rows are missing.

    Hints with numbers of equally many digits have equally many tokens.
    """
    numbers = _least_by_length(int(missing.max(initial=1)))
    by_length = np.array([0, *prices.of(map(hint, numbers))])
    tokens: Ints = by_length[np.searchsorted(numbers, missing, side="right")]
    return tokens


def _least_by_length(most: int) -> list[int]:
    """Return the least number with one digit, with two digits and so on, up to `most`."""
    return [10**power for power in range(len(str(most)))]


class _SomeCosts:
    """Costs and worths of the options that keep some lines of a text."""

    def __init__(self, some: Some, prices: Prices) -> None:
        self.option, self.prices, self.note_texts = some, prices, [()]
        self.costs, self.worths = some.costs, some.worths

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        return Meaning(None, series=self, place=place)

    def option_at(self, place: int) -> Option:
        """Return the option at an index."""
        return self.option.option(place)


class OptionCosts:
    """Costs and worths of options that are not series."""

    def __init__(self, options: Sequence[Option], prices: Prices) -> None:
        self.options, self.prices = options, prices
        self.note_texts = [option.part.note_texts if option.part else () for option in options]
        self.costs = np.array(list(map(prices.own_cost, options)), dtype=np.int64)
        self.worths = np.array([option.worth for option in options], dtype=np.float64)

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        return Meaning(self.options[place])


class _WithNoteTexts:
    """Costs and worths of options with a text about what is missing in their notes.

    There is an option for each text that the note of a plain option may have.
    """

    def __init__(self, plain: Plain) -> None:
        self._plain, note_texts = plain, plain.note_texts
        self.has_calls = isinstance(plain, RowCosts) and plain.has_calls
        texts = _distinct_texts(note_texts)
        tokens = dict(zip(texts, plain.prices.of(map(name_in_hint, texts)), strict=True))
        #: The index of each option among the plain ones, and the number of the text in its note.
        self._places: list[int] = []
        self._numbers: list[int] = []
        costs: list[int] = []
        worths: list[float] = []
        plain_costs, plain_worths = plain.costs.tolist(), plain.worths.tolist()
        is_shared, size = len(note_texts) == 1, len(plain_costs)
        for number in range(max(map(len, note_texts), default=0)):
            for place in range(size):
                choices = note_texts[0 if is_shared else place]
                if len(choices) > number and (worth := choices[number].worth):
                    self._places.append(place)
                    self._numbers.append(number)
                    costs.append(plain_costs[place] + tokens[choices[number].text])
                    worths.append(plain_worths[place] + worth)
        self.costs: Ints = np.array(costs, dtype=np.int64)
        self.worths: Floats = np.array(worths, dtype=np.float64)

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        meaning = self._plain.meaning(self._places[place])
        if meaning.series is not None:
            return meaning._replace(series=self, place=place)
        return meaning._replace(option=self.option_at(place))

    def option_at(self, place: int) -> AnyOption:
        """Return the option at an index, with the further text in its note."""
        option = self._plain.meaning(self._places[place]).make_option()
        assert option is not None, "something is written"
        return option.with_note_text(self._numbers[place])


class _WithHintText:
    """Costs and worths of options of rows whose hints have a text about the missing rows."""

    def __init__(
        self, plain: RowCosts, texts: Mapping[int, str], worths: Mapping[int, float]
    ) -> None:
        """`texts` are what the hints say about the missing rows, and `worths` the worths of that.

        Both are by number of kept rows; options with other numbers are left out.
        """
        option, size = plain.option, len(plain.option.rows)
        self._plain = plain
        numbered = enumerate(plain.counts.tolist())
        self._places = np.array([place for place, count in numbered if count in texts], np.int64)
        counts = plain.counts[self._places].tolist()
        self._texts = [texts[count] for count in counts]
        self._hint_worths = [worths[count] for count in counts]
        hints = plain.prices.of(option.hint(size - count, texts[count]) for count in counts)
        self.costs = (plain.costs - plain.hints)[self._places] + np.array(hints, dtype=np.int64)
        self.worths = (plain.worths - plain.hint_worths)[self._places] + self._hint_worths

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        meaning = self._plain.meaning(int(self._places[place]))
        text, worth = self._texts[place], self._hint_worths[place]
        return meaning._replace(about_rows=text, hint_worth=worth)


def _with_row_hints(plain: RowCosts, notes: RowNotes) -> Iterator[_WithHintText]:
    """Yield costs of options whose hints have the ranges or names of missing rows, or group counts.

    `notes` has the names and groups of rows.
    """
    size = len(plain.option.rows)
    ranges = plain.missing_by_count
    worths = plain.text_worths(ranges)
    if long := {count: text for count, text in ranges.items() if count not in plain.ranges}:
        yield _WithHintText(plain, long, worths)
    if notes.names is not None and not plain.calls:
        yield from _with_row_names(plain, notes.names)
    if (groups := notes.groups) is None:
        return
    cut = plain.counts[size - plain.counts > SHOWN]  # fewer rows need no counts
    counts = cut[even_indexes(len(cut), MOST_COUNTINGS)].tolist()
    group_texts = groups.count_texts(plain.order.tolist(), counts)
    missing = plain.missing_worths()
    group_worths = {count: groups.count_worth(missing[count]) for count in counts}
    if alone := {count: text for count, text in group_texts.items() if count not in plain.ranges}:
        yield _WithHintText(plain, alone, group_worths)
    if both := {
        count: f"{ranges[count]} {text}" for count, text in group_texts.items() if count in ranges
    }:
        # Each alone is worth at most half of the missing rows, and so are both: else a row more
        # would be worth nothing (24 builds, budget 300: 13 rows and 37 tokens left).
        both_worths = {
            count: min(missing[count] // 2, group_worths[count] + worths[count]) for count in both
        }
        yield _WithHintText(plain, both, both_worths)


def _with_row_names(plain: RowCosts, names: Sequence[str]) -> Iterator[_WithHintText]:
    """Yield costs of the options that lack a few rows, with hints that name these rows.

    `names` has the names of all rows.
    """
    size = len(plain.option.rows)
    counts = [count for count in plain.counts.tolist() if 0 < size - count <= FEW_ROWS]
    if not counts:
        return
    texts = {count: names_text(names, sorted(plain.order[count:].tolist())) for count in counts}
    rate = plain.hint_rate * REMARK_RATE / RATE
    yield _WithHintText(plain, texts, plain.text_worths(texts, rate))


NAMING: Final = frozenset({"columns", "facts"})
"""Units of the notes that may name what is missing."""


def _with_note_texts(
    plain: Plain, notes: RowNotes | None
) -> Iterator[Costs | _WithNoteTexts | _WithHintText]:
    """Yield `plain`, and the costs of versions of its options with more in their notes.

    Notes may name what is missing, or count the missing rows by group. `notes` has the names and
    groups of rows, if there are any.
    """
    yield plain
    if isinstance(plain, RowCosts):
        has_notes = plain.option.has_names and not plain.calls
        usable = notes if notes is not None and has_notes else RowNotes()
        yield from _with_row_hints(plain, usable)
    if any(plain.note_texts):
        yield _WithNoteTexts(plain)


COSTS: Final[dict[type, Any]] = {
    RowsOption: RowCosts,
    Widening: _WideningCosts,
    ValueLine: LineCosts,
    Some: _SomeCosts,
}
"""The class that prices each kind of block or series."""


def costs_of(
    classes: Iterable[tuple[Iterable[AnyOption | Widening | ValueLine | Some], RowNotes | None]],
    prices: Prices,
) -> Iterator[list[Costs]]:
    """Yield, for each class, the costs of options that write a part of it and do not open it.

    For each class, `classes` has its options, and the names and groups of its rows, if any. The
    texts of all classes are counted in one batch.
    """
    listed = [(list(options), notes) for options, notes in classes]
    prices.add(hint for options, _ in listed for hint in _hints_of(options))
    plain = [list(_plain_costs(options, prices)) for options, _ in listed]
    prices.add(
        text for class_costs in plain for costs in class_costs for text in _texts_to_count(costs)
    )
    for class_costs, (_, notes) in zip(plain, listed, strict=True):
        yield [version for costs in class_costs for version in _with_note_texts(costs, notes)]


def _plain_costs(
    options: Sequence[AnyOption | Widening | ValueLine | Some], prices: Prices
) -> Iterator[Plain]:
    """Yield the costs of options that write a part of a class, with notes that name nothing."""
    single = [
        option
        for option in options
        if isinstance(option, Option) and option.part and not option.children
    ]
    if single:
        yield OptionCosts(single, prices)
    for option in options:
        if isinstance(option, RowsOption) and option.more is not None:
            with_calls = RowCosts(option, prices)
            if with_calls.calls:
                yield with_calls
            yield RowCosts(replace(option, more=None), prices)
        elif not isinstance(option, Option):
            yield COSTS[type(option)](option, prices)


def _hints_of(options: Iterable[AnyOption | Widening | ValueLine | Some]) -> Iterator[str]:
    """Yield the hints on missing rows whose token counts `RowCosts` needs."""
    for option in options:
        if isinstance(option, RowsOption):
            yield from map(option.hint, _least_by_length(len(option.rows)))


def _distinct_texts(note_texts: Iterable[tuple[NoteText, ...]]) -> list[str]:
    """Return the texts of notes, each once; many options share a tuple of them."""
    tuples = {id(choices): choices for choices in note_texts}.values()
    return list(dict.fromkeys([text for choices in tuples for text, _ in choices]))


def _texts_to_count(costs: Plain) -> Iterator[str]:
    """Yield the texts that notes may have about what is missing, and the ends of lines."""
    for text in _distinct_texts(costs.note_texts):
        yield name_in_hint(text)
    if isinstance(costs, LineCosts):
        yield from costs.texts()
