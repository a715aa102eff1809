"""Costs and worths of options that write a part of a class: the columns of the knapsack table.

`RowsOption`, `Widening`, `ValueLine` and `Some` are *series*: each represents many options.
Their costs are sums of the tokens of rows or pieces, and only the chosen option is ever written.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from mckp.distinct import even_indexes
from mckp.menu.classes import CutPart, Option, RowsOption
from mckp.menu.cuts.step import Some
from mckp.menu.cuts.values import RowNotes
from mckp.menu.line import ValueLine
from mckp.menu.meaning import Meaning
from mckp.menu.members import MOST_IN_ONE
from mckp.menu.naming import FEW_ROWS, NAME_SHARE, RATE, REMARK_RATE, names_text, places
from mckp.menu.price import name_in_hint
from mckp.menu.thin import FINENESS, improve_worths, thinned
from mckp.menu.widening import Widening
from mckp.result import SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mckp.menu.classes import AnyOption
    from mckp.menu.line import Version
    from mckp.menu.price import Prices

    # Costs and worths of options; `meaning` says what the option of a number is.
    Plain: TypeAlias = "RowCosts | _WideningCosts | _LineCosts | OptionCosts | _SomeCosts"
    Costs: TypeAlias = "Plain | _WithNoteTexts | _WithHintText"

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Numbers = NDArray[Any]

LINE_FINENESS: Final = 0.05
"""Two options of a line differ by at least this share of their tokens, about."""

LONGEST_LINE: Final = 400
"""Most tokens of all pieces of a line."""

MOST_WIDENINGS: Final = 256
"""Most options of one widening: pairs of numbers of full and of kept rows."""

MOST_COUNTINGS: Final = 32
"""Most options of one table whose hint counts the missing rows by group."""

FEW_PLACES: Final = 5
"""Tokens within which a hint always says where rows are missing."""

PLACES_SHARE: Final = 6
"""It also does if that takes at most one in so many tokens of its table."""


class RowCosts:
    """Costs and worths of the best row, the best two rows and so on, by worth per token."""

    def __init__(self, option: RowsOption, prices: Prices) -> None:
        self.option, self.prices = option, prices
        self.note_texts = [option.part.note_texts if option.part else ()]
        row_tokens = np.array(prices.of(option.rows), dtype=np.int64)
        worth = np.array(option.worths, dtype=np.float64)
        self.order = self._order(row_tokens, worth)
        first, last = max(1, len(option.pinned)), len(option.rows)
        # If columns are missing, all rows are a part, too, and have no hint.
        is_narrow = option.part is not None
        cumulated = np.cumsum(row_tokens[self.order])
        self.tokens = int(row_tokens.sum())
        self.counts: Ints = np.arange(first, last + is_narrow)
        self.calls: dict[int, str] = {}
        self.hints = self._hint_tokens(cumulated, self.tokens)
        self.costs: Ints = prices.own_cost(option) + cumulated[self.counts - 1] + self.hints
        self.worths: Floats = option.worth + np.cumsum(worth[self.order])[self.counts - 1]
        self.said: Floats = np.zeros(len(self.counts))
        self.where: dict[int, str] = {}
        self._whole = option.worth + float(worth.sum())
        if option.has_indexes and not self.calls:
            self._say_places()

    def _say_places(self) -> None:
        """Let hints say where rows are missing, since a reader who counts rows would be misled.

        An option for whose hint no places are known is left out. A hint stays as it is if its
        places are long.
        """
        size, prices = len(self.option.rows), self.prices
        places = self.places()
        is_end = np.maximum.accumulate(self.order)[self.counts - 1] < self.counts
        stays = is_end | np.array([count in places for count in self.counts.tolist()], np.bool_)
        self.counts, self.hints, self.costs = (
            self.counts[stays],
            self.hints[stays],
            self.costs[stays],
        )
        self.worths, self.said = self.worths[stays], self.said[stays]
        hints = prices.of(
            self.option.hint(size - count, places[count]) if count in places else ""
            for count in self.counts.tolist()
        )
        worths = self.said_worths(places)
        for place, (count, hint) in enumerate(zip(self.counts.tolist(), hints, strict=True)):
            more = hint - self.hints[place]
            is_short = more <= FEW_PLACES or PLACES_SHARE * more <= self.costs[place]
            if count in places and is_short:
                self.where[count], self.said[place] = places[count], worths[count]
                self.costs[place] += more
                self.hints[place] = hint
        self.worths = self.worths + self.said

    @property
    def rate(self) -> float:
        """The average worth of a row's token, which is also what a token of a hint is worth."""
        return RATE * self._whole / max(1, self.tokens)

    def missing_worths(self) -> dict[int, float]:
        """Return the worth of the missing rows, for each number of kept rows."""
        missing = self._whole - (self.worths - self.said)
        return dict(zip(self.counts.tolist(), missing.tolist(), strict=True))

    def said_worths(self, said: Mapping[int, str], rate: float | None = None) -> dict[int, float]:
        """Return the worths of texts in hints, from their tokens and the worth of what is missing.

        `said` has the texts by number of kept rows; `rate` is the worth of a token.
        """
        missing, texts = self.missing_worths(), self.prices.of(map(name_in_hint, said.values()))
        return {
            count: float(min(missing[count] / 2, (rate or self.rate) * long) // 1)
            for count, long in zip(said, texts, strict=True)
        }

    def _order(self, row_tokens: Ints, worth: Floats) -> Ints:
        """Return the row numbers in the order of keeping: pinned rows, then by density."""
        rows = np.arange(len(row_tokens))
        if self._is_paged:
            return rows
        pinned = np.zeros(len(row_tokens), dtype=np.bool_)
        pinned[list(self.option.pinned)] = True
        return np.lexsort((rows, -worth / np.maximum(row_tokens, 1), ~pinned))

    @property
    def _is_paged(self) -> bool:
        """Whether rows are kept in document order, since a call fetches the rest from an index."""
        more = self.option.more
        return more is not None and more.pages and not self.option.pinned

    def _hint_tokens(self, kept: Ints, total: int) -> Ints:
        """Return the tokens of the hint for each number of kept rows."""
        option, prices, size = self.option, self.prices, len(self.option.rows)
        hints = _hint_costs(prices, option.hint, size - self.counts)
        if option.more is None or (option.more.pages and not self._is_paged):
            return hints
        for place, count in enumerate(self.counts.tolist()):
            if count < size:
                call = option.more.call(count, size - count)
                tokens = prices[option.hint(size - count, call)]
                if total - int(kept[count - 1]) >= NAME_SHARE * tokens:
                    self.calls[count], hints[place] = call, tokens
        return hints

    def places(self) -> dict[int, str]:
        """Return which rows are missing for each number of kept rows, unless just the last."""
        size, before = len(self.option.rows), 0
        is_kept = np.zeros(size, dtype=np.bool_)
        by_count: dict[int, str] = {}
        counts = self.counts[self.counts < size]
        if size > MOST_IN_ONE:  # each hint is a text of its own
            counts = counts[thinned(self.costs[: len(counts)], FINENESS)]
        for count in counts.tolist():
            is_kept[self.order[before:count]] = True
            before = count
            if where := places(is_kept):
                by_count[count] = where
        return by_count

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        count = int(self.counts[place])
        call, said = self.calls.get(count) or self.where.get(count), float(self.said[place])
        return Meaning(self.option, rows=self.order[:count], call=call, said=said)


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
        worths = [np.array(values)[order] for values in (wider.full.worths, wider.bare.worths)]
        self.full, self.kept = self._row_counts(*tokens, *worths)
        fixed = sum(prices.of(option.fragments)) + (prices[option.tail] if option.tail else 0)
        pairs = list(zip(self.full.tolist(), self.kept.tolist(), strict=True))
        lost = wider.hints_of(pairs)
        # A column that all records lack may be absent from the kept ones anyway.
        self.note_texts = [
            wider.note_texts if part and part[0].unit in NAMING else () for part in lost
        ]
        notes = np.array(prices.of(CutPart(part).note for part in lost), dtype=np.int64)
        hint = option.option(0, size).hint
        hints = _hint_costs(prices, hint, size - self.kept)
        self.where = self._missing_places(order)
        said = [n for n, kept in enumerate(self.kept.tolist()) if kept in self.where]
        texts = (hint(size - (kept := int(self.kept[n])), self.where[kept]) for n in said)
        hints[said] = prices.of(texts)
        self.costs = fixed + notes + hints + self._sum_rows(*tokens)
        self.worths = self._sum_rows(*worths).astype(np.float64)

    def _missing_places(self, order: Ints) -> dict[int, str]:
        """Return where rows are missing, by number of kept rows, unless only at the end."""
        if isinstance(self.option.wider.order, range) or isinstance(self.option.keys[0], str):
            return {}
        size = len(order)
        missing: dict[int, str] = {}
        for kept in set(self.kept.tolist()):
            is_kept = np.zeros(size, dtype=np.bool_)
            is_kept[order[:kept]] = True
            if where := places(is_kept):
                missing[kept] = where
        return missing

    def _sum_rows(self, full: Numbers, bare: Numbers) -> Numbers:
        """Return, for each option, the sum of the numbers of its rows, `full` or `bare`."""
        first, bare_sums = np.cumsum([0, *full]), np.cumsum([0, *bare])
        sums: Numbers = first[self.full] + bare_sums[self.kept] - bare_sums[self.full]
        return sums

    def _row_counts(
        self, full: Numbers, bare: Numbers, full_worths: Numbers, bare_worths: Numbers
    ) -> tuple[Ints, Ints]:
        """Return, for each option, the number of full rows and of kept rows.

        A step keeps one more row, or fills one more. Steps are taken by their worth per token, but
        no step ranks above one that must be taken before it.
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
        steps = steps[even_indexes(len(steps), MOST_WIDENINGS)]
        return counts[steps], kept[steps]

    def meaning(self, place: int) -> Meaning:
        """Return the meaning of the option at an index."""
        kept = int(self.kept[place])
        rows = np.sort(np.asarray(self.option.wider.order[:kept], dtype=np.int64))
        return Meaning(None, rows=rows, series=self, place=place, call=self.where.get(kept))

    def option_at(self, place: int) -> RowsOption:
        return self.option.option(int(self.full[place]), int(self.kept[place]))


def _hint_costs(prices: Prices, hint: Callable[[int], str], missing: Ints) -> Ints:
    """Return the tokens of the hint for each number of missing rows, 0 if there are none.

    Hints with numbers of equally many digits have equally many tokens.
    """
    numbers = _least_counts_by_length(int(missing.max(initial=1)))
    plain = np.array([0, *prices.of(map(hint, numbers))])
    tokens: Ints = plain[np.searchsorted(numbers, missing, side="right")]
    return tokens


def _least_counts_by_length(most: int) -> list[int]:
    """Return the least number with one digit, two digits and so on, up to `most`."""
    return [10**power for power in range(len(str(most)))]


class _LineCosts:
    """Costs and worths of a line, for choices of versions of its pieces.

    The tokens of pieces add up, each with the blank before it. Only the first and last pieces
    differ; they are counted again for the choices that are left after thinning. So a dynamic
    programme over tokens, which takes the pieces one after the other, finds the exact frontier.
    """

    def __init__(self, option: ValueLine, prices: Prices) -> None:
        self.option, self.prices = option, prices
        texts = iter(prices.of([f" {v.text}" for piece in option.pieces for v in piece]))
        tokens = [list(islice(texts, len(piece))) for piece in option.pieces]
        best = np.zeros(min(sum(map(max, tokens)), LONGEST_LINE * prices.scale) + 1)
        chosen: list[Ints] = []
        for piece, costs in zip(option.pieces, tokens, strict=True):
            taken, before = np.zeros(len(best), dtype=np.int64), best.copy()
            for number, (version, cost) in enumerate(zip(piece, costs, strict=True), 1):
                improve_worths(best, before, cost, version.worth, taken, number)
            chosen.append(taken)
        rises = (best[1:] > best[:-1]).nonzero()[0] + 1
        places = rises[thinned(rises, LINE_FINENESS)]
        candidates = self._versions(places, chosen, tokens)
        notes = list(map(option.note, candidates))
        noted = [number for number, note in enumerate(notes) if note]
        self.taken = [candidates[number] for number in noted]
        self.notes = [notes[number] for number in noted]
        self.note_texts = list(map(option.note_texts, self.taken))
        self._tokens, self.worths = places[noted], best[places[noted]]
        self._written_ends, self._counted_ends = self._line_ends()

    def _versions(
        self, tokens: Ints, chosen: list[Ints], costs: list[list[int]]
    ) -> list[list[Version]]:
        """Return the versions of pieces in the best choice within each number of tokens.

        `tokens` are the numbers of tokens. For each piece, `chosen` has the version taken within
        each number of tokens (0 for none), and `costs` the costs of its versions.
        """
        left, numbers = tokens.copy(), list[list[int]]()
        for taken, piece_costs in zip(reversed(chosen), reversed(costs), strict=True):
            version_numbers = taken[left]
            left -= np.array([0, *piece_costs], dtype=np.int64)[version_numbers]
            numbers.append(version_numbers.tolist())
        pieces = self.option.pieces
        return [
            [piece[number - 1] for piece, number in zip(pieces, choice, strict=True) if number]
            for choice in zip(*reversed(numbers), strict=True)
        ]

    def _line_ends(self) -> tuple[list[str], list[str]]:
        """Return the ends of each line with its notes, three texts each: as written, as counted."""
        option = self.option
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
        return more, less

    def texts(self) -> list[str]:
        """Return the texts whose counts `costs` needs."""
        return self._written_ends

    @cached_property
    def costs(self) -> Ints:
        """The tokens of each line: of its pieces with a blank before each, and of its ends."""
        prices = self.prices
        tokens = np.array(
            [prices.of(self._written_ends), prices.of(self._counted_ends)], dtype=np.int64
        )
        ends: Ints = (tokens[0] - tokens[1]).reshape(-1, 3).sum(axis=1)
        return self._tokens + ends

    def meaning(self, place: int) -> Meaning:
        return Meaning(None, series=self, place=place)

    def option_at(self, place: int) -> Option:
        return self.option.option(self.taken[place])


class _SomeCosts:
    """Costs and worths of the options that keep some lines of a text."""

    def __init__(self, some: Some, prices: Prices) -> None:
        self.option, self.prices, self.note_texts = some, prices, [()]
        self.costs, self.worths = some.costs, some.worths

    def meaning(self, place: int) -> Meaning:
        return Meaning(None, series=self, place=place)

    def option_at(self, place: int) -> Option:
        return self.option.option(place)


class OptionCosts:
    """Costs and worths of options that are not series."""

    def __init__(self, options: Sequence[Option], prices: Prices) -> None:
        self.options, self.prices = options, prices
        self.note_texts = [option.part.note_texts if option.part else () for option in options]
        self.costs = np.array(list(map(prices.own_cost, options)), dtype=np.int64)
        self.worths = np.array([option.worth for option in options], dtype=np.float64)

    def meaning(self, place: int) -> Meaning:
        return Meaning(self.options[place])


class _WithNoteTexts:
    """Options whose notes have one more text about what is missing, for each text that they may."""

    def __init__(self, plain: Plain) -> None:
        self._plain, note_texts = plain, plain.note_texts
        texts = list(dict.fromkeys(remark.text for remarks in note_texts for remark in remarks))
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
                remarks = note_texts[0 if is_shared else place]
                if len(remarks) > number and (worth := remarks[number].worth):
                    self._places.append(place)
                    self._numbers.append(number)
                    costs.append(plain_costs[place] + tokens[remarks[number].text])
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
    """Options of rows whose hints say where rows are missing, or how many of each group."""

    def __init__(
        self, plain: RowCosts, said: Mapping[int, str], worths: Mapping[int, float]
    ) -> None:
        """`said` has what the hint says, and `worths` the worth of that, by number of kept rows."""
        option, size = plain.option, len(plain.option.rows)
        self._plain = plain
        known = enumerate(plain.counts.tolist())
        self._places = np.array([place for place, count in known if count in said], np.int64)
        counts = plain.counts[self._places].tolist()
        self._said = [said[count] for count in counts]
        self._worths = [worths[count] for count in counts]
        hints = plain.prices.of(option.hint(size - count, said[count]) for count in counts)
        self.costs = (plain.costs - plain.hints)[self._places] + np.array(hints, dtype=np.int64)
        self.worths = (plain.worths - plain.said)[self._places] + self._worths

    def meaning(self, place: int) -> Meaning:
        plain = self._plain.meaning(int(self._places[place]))
        return plain._replace(call=self._said[place], said=self._worths[place])


def _with_row_hints(plain: RowCosts, notes: RowNotes) -> Iterator[_WithHintText]:
    """Yield the options whose hints say where rows are missing, which, or how many of each group.

    `notes` has what hints may say about missing rows.
    """
    size = len(plain.option.rows)
    where = plain.places() if plain.option.has_indexes and not plain.calls else {}
    worths = plain.said_worths(where)
    if long := {count: text for count, text in where.items() if count not in plain.where}:
        yield _WithHintText(plain, long, worths)
    if notes.names is not None and not plain.calls:
        yield from _with_row_names(plain, notes.names)
    if (groups := notes.groups) is None:
        return
    cut = plain.counts[size - plain.counts > SHOWN]  # fewer rows need no counts
    counts = cut[even_indexes(len(cut), MOST_COUNTINGS)].tolist()
    group_notes = {count: groups.count_text(plain.order[count:].tolist()) for count in counts}
    missing = plain.missing_worths()
    group_worths = {count: groups.worth(missing[count]) for count in counts}
    if alone := {count: said for count, said in group_notes.items() if count not in plain.where}:
        yield _WithHintText(plain, alone, group_worths)
    if both := {
        count: f"{where[count]} {note}" for count, note in group_notes.items() if count in where
    }:
        yield _WithHintText(
            plain, both, {count: group_worths[count] + worths[count] for count in both}
        )


def _with_row_names(plain: RowCosts, names: Sequence[str]) -> Iterator[_WithHintText]:
    """Yield the options that lack a few rows, with hints that name these."""
    size = len(plain.option.rows)
    counts = [count for count in plain.counts.tolist() if 0 < size - count <= FEW_ROWS]
    if not counts:
        return
    said = {count: names_text(names, sorted(plain.order[count:].tolist())) for count in counts}
    yield _WithHintText(plain, said, plain.said_worths(said, plain.rate * REMARK_RATE / RATE))


NAMING: Final = frozenset({"columns", "facts"})
"""Units of the notes that may name what is missing."""


def _with_note_texts(
    plain: Plain, notes: RowNotes | None
) -> Iterator[Costs | _WithNoteTexts | _WithHintText]:
    """Yield the options, and versions with more in their notes if that is worth something.

    Notes may name what is missing, or count the missing rows by group. `notes` has what hints may
    say about missing rows.
    """
    yield plain
    if isinstance(plain, RowCosts):
        known = notes if notes is not None and plain.option.has_names else RowNotes()
        yield from _with_row_hints(plain, known)
    if any(plain.note_texts):
        yield _WithNoteTexts(plain)


COSTS: Final[dict[type, Any]] = {
    RowsOption: RowCosts,
    Widening: _WideningCosts,
    ValueLine: _LineCosts,
    Some: _SomeCosts,
}
"""The class that prices each kind of block or series."""


def costs_of(
    classes: Iterable[tuple[Iterable[AnyOption | Widening | ValueLine | Some], RowNotes | None]],
    prices: Prices,
) -> Iterator[list[Costs]]:
    """Yield, for each class, the costs of options that write a part of it and do not open it.

    Each class has its options, and what hints may say about its missing rows. What all classes
    need is counted together.
    """
    several = [(list(options), notes) for options, notes in classes]
    prices.add(hint for options, _ in several for hint in _hints_of(options))
    plain = [list(_plain_costs(options, prices)) for options, _ in several]
    prices.add(
        text for class_costs in plain for costs in class_costs for text in _texts_to_count(costs)
    )
    for class_costs, (_, notes) in zip(plain, several, strict=True):
        yield [more for costs in class_costs for more in _with_note_texts(costs, notes)]


def _plain_costs(
    options: Sequence[AnyOption | Widening | ValueLine | Some], prices: Prices
) -> Iterator[Plain]:
    """Yield the costs of options whose notes have only numbers."""
    single = [
        version
        for version in options
        if isinstance(version, Option) and version.part and not version.children
    ]
    if single:
        yield OptionCosts(single, prices)
    for option in options:
        if not isinstance(option, Option):
            yield COSTS[type(option)](option, prices)


def _hints_of(options: Iterable[AnyOption | Widening | ValueLine | Some]) -> Iterator[str]:
    """Yield the hints on missing rows that `RowCosts` needs the token counts of."""
    for option in options:
        if isinstance(option, RowsOption):
            yield from map(option.hint, _least_counts_by_length(len(option.rows)))


def _texts_to_count(costs: Plain) -> Iterator[str]:
    """Yield the texts of notes that name what is missing, and the ends of lines."""
    for remarks in costs.note_texts:
        for remark in remarks:
            yield name_in_hint(remark.text)
    if isinstance(costs, _LineCosts):
        yield from costs.texts()
