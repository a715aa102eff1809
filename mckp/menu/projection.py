"""What is left of a value after members are cut: as plain data, or as columns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.follow_columns import with_rules
from mckp.encoders.records import Column, as_records
from mckp.frozen import frozen
from mckp.jsontext import is_array, is_container, is_object, left_of
from mckp.menu.members import ANY, GONE, contents_of, is_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.encoders.follow_columns import ColumnRules
    from mckp.encoders.records import Records
    from mckp.encoders.shapes import Group
    from mckp.menu.chain import Chain, MemberLevel
    from mckp.menu.classes import CutPart
    from mckp.menu.members import Member


NONE_GIVEN: Final[Mapping[str, Any]] = {}


class Projection:
    """Cuts all members from a value except those that are kept.

    `levels` has the forms of the kept members, and `chain` the shorter forms of texts. Members in
    the attribute `whole` stay as they are; of those in `some`, at least a part stays.
    """

    def __init__(self, root: Member, levels: Mapping[Member, MemberLevel], chain: Chain) -> None:
        self._root, self._kept, self._chain = root, levels, chain
        self.whole: set[Member] = set()
        self.some: set[Member] = set()
        for member in reversed(chain.every_member):
            level = levels.get(member)
            below = member.below.values()
            is_whole = not member.leaves or (level is not None and level.most is None)
            is_open = bool(member.leaves or member.below)
            if is_open and is_whole and all(child in self.whole for child in below):
                self.whole.add(member)
            if level is not None or any(child in self.some for child in below):
                self.some.add(member)
        shown = self.some.union(*(member.walk() for member in levels if member.has_objects))
        self._shown = {member.place for member in shown}

    def of(self, value: object) -> Any:
        """Return the kept part of the value."""
        if is_records(value):
            return self._kept_records(value, self._root.below[ANY])
        left = self.kept_part(value, self._root)
        return ([] if is_array(value) else {}) if left is GONE else left

    def kept_part(self, value: object, member: Member, *, is_record: bool = False) -> Any:
        """Return what is kept of one value of a member, or `GONE` if nothing is.

        Records in an array or object are cut like those in a cell of a table, unless `is_record`
        says that the value is a record itself.
        """
        if member in self.whole:
            return value
        if member not in self.some:
            return GONE
        if not is_record and is_records(value):
            return self._kept_in_cell(value, member.below[ANY])
        if is_object(value) and value:
            return self.kept_object(value, member) or GONE
        level = self._kept.get(member)
        return GONE if level is None else self._shortened(value, level.most)

    def kept_object(
        self, value: dict[str, Any], member: Member, given: Mapping[str, Any] = NONE_GIVEN
    ) -> dict[str, Any]:
        """Return the kept members of an object, with signs for members that were cut.

        Those in `given` are as they are there.
        """
        below = member.below
        members: dict[str, Any] = {}
        for key, item in value.items():  # a comprehension would add a frame for each level
            left = given[key] if key in given else self.kept_part(item, below[key])
            if left is not GONE:
                members[key] = left
        shown = [key for key in value.keys() - members.keys() if below[key].place in self._shown]
        return left_of(value, members, shown=shown)

    def _kept_records(self, value: Any, member: Member) -> Any:
        """Return the kept part of each record, an empty object for a record without any."""
        if is_object(value):
            named: dict[str, Any] = {}
            for key, item in value.items():  # no comprehension; see `kept_object`
                named[key] = self.kept_record(item, member)
            return named
        records: list[Any] = []
        for item in value:
            records.append(self.kept_record(item, member))
        return records

    def kept_record(self, value: Any, member: Member) -> Any:
        """Return the kept part of a record, with signs of what was cut; {} if nothing is kept."""
        left = self.kept_part(value, member, is_record=True)
        if left is GONE:
            return self.kept_object(value, member) if member in self.some else {}
        return left

    def _kept_in_cell(self, value: object, member: Member) -> Any:
        """Return the kept part of records in a cell; `GONE` if nothing is kept of any of them."""
        records = self._kept_records(value, member)
        is_left = member in self._kept or any(contents_of(records))
        return records if is_left else GONE

    def _shortened(self, value: object, most: int | None) -> Any:
        """Return a value with its texts shortened to `most` characters but nothing cut.

        It is returned unchanged if `most` is None.
        """
        if most is None:
            return value
        if is_container(value):
            if is_object(value):
                return left_of(
                    value, {key: self._shortened(item, most) for key, item in value.items()}
                )
            return [self._shortened(item, most) for item in value]
        form = self._chain.form(value, most)
        return value if form is None else form.text


class LeftColumns:
    """The columns of records with some members kept; versions share equal columns.

    `given` has the records as columns, if they were already collected; `rules` those for columns
    that follow from others.
    """

    def __init__(
        self, value: object, root: Member, given: Records | None, rules: ColumnRules
    ) -> None:
        self.value, self._root, self._given, self.rules = value, root, given, rules
        self._columns: dict[tuple[object, ...], Column] = {}
        self._records_by_projection: dict[Projection, Records] = {}

    @cached_property
    def records(self) -> Records:
        """The records as columns."""
        records = self._given or as_records(self.value)
        assert records is not None, "records"
        return records

    def ruled(self, shape: Group, records: Records, bare: Records | None = None) -> Group:
        """Return the shape of records, or of some of them `bare`, without what rules give."""
        return with_rules(shape, records, self.records, self.rules, bare) if self.rules else shape

    def of(self, levels: Mapping[Member, MemberLevel], projection: Projection) -> Records:
        """Return the kept part of the records; `levels` has the forms of the kept members."""
        if projection not in self._records_by_projection:
            self._records_by_projection[projection] = self._left_records(levels, projection)
        return self._records_by_projection[projection]

    def _left_records(
        self, levels: Mapping[Member, MemberLevel], projection: Projection
    ) -> Records:
        """Return the records with the kept part of each column; see `of`."""
        columns: dict[str, Column] = {}
        record = self._root.below[ANY]
        for key, column in self.records.columns.items():
            member = record.below[key]
            if member in projection.whole:
                columns[key] = column
            elif member in projection.some:
                forms = (levels.get(inner) for inner in member.walk())
                version = key, *(-1 if form is None else form.most or 0 for form in forms)
                if version not in self._columns:
                    self._columns[version] = _kept_column(column, member, projection)
                columns[key] = self._columns[version]
        return self.records.with_columns(columns)


@frozen(eq=False)
class Narrow:
    """A narrower version of a container."""

    part: CutPart
    worths: list[float]
    """The worth of each record; one number for a value that is no table."""
    kept: Mapping[Member, MemberLevel]
    """The members that are kept."""
    projection: Projection
    columns: LeftColumns

    def value(self) -> Any:
        """Return the kept part of the container."""
        return self.projection.of(self.columns.value)

    def records(self) -> Records:
        """Return the kept part of the records, as columns."""
        return self.columns.of(self.kept, self.projection)

    def of(self, rows: Sequence[int]) -> Any:
        """Return the kept part of the rows with the given numbers."""
        return rows_of(self.value(), rows)


def rows_of(value: Any, rows: Sequence[int]) -> Any:
    """Return the items of an array, or the members of an object, that have these numbers."""
    if is_object(value):
        items = list(value.items())
        return dict(items[row] for row in rows)
    return [value[row] for row in rows]


def _kept_column(column: Column, member: Member, projection: Projection) -> Column:
    """Return the kept part of a column; rows of which nothing is kept are left out."""
    raw: list[Any] = []
    rows: list[int] = []
    for value, row in zip(column.raw, column.rows, strict=True):
        left = projection.kept_part(value, member)
        if left is not GONE:
            raw.append(left)
            rows.append(row)
    return left_column(column, raw, rows)


def left_column(column: Column, raw: Sequence[Any], rows: Sequence[int]) -> Column:
    """Return a column with some of its rows, and the kept part of the value of each."""
    return Column(raw, rows, column.size, column.cut.union(column.rows).difference(rows))
