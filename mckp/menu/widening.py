"""Tables of which some rows have more columns than the others."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import eq
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders import ROWS
from mckp.encoders.hints import Overflow
from mckp.encoders.infer import record_shape
from mckp.encoders.native import write_table
from mckp.encoders.records import Column
from mckp.encoders.scalars import ABSENT, CUT
from mckp.encoders.shapes import Group
from mckp.jsontext import CutObject, is_array, is_object, left_of
from mckp.menu.classes import CutPart, RowsOption
from mckp.menu.cuts.names import cut_names, runs
from mckp.menu.members import name_of
from mckp.menu.projection import left_column
from mckp.menu.shorten import notes
from mckp.regexes import regex
from mckp.weights.traits import median

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

_COUNTED: Final = regex(r"\[[0-9]+\]")


class Places(NamedTuple):
    """The leaves of a member in an order of its records."""

    rows: Sequence[int]
    """Of each leaf the place of its record, ascending."""
    leaves: Sequence[int]
    """The number of each leaf."""


def places_of(rows: Sequence[int], place: Sequence[int], order: Sequence[int]) -> Places:
    """Return the leaves of records in an `order`; `place` is where it has each, if not its own."""
    if not place:
        return Places(rows, range(len(rows)))
    if len(rows) == len(order) and all(map(eq, rows, range(len(order)))):
        return Places(range(len(order)), order)  # a leaf in each record
    places = [place[row] for row in rows]
    leaves = sorted(range(len(places)), key=places.__getitem__)
    return Places([places[leaf] for leaf in leaves], leaves)


TELLING: Final = 1.5
"""How many times the median of its table a record is worth that comes before the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Wider:
    """Two versions of an array to mix: some records in one version, the rest in the other."""

    bare: Narrow
    full: Narrow
    """The first records of the order are written as in `full`, the others as in `bare`."""
    value: Any
    """The array, or an object of named records."""
    order: range | tuple[int, ...]
    """All records, those first that are to be written in full, or kept, before the others."""
    wider: Mapping[Member, MemberLevel]
    """The members of which `full` has more than `bare`."""
    members: Mapping[Member, str]
    """All members with their names."""
    places: Mapping[Member, Places]
    note_texts: tuple[NoteText, ...]
    """What the first note may say beside the number: one of these."""
    facts: int
    """The leaves of the value."""
    is_ambiguous: bool
    """Whether a name of a member may stand for something that is kept."""

    def part(self, full: int, kept: int) -> CutPart:
        """Return the part that is left out with `full` full rows among `kept` kept ones."""
        return CutPart(self.hints(full, kept), tuple(self.names(full, kept)), self.note_texts)

    def hints(self, full: int, kept: int) -> tuple[Overflow, ...]:
        """Return the notes for these two numbers, which suffice for the price."""
        return self.hints_of([(full, kept)])[0]

    def hints_of(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[Overflow, ...]]:
        """Return the notes for each pair of numbers of full and of kept rows."""
        absent = [member for member in self.members if member not in self.bare.kept]
        filled = [self.places[member].rows for member in absent if member in self.wider]
        rows = [self.places[member].rows for member in absent]
        # Of the leaves that `bare` lacks, how many are in so many full or kept rows.
        in_full = {n: sum(bisect_left(own, n) for own in filled) for n, _ in pairs}
        in_kept = {n: sum(bisect_left(own, n) for own in rows) for _, n in pairs}
        shortened = [
            member
            for member in self.members
            if any(level is not None and level.forms for level in self._levels(member))
        ]
        return [
            notes(
                Overflow(in_kept[kept] - in_full[full], self.facts, "facts"),
                self._shortened(shortened, full, kept) if shortened else (),
            )
            for full, kept in pairs
        ]

    def _levels(self, member: Member) -> tuple[MemberLevel | None, MemberLevel | None]:
        """Return the forms of a member in full and in bare rows; None where they have no other."""
        return self.wider.get(member), self.bare.kept.get(member)

    def _shortened(self, members: Sequence[Member], full: int, kept: int) -> Iterator[Shortened]:
        """Yield the shortened texts of members, with `full` full rows among `kept` kept ones."""
        for member in members:
            full_leaves, size = self._leaf_counts(member, full, kept)
            in_full, in_bare = self._levels(member)
            forms: list[Shortened | None] = []
            if full_leaves and in_full is not None:
                forms += self._forms(member, in_full, slice(full_leaves))
            if in_bare is not None:
                forms += self._forms(member, in_bare, slice(full_leaves, size))
            yield from filter(None, forms)

    def names(self, full: int, kept: int) -> Iterable[str]:
        """Return the names of what is left out, for these two numbers."""
        if not self.is_ambiguous:
            return self._names(full, kept)
        value, left = self.value, self.kept_data(full, kept)
        first = {key: value[key] for key in left} if is_object(value) else value[: len(left)]
        return cut_names(first, left)

    def _names(self, full: int, kept: int) -> Iterator[str]:
        """Yield the names of what is left out, if no name is ambiguous."""
        known = {m for m in self.members if m in self.bare.kept or m in self.wider}
        yield from (name for member, name in self.members.items() if member not in known)
        for member, name in self.members.items():
            shown, size = self._leaf_counts(member, full, kept)
            if member in known and member not in self.bare.kept and shown < size:
                if shown:
                    rows = [member.rows[leaf] for leaf in self.places[member].leaves[shown:size]]
                    yield from self._names_of_lost(member, rows, 1 + max(self.order[:kept]))
                else:
                    yield name

    def _leaf_counts(self, member: Member, full: int, kept: int) -> tuple[int, int]:
        """Return the numbers of leaves of a member in full rows, and in kept rows."""
        rows = self.places[member].rows
        return bisect_left(rows, full) if member in self.wider else 0, bisect_left(rows, kept)

    def _forms(self, member: Member, level: MemberLevel, ends: slice) -> Iterable[Shortened | None]:
        """Return the forms of a member's leaves in some rows; `ends` are their places."""
        leaves = self.places[member].leaves
        return [level.forms[leaf] for leaf in leaves[ends]] if level.forms else ()

    def _names_of_lost(self, member: Member, rows: Sequence[int], size: int) -> list[str]:
        """Return names for the lost values of a member in the records numbered `rows`."""
        inner = member.steps[1:]
        if not is_object(self.value):
            return [name_of([run, *inner]) for run in runs(sorted(set(rows)), size)]
        keys = list(self.value)
        return [name_of([keys[row], *inner]) for row in sorted(set(rows))]

    def widening(
        self, header: Callable[[str], str], tail: str, count: Count, *, keeps_all: bool
    ) -> Widening | None:
        """Return the tables of the mixed versions, one for each number of full rows.

        All have the header of the table with half of its rows full. The result is None if the
        header depends on the number of full rows. `count` returns the tokens of texts.
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

        full_rows, table = RowTexts.of(record, full, None, count)
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

    def kept_data(self, full: int, kept: int) -> Any:
        """Return the data that a reader gets if `full` rows are full and `kept` rows are kept."""
        first, names = frozenset(self.order[:full]), self.full.records().names
        versions = self.bare.records(), self.full.records()
        rows = sorted(self.order[:kept])
        records = [versions[row in first].value(row) for row in rows]
        if names is None:
            return records
        return {names[row]: value for row, value in zip(rows, records, strict=True)}


class _Mixed(NamedTuple):
    """What a reader gets from a widening with a given number of full rows."""

    wider: Wider
    full: int

    def of(self, rows: Sequence[int]) -> Any:
        """Return the data of the first rows of the order."""
        return self.wider.kept_data(self.full, len(rows))


HELD: Final = 50_000
"""Characters of the rows of a table from which on they are not held."""


class RowTexts(NamedTuple):
    """The texts of all rows of a table; those of a large one are written again when needed."""

    held: Sequence[str] | None
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
        """Return the rows of a table, and the table, which is not held; `count` counts tokens."""
        unwritten = cls(None, None, shape, full, bare)
        table = unwritten.write()
        if sum(map(len, table.rows)) < HELD:
            return unwritten._replace(held=table.rows), table
        return unwritten._replace(tokens=count(table.rows)), table

    def write(self) -> TableText:
        """Write the table."""
        left = self.full if self.bare is None else _mark_cut_columns(self.bare, self.full)
        return write_table(self.shape, left)

    def texts(self) -> Sequence[str]:
        """Return the text of each row."""
        return self.write().rows if self.held is None else self.held

    def in_codes(self, phrases: Dictionary) -> RowTexts:
        """Return the rows written in codes."""
        return self._replace(held=tuple(map(phrases.write, self.texts())), tokens=None)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """A block of rows: some are full, others have fewer columns (are *bare*), the rest are cut.

    It stands for many options, one for each pair of numbers: of full rows and of kept rows.
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

    def option(self, full: int, kept: int) -> RowsOption:
        """Return the option with `full` full rows among `kept` kept ones."""
        wider, part = self.wider, self.wider.part(full, kept)
        rows, full_rows = list(self.bare.texts()), self.full.texts()
        worths = list(wider.bare.worths)
        for row in wider.order[:full]:
            rows[row], worths[row] = full_rows[row], wider.full.worths[row]
        return RowsOption(
            self.format,
            self.fragments,
            rows=rows,
            worths=worths,
            keys=self.keys,
            unit="rows",
            left=_Mixed(wider, full),
            below=True,
            tail=part.note + self.tail,
            part=part,
        )

    def texts(self) -> Sequence[str]:
        """Return all texts that may be written and are held, except notes."""
        return (*self.fragments, *(self.full.held or ()), *(self.bare.held or ()))

    def below(self, line: str) -> Widening:
        """Return this block with a line put above it."""
        return replace(self, fragments=(line, *self.fragments))

    def in_codes(self, phrases: Dictionary) -> Widening:
        """Return this block written in codes."""
        fragments = tuple(map(phrases.write, self.fragments))
        full, bare = self.full.in_codes(phrases), self.bare.in_codes(phrases)
        return replace(self, fragments=fragments, full=full, bare=bare)


def _mixed_column(column: Column, bare: Records, key: str, first: frozenset[int]) -> Column:
    """Return a column with the `first` rows from it, and the others from `bare`."""
    values = {row: raw for raw, row in zip(column.raw, column.rows, strict=True) if row in first}
    if (below := bare.columns.get(key)) is not None:
        values |= {r: raw for raw, r in zip(below.raw, below.rows, strict=True) if r not in first}
    rows = sorted(values)
    return left_column(column, [values[row] for row in rows], rows)


def order_of(full: Narrow) -> range | tuple[int, ...]:
    """Return the order of a table's records: those that hold far more than most are first."""
    worths = full.worths
    least = TELLING * median(worths)
    telling = [row for row, worth in enumerate(worths) if worth > least]
    if not telling or len(telling) > len(worths) // 4:
        return range(len(worths))
    first = frozenset(telling)
    return *telling, *(row for row in range(len(worths)) if row not in first)


def _mark_cut_columns(bare: Records, full: Records) -> Records:
    """Return the bare records, with `CUT` where full records of the table have a value."""
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
