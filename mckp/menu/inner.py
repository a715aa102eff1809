"""Narrower tables in whose cells only the telling records of inner tables stay.

A table may have records within its records, such as the entries of pages. Where some of these tell
far more than the others, a cell has just them, with signs for the others:
``[…0-4;18611 failed;…]``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.infer import record_shape
from mckp.encoders.records import Column
from mckp.encoders.rows import table_body
from mckp.encoders.scalars import CUT, Cut, ItemGap
from mckp.encoders.shapes import Group
from mckp.jsontext import is_array, is_object, left_of
from mckp.menu.chain import telling_of
from mckp.menu.members import ANY, is_keyed, is_records
from mckp.menu.projection import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.base import Body
    from mckp.encoders.records import Records
    from mckp.menu.classes import CutPart
    from mckp.menu.members import Member
    from mckp.menu.projection import Narrow
    from mckp.menu.values import PlacedValue
    from mckp.weights import Weights


TELLING_WITHIN: Final = 8.0
"""A record within another stays without those beside it if it is worth more than so many times the
median of all of these. The columns of tables of a database, most of which are worth about the same,
are better kept together; exceptions are worth more than that."""


class TellingItems(NamedTuple):
    """The telling records in an array that a record of a table has."""

    array: PlacedValue
    numbers: Sequence[int]
    """Their numbers in the array, ascending."""

    def leaves(self, at: int) -> set[int]:
        """Return the numbers of their leaves, counted from the leaf `at` of the document."""
        items = self.array.inner
        return {
            leaf - at
            for number in self.numbers
            for leaf in range(items[number].at, items[number].at + items[number].facts)
        }


Inner = dict["Member", dict[int, TellingItems]]
"""For the member of each inner table, the telling records in it, by the record around them."""


def telling_within(place: PlacedValue, root: Member, weights: Weights) -> Inner:
    """Return the telling records in the tables within the records of a container."""
    arrays: dict[Member, list[tuple[int, PlacedValue]]] = {}
    for row, record in enumerate(place.inner):
        for member, array in _tables(record, root.below[ANY]):
            arrays.setdefault(member, []).append((row, array))
    found: Inner = {}
    for member, rows in arrays.items():
        items = [(row, array, number) for row, array in rows for number in range(len(array.inner))]
        worths = [_own_worth(array.inner[number], weights) for _, array, number in items]
        telling: dict[int, tuple[PlacedValue, list[int]]] = {}
        for row, array, number in map(
            items.__getitem__, sorted(telling_of(worths, TELLING_WITHIN))
        ):
            telling.setdefault(row, (array, []))[1].append(number)
        if telling:
            found[member] = {row: TellingItems(*own) for row, own in telling.items()}
    return found


def _tables(place: PlacedValue, member: Member) -> Iterator[tuple[Member, PlacedValue]]:
    """Yield the arrays of records in a record, but for those within others, with their members."""
    for child in place.inner:
        value, inner = child.value, member.below.get(str(child.key))
        if inner is None or not value:
            continue
        if is_array(value):
            if is_records(value):
                yield inner, child
        elif not is_keyed(value):
            yield from _tables(child, inner)


def _own_worth(place: PlacedValue, weights: Weights) -> float:
    """Return the worth of a record without the tables in it, since large ones tell no more."""
    worth = weights.of(place.at, place.facts)
    for child in place.inner:
        if child.value and (is_records(child.value)):
            worth -= weights.of(child.at, child.facts)
        elif is_object(child.value):
            worth -= weights.of(child.at, child.facts) - _own_worth(child, weights)
    return worth


def own_members(table: Member) -> Iterator[Member]:
    """Yield the members of the records of an inner table, without those of tables in them."""
    pending = [*table.below[ANY].below.values()]
    while pending:
        member = pending.pop()
        yield member
        pending.extend(inner for key, inner in member.below.items() if key is not ANY)


@dataclass(frozen=True, eq=False)
class WithInner:
    """A narrower version of records, of whose inner tables the telling records are as in another.

    Those beside them are cut if the telling ones are `alone`.
    """

    part: CutPart
    worths: list[float]
    """The worth of each record."""
    bare: Narrow
    full: Narrow
    inner: Inner
    alone: bool
    pinned: frozenset[int]
    """The numbers of the records that the note counts on."""

    @cached_property
    def _around(self) -> dict[Member, frozenset[int]]:
        """The members around inner tables, with the records in which these have telling ones."""
        around: dict[Member, frozenset[int]] = {}
        for table, rows in self.inner.items():
            for member in table.lineage():
                around[member] = around.get(member, frozenset()).union(rows)
        return around

    @cached_property
    def _records(self) -> Records:
        """The records, as columns."""
        records, source = self.bare.records(), self.bare.columns.records
        columns = dict(records.columns)
        for member, rows in self._around.items():
            if member.above is None or member.above.above is None or member.above.above.above:
                continue  # it is no column
            key = member.key
            values = {row: self._left(source.columns[key].get(row), member, row) for row in rows}
            before = records.columns.get(key)
            if before is not None:
                values |= {
                    row: raw
                    for row, raw in zip(before.rows, before.raw, strict=True)
                    if row not in rows
                }
            order = sorted(values)
            cut = frozenset[int]() if before is None else before.cut.difference(rows)
            columns[key] = Column([values[row] for row in order], order, source.size, cut)
        return source.with_columns(columns)

    def _left(self, value: Any, member: Member, row: int) -> Any:
        """Return what a record keeps of a value around its telling inner records."""
        if (items := self.inner.get(member, {}).get(row)) is not None:
            return self._left_items(value, member.below[ANY], items.numbers)
        inner = {
            key: self._left(item, member.below[key], row)
            for key, item in value.items()
            if row in self._around.get(member.below[key], ())
        }
        return self.bare.projection.kept_object(value, member, inner)

    def _left_items(self, value: list[Any], member: Member, numbers: Sequence[int]) -> list[Any]:
        """Return the items of an array with the given numbers, and a sign for each gap."""
        if not self.alone:
            telling = frozenset(numbers)
            versions = self.bare.projection, self.full.projection
            return [
                versions[number in telling].kept_record(item, member)
                for number, item in enumerate(value)
            ]
        left: list[Any] = []
        place = 0
        for number in numbers:
            if number > place:
                left.append(ItemGap(place, number - 1))
            left.append(self.full.projection.kept_record(value[number], member))
            place = number + 1
        return left if place == len(value) else [*left, CUT]

    def body(self) -> Body | None:
        """Return the table; None if the other records are none."""
        records, bare = self._records, self.bare.records()
        shape = record_shape(bare, inline=False) or record_shape(bare, inline=False, wide=True)
        if not isinstance(shape, Group):
            return None
        return table_body(records, replace(shape, more=len(shape.columns) < len(records.columns)))

    def of(self, rows: Sequence[int]) -> Any:
        """Return the kept part of the records with the given numbers."""
        return _without_gaps(rows_of(self.value(), rows))

    def value(self) -> Any:
        """Return the kept part of the records, with the gaps in inner tables."""
        return self._records.values()


def inner_worths(bare: Narrow, full: Narrow, inner: Inner, at: int, *, alone: bool) -> list[float]:
    """Return the worth of each record of `WithInner`; for `at`, see `TellingItems.leaves`."""
    worths = list(bare.worths)
    for table, rows in inner.items():
        leaves = {row: items.leaves(at) for row, items in rows.items()}
        for member in table.walk():
            before, level = bare.kept.get(member), full.kept.get(member)
            for place, row in enumerate(member.rows):
                if row not in leaves:
                    continue
                is_telling = member.numbers[place] in leaves[row]
                if before is not None and (alone or is_telling):
                    worths[row] -= before.worths[place]
                if level is not None and is_telling:
                    worths[row] += level.worths[place]
    return worths


def _without_gaps(value: Any) -> Any:
    """Return a value without the signs for items that were cut."""
    if is_object(value):
        return left_of(value, {key: _without_gaps(item) for key, item in value.items()})
    if is_array(value):
        return [_without_gaps(item) for item in value if not isinstance(item, Cut)]
    return value
