"""Tables of which some rows have more columns than the others."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.encoders import ROWS
from mckp.encoders.hints import Overflow
from mckp.encoders.infer import record_shape
from mckp.encoders.native import write_table
from mckp.encoders.records import Column
from mckp.encoders.scalars import ABSENT, CUT
from mckp.encoders.shapes import Group
from mckp.frozen import frozen
from mckp.jsontext import CutObject, is_array, is_object, left_of
from mckp.menu.classes import CutPart, RowsOption
from mckp.menu.cuts.names import cut_names, runs
from mckp.menu.members import name_of
from mckp.menu.projection import left_column
from mckp.menu.shorten import notes
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.encoders.dictionary import Dictionary
    from mckp.encoders.native import TableText
    from mckp.encoders.records import Records
    from mckp.menu.chain import Count, MemberLevel
    from mckp.menu.classes import NoteText
    from mckp.menu.members import Member
    from mckp.menu.projection import Narrow
    from mckp.menu.shorten import Shortened
    from mckp.menu.telling import WithTelling

MOST_ROWS: Final = "in most rows"
"""Begins what a note says of a table in which telling rows have what the others lack."""

_COUNTED: Final = regex(r"\[[0-9]+\]")


class SortedLeaves(NamedTuple):
    """The leaves of a member, sorted by the places that their records have in some order."""

    rows: Sequence[int]
    """The place of each leaf's record, ascending."""
    leaves: Sequence[int]
    """The number of each leaf."""


def sorted_leaves(rows: Sequence[int], places: Sequence[int], order: Sequence[int]) -> SortedLeaves:
    """Return the leaves of a member by the places of their records in an order.

    `rows` has the record of each leaf, and `order` the records by place. `places` has the place of
    each record; it is empty if the records keep the order of the document.
    """
    if not places:
        return SortedLeaves(rows, range(len(rows)))
    if len(rows) == len(order) and all(map(eq, rows, range(len(order)))):
        return SortedLeaves(range(len(order)), order)  # a leaf in each record
    leaf_places = [places[row] for row in rows]
    leaves = sorted(range(len(leaf_places)), key=leaf_places.__getitem__)
    return SortedLeaves([leaf_places[leaf] for leaf in leaves], leaves)


@frozen(eq=False)
class Wider:
    """Two versions of an array to mix: some records in one version, the rest in the other."""

    bare: Narrow
    full: Narrow
    """The first records of the order are written as in `full`, the others as in `bare`."""
    value: Any
    """The array, or an object of named records."""
    order: range | tuple[int, ...]
    """All records, in the order in which they become full, and in which they are kept."""
    widened: Mapping[Member, MemberLevel]
    """The members of which `full` has more than `bare`, with their forms in `full`."""
    members: Mapping[Member, str]
    """All members with their names."""
    places: Mapping[Member, SortedLeaves]
    """The leaves of each member by the places of their records in `order`."""
    note_texts: tuple[NoteText, ...]
    """What the first note may say beside the number: one of these."""
    facts: int
    """The leaves of the value."""
    is_ambiguous: bool
    """Whether the name of a cut member may also name something that is kept."""
    top: WithTelling | None = None
    """The full version with more members in the telling records, which become full first."""
    added: frozenset[Member] = frozenset()
    """The members that only these have, or have whole."""

    @property
    def full_worths(self) -> list[float]:
        """The worth of each record when it is full."""
        return self.full.worths if self.top is None else self.top.worths

    def full_records(self) -> Records:
        """Return the records, all of them full."""
        return self.full.records() if self.top is None else self.top.records()

    def part(self, full_count: int, kept_count: int) -> CutPart:
        """Return what is left out if so many rows are kept, and so many of these are full."""
        (hints,) = self.hints_of([(full_count, kept_count)])
        return CutPart(hints, _Names(self, full_count, kept_count), self.note_texts)

    def hints_of(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[Overflow, ...]]:
        """Return the notes for each pair of a number of full rows and a number of kept rows."""
        absent = [member for member in self.members if member not in self.bare.kept]
        filled = [self.places[member].rows for member in absent if member in self.widened]
        told = 0 if self.top is None else len(self.top.telling)
        given = [self.places[member].rows for member in absent if member in self.added]
        rows = [self.places[member].rows for member in absent]
        # The leaves that `bare` lacks: how many are in so many full rows, and in so many kept rows.
        # Telling records also have the members that are added.
        size = len(self.value)
        in_full, in_kept, in_told = (_leaves_before(own, size) for own in (filled, rows, given))
        shortened = [
            member
            for member in self.members
            if any(level is not None and level.forms for level in self._levels(member))
        ]
        hints: list[tuple[Overflow, ...]] = []
        for full, kept in pairs:
            shown = in_told[min(full, told)]
            # Without these words, what only a telling row has looks absent from the others.
            more = MOST_ROWS if shown and kept > min(full, told) else None
            missing = Overflow(in_kept[kept] - in_full[full] - shown, self.facts, "facts", more)
            hints.append(
                notes(missing, self._shortened(shortened, full, kept) if shortened else ())
            )
        return hints

    def _levels(self, member: Member) -> tuple[MemberLevel | None, MemberLevel | None]:
        """Return the forms of a member in full rows and in bare rows.

        The first is None if full rows have the same form as bare ones, the second if bare rows do
        not have the member.
        """
        return self.widened.get(member), self.bare.kept.get(member)

    def _shortened(
        self, members: Sequence[Member], full_count: int, kept_count: int
    ) -> Iterator[Shortened]:
        """Yield the shortened texts of members in the kept rows, given two numbers; see `part`."""
        for member in members:
            full_leaves, size = self._leaf_counts(member, full_count, kept_count)
            in_full, in_bare = self._levels(member)
            forms: list[Shortened | None] = []
            whole = self._whole_leaves(member, full_count)
            if full_leaves and in_full is not None:
                forms += self._forms(member, in_full, slice(whole, full_leaves))
            if in_bare is not None:
                forms += self._forms(member, in_bare, slice(max(whole, full_leaves), size))
            yield from filter(None, forms)

    def names(self, full_count: int, kept_count: int) -> Iterable[str]:
        """Return the names of what kept rows lack, given two numbers; see `part`."""
        if not self.is_ambiguous:
            return self._names(full_count, kept_count)
        value, left = self.value, self.kept_data(full_count, kept_count)
        first = {key: value[key] for key in left} if is_object(value) else value[: len(left)]
        return cut_names(first, left)

    def _names(self, full_count: int, kept_count: int) -> Iterator[str]:
        """Yield the names of what kept rows lack, if no name is ambiguous."""
        written = {
            member for member in self.members if member in self.bare.kept or member in self.widened
        }
        for member, name in self.members.items():
            if member in self.added and member not in written and self.top is not None:
                first = set(self.top.telling[:full_count])
                rows = sorted({row for row in member.rows if row not in first})
                yield from names_of_lost(self.value, member, rows, len(self.value))
            elif member not in written:
                yield name
        for member, name in self.members.items():
            in_full, size = self._leaf_counts(member, full_count, kept_count)
            if member in written and member not in self.bare.kept and in_full < size:
                if in_full:
                    rows = [member.rows[leaf] for leaf in self.places[member].leaves[in_full:size]]
                    size = 1 + max(self.order[:kept_count])
                    yield from names_of_lost(self.value, member, rows, size)
                else:
                    yield name

    def _leaf_counts(self, member: Member, full_count: int, kept_count: int) -> tuple[int, int]:
        """Return how many leaves of a member are in full rows, and how many in kept rows.

        The first is 0 if full rows have no more of the member than bare ones.
        """
        rows = self.places[member].rows
        in_full = bisect_left(rows, full_count) if member in self.widened else 0
        return in_full, bisect_left(rows, kept_count)

    def _whole_leaves(self, member: Member, full_count: int) -> int:
        """Return how many leaves of a member are whole as they are in telling records."""
        if self.top is None or member not in self.added:
            return 0
        return bisect_left(self.places[member].rows, min(full_count, len(self.top.telling)))

    def _forms(self, member: Member, level: MemberLevel, part: slice) -> Iterable[Shortened | None]:
        """Return the forms of a part of a member's leaves, sorted as in `places`.

        The result is empty if none of the member's leaves is shortened.
        """
        leaves = self.places[member].leaves
        return [level.forms[leaf] for leaf in leaves[part]] if level.forms else ()

    def widening(
        self, header: Callable[[str], str], tail: str, count: Count, *, keeps_all: bool
    ) -> Widening | None:
        """Return the tables of the mixed versions, one for each number of full rows.

        All have the header of the table with half of its rows full. The result is None if this is
        no table, or if the header depends on which rows are full. `header` returns the line above
        the rows, given the text of the columns, and `count` the tokens of texts.
        """
        bare, full = self.bare.records(), self.full.records()
        first = frozenset(self.order[: full.size // 2])
        mixed = full.with_columns(
            {
                key: column
                if bare.columns.get(key) is column
                else _mixed_column(column, bare, key, first)
                for key, column in full.columns.items()
            }
        )
        record = record_shape(mixed, inline=False, wide=True)
        if not isinstance(record, Group):
            return None
        record = self.full.columns.ruled(record, full, bare)
        if self.top is not None:  # what only telling records have is below ``*``
            record = replace(record, more=True)
        full_rows, table = RowTexts.of(record, self.full_records(), None, count)
        columns, constants = table.columns, table.constants
        bare_rows, table = RowTexts.of(record, full, bare, count)
        if _COUNTED.findall(columns) != _COUNTED.findall(table.columns):
            return None  # the header counts rows of inner tables, and these would differ by row
        is_named, size = is_object(self.value), len(self.value)
        columns = f"{{{size}}}{columns}" if is_named else f"[{size}]{columns}"
        return Widening(
            ROWS.name,
            (header(columns) + constants,),
            full_rows,
            bare_rows,
            list(self.value) if is_named else range(size),
            self,
            tail,
            keeps_all,
        )

    def kept_data(self, full_count: int, kept_count: int) -> Any:
        """Return the data that a reader gets, given two numbers; see `part`."""
        first, names = frozenset(self.order[:full_count]), self.full.records().names
        versions = self.bare.records(), self.full_records()
        rows = sorted(self.order[:kept_count])
        records = [versions[row in first].value(row) for row in rows]
        if names is None:
            return records
        return {names[row]: value for row, value in zip(rows, records, strict=True)}


def _leaves_before(rows: Iterable[Sequence[int]], size: int) -> list[int]:
    """Return, for each number of rows up to `size`, how many leaves these rows have together.

    `rows` has the rows of the leaves of each member.
    """
    by_row = np.bincount(np.fromiter(chain.from_iterable(rows), np.intp), minlength=size)
    return [0, *np.cumsum(by_row).tolist()]


class _Mixed(NamedTuple):
    """What a reader gets from a widening with a given number of full rows."""

    wider: Wider
    full_count: int

    def of(self, rows: Sequence[int]) -> Any:
        """Return the data of as many rows as are given, which are the first of the order."""
        return self.wider.kept_data(self.full_count, len(rows))


class _Names:
    """The names of what a widening leaves out, given two numbers; they are found when read."""

    def __init__(self, wider: Wider, full_count: int, kept_count: int) -> None:
        self._wider, self._counts = wider, (full_count, kept_count)

    def __iter__(self) -> Iterator[str]:
        return iter(self._wider.names(*self._counts))


HELD: Final = 50_000
"""The rows of a table are held if they have fewer characters."""


class RowTexts(NamedTuple):
    """The texts of all rows of a table; those of a large one are written again when needed."""

    held: Sequence[str] | None
    """The texts; None if they are written when needed."""
    tokens: Sequence[int] | None
    """The tokens of each row, if the texts are not held."""
    shape: Group
    full: Records
    """The records with all the columns."""
    bare: Records | None
    """The records with the columns that are left; None if all are left."""

    @classmethod
    def of(
        cls, shape: Group, full: Records, bare: Records | None, count: Count
    ) -> tuple[RowTexts, TableText]:
        """Return the rows of a table, and the table as written now.

        The fields have the parameters; `count` returns the tokens of texts.
        """
        unwritten = cls(None, None, shape, full, bare)
        table = unwritten.write()
        if sum(map(len, table.rows)) < HELD:
            return unwritten._replace(held=table.rows), table
        return unwritten._replace(tokens=count(table.rows)), table

    def write(self) -> TableText:
        """Return the text of the table, written now."""
        left = self.full if self.bare is None else _mark_cut_columns(self.bare, self.full)
        return write_table(self.shape, left)

    def texts(self) -> Sequence[str]:
        """Return the text of each row."""
        return self.write().rows if self.held is None else self.held

    def in_codes(self, phrases: Dictionary) -> RowTexts:
        """Return the rows with phrases written as codes."""
        return self._replace(held=tuple(map(phrases.write, self.texts())), tokens=None)


@frozen(eq=False)
class Widening:
    """A block of rows: some are full, others have fewer columns (are *bare*), the rest are cut.

    It represents many options: one for each pair of a number of full rows and a number of kept
    rows.
    """

    format: str
    fragments: tuple[str, ...]
    full: RowTexts
    bare: RowTexts
    """The texts of the rows: `full` with all the columns, `bare` with those that all rows have."""
    keys: Sequence[str | int]
    wider: Wider
    """The versions in the two kinds of rows, and what they lack; its notes are below the rows."""
    tail: str = ""
    """A fragment after the notes."""
    keeps_all: bool = False
    """Whether no row may be cut."""

    def option(self, full_count: int, kept_count: int) -> RowsOption:
        """Return the option that keeps so many rows, and so many of these full."""
        wider, part = self.wider, self.wider.part(full_count, kept_count)
        rows, full_rows = list(self.bare.texts()), self.full.texts()
        worths = list(wider.bare.worths)
        for row in wider.order[:full_count]:
            rows[row], worths[row] = full_rows[row], wider.full_worths[row]
        return RowsOption(
            self.format,
            self.fragments,
            rows=rows,
            worths=worths,
            keys=self.keys,
            unit="rows",
            left=_Mixed(wider, full_count),
            below=True,
            tail=part.note + self.tail,
            part=part,
        )

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many rows are missing; see `RowsOption.hint`."""
        return f"{Overflow(missing, None, 'rows', more)}\n"

    def texts(self) -> Sequence[str]:
        """Return all texts that may be written and are held, except notes."""
        return (*self.fragments, *(self.full.held or ()), *(self.bare.held or ()))

    def with_line_above(self, above: str) -> Widening:
        """Return this block with a line above it."""
        return replace(self, fragments=(above, *self.fragments))

    def in_codes(self, phrases: Dictionary) -> Widening:
        """Return this block with phrases written as codes."""
        fragments = tuple(map(phrases.write, self.fragments))
        full, bare = self.full.in_codes(phrases), self.bare.in_codes(phrases)
        return replace(self, fragments=fragments, full=full, bare=bare)


def _mixed_column(column: Column, bare: Records, key: str, first: frozenset[int]) -> Column:
    """Return a column with the values of the `first` rows, and `bare`'s values of the others."""
    values = {row: raw for raw, row in zip(column.raw, column.rows, strict=True) if row in first}
    if (other := bare.columns.get(key)) is not None:
        pairs = zip(other.raw, other.rows, strict=True)
        values |= {row: raw for raw, row in pairs if row not in first}
    rows = sorted(values)
    return left_column(column, [values[row] for row in rows], rows)


def names_of_lost(value: Any, member: Member, rows: Sequence[int], size: int) -> list[str]:
    """Return names for the lost values of a member in the records with the numbers `rows`.

    `size` is the number of records up to the last one that is kept.
    """
    inner = member.steps[1:]
    if not is_object(value):
        return [name_of([run, *inner]) for run in runs(sorted(set(rows)), size)]
    keys = list(value)
    return [name_of([keys[row], *inner]) for row in sorted(set(rows))]


def writing_order(telling: Sequence[int], size: int) -> range | tuple[int, ...]:
    """Return the order in which a table's records are kept: the telling ones come first."""
    if not telling:
        return range(size)
    first = frozenset(telling)
    return *telling, *(row for row in range(size) if row not in first)


def _mark_cut_columns(bare: Records, full: Records) -> Records:
    """Return the bare records with `CUT` wherever only the full ones have a value."""
    columns: dict[str, Column] = {}
    for key, column in full.columns.items():
        bare_column = bare.columns.get(key)
        if bare_column is None:
            columns[key] = Column([CUT] * column.count, column.rows, column.size, column.cut)
            continue
        if bare_column is not column:
            cells = map(bare_column.get, column.rows)
            raw = list(map(_mark_cut_members, cells, column.raw))
            column = Column(raw, column.rows, column.size, column.cut)
        columns[key] = column
    return full.with_columns(columns)


def _mark_cut_members(left: Any, whole: Any) -> Any:
    """Return the kept part of a value, with `CUT` for each missing member, or for all of it."""
    if left is ABSENT:
        return CUT
    if left is not whole and is_array(whole) and len(whole) == len(left):
        return list(map(_mark_cut_members, left, whole))
    if left is whole or not is_object(whole):
        return left
    inner = {key: _mark_cut_members(left.get(key, ABSENT), value) for key, value in whole.items()}
    shown = whole.shown if isinstance(whole, CutObject) else ()
    return left_of(left, {**left, **inner}, shown=shown)
