"""Narrower versions of a value: the same members of all records, the others cut.

A member such as ``labels[*].url`` is kept in all records or in none; a long text may be shortened.
Members form a chain in order of worth per token. Each prefix of the chain is a narrower version.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log
from operator import add
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders import ROWS
from mckp.encoders.hints import Overflow
from mckp.encoders.infer import record_shape
from mckp.encoders.native import write_table
from mckp.encoders.records import Column, as_records
from mckp.encoders.scalars import ABSENT, CUT
from mckp.encoders.shapes import Group
from mckp.jsontext import CutObject, is_array, is_container, is_object, left_of
from mckp.menu.chain import Chain
from mckp.menu.classes import Lost, Part, Widening
from mckp.menu.cuts.names import cut_names, runs
from mckp.menu.members import ANY, GONE, MOST_IN_ONE, inside, is_records, name_of
from mckp.menu.naming import Nameable, Naming, remark, with_above
from mckp.menu.shorten import notes
from mckp.regexes import regex
from mckp.weights.traits import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.encoders.records import Records
    from mckp.menu.chain import Count, Level
    from mckp.menu.classes import Told
    from mckp.menu.members import Member
    from mckp.menu.naming import Remark
    from mckp.menu.shorten import Shortened
    from mckp.weights import Weights

_COUNTED: Final = regex(r"\[[0-9]+\]")

WIDTHS: Final = 8
"""Most narrower versions of a long array."""
FILLINGS: Final = MOST_IN_ONE
"""A short array has more versions: up to as many rows in all of them as a table may have."""


class Projection:
    """Cuts from a value all members but those that are kept.

    Members in `whole` stay as they are, of those in `some` a part stays. `form` returns the shorter
    form of a text within a number of characters.
    """

    def __init__(
        self,
        root: Member,
        levels: Mapping[Member, Level],
        form: Callable[[Any, int], Shortened | None],
    ) -> None:
        self._root, self._kept, self._form = root, levels, form
        self.whole: set[Member] = set()
        self.some: set[Member] = set()
        for member in reversed(list(root.walk())):
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

    def of(self, value: Any) -> Any:
        """Return the kept part of the value."""
        if is_records(value):
            return self._records(value, self._root.below[ANY])
        left = self.left(value, self._root)
        return ([] if is_array(value) else {}) if left is GONE else left

    def left(self, value: Any, member: Member, *, is_record: bool = False) -> Any:
        """Return the kept part of one value of a member; `GONE` if nothing of it is kept."""
        if member in self.whole:
            return value
        if member not in self.some:
            return GONE
        if not is_record and is_records(value):
            return self._inner(value, member.below[ANY])
        if is_object(value) and value:
            return self._object(value, member) or GONE
        level = self._kept.get(member)
        return GONE if level is None else self._all(value, level.most)

    def _object(self, value: dict[str, Any], member: Member) -> dict[str, Any]:
        below = member.below
        pairs = ((key, self.left(item, below[key])) for key, item in value.items())
        members = {key: item for key, item in pairs if item is not GONE}
        shown = [key for key in value.keys() - members.keys() if below[key].place in self._shown]
        return left_of(value, members, shown=shown)

    def _records(self, value: Any, member: Member) -> Any:
        """Return the kept part of each record; a record without any is an empty object."""
        if is_object(value):
            return {key: self._record(item, member) for key, item in value.items()}
        return [self._record(item, member) for item in value]

    def _record(self, value: Any, member: Member) -> Any:
        left = self.left(value, member, is_record=True)
        if left is GONE:
            return self._object(value, member) if member in self.some else {}
        return left

    def _inner(self, value: Any, member: Member) -> Any:
        """Return the kept part of records in a cell; `GONE` if no record has any."""
        records = self._records(value, member)
        is_left = member in self._kept or any(inside(records))
        return records if is_left else GONE

    def _all(self, value: Any, most: int | None) -> Any:
        """Return a value with all its texts shortened, and nothing else cut."""
        if most is None:
            return value
        if is_container(value):
            if is_object(value):
                return left_of(value, {key: self._all(item, most) for key, item in value.items()})
            return [self._all(item, most) for item in value]
        form = self._form(value, most)
        return value if form is None else form.text


@dataclass(frozen=True, slots=True)
class Narrow:
    """A narrower version of a container."""

    part: Part
    worths: list[float]
    """The worth of each record; one number for a value that is no table."""
    value: Callable[[], Any]
    kept: Mapping[Member, Level]
    """The members that are kept."""
    records: Callable[[], Records]
    """Returns the kept part of the records, as columns."""


TELLING: Final = 1.5
"""How many times the median of its table a record is worth that comes before the others."""


class Wider(NamedTuple):
    """Two versions of an array to be mixed: some records in one, the rest in the other."""

    bare: Narrow
    full: Narrow
    """The first records of the order are written as in `full`, the others as in `bare`."""
    lost: Lost
    value: Any
    """The array, or an object of named records."""
    order: range | tuple[int, ...]
    """All records, those first that are to be written in full, or kept, before the others."""

    def widening(
        self, header: Callable[[str], str], tail: str, *, keeps_all: bool
    ) -> Widening | None:
        """Return the tables of the mixed versions, one for each number of full rows.

        All have the header of the table in which half of the rows are full. There are none if the
        header would have to change with the number of full rows.
        """
        bare, full = self.bare.records(), self.full.records()
        first = frozenset(self.order[: full.size // 2])
        mixed = full.with_columns(
            {
                key: column if bare.columns.get(key) is column else _mixed(column, bare, key, first)
                for key, column in full.columns.items()
            }
        )
        record = record_shape(mixed, inline=False, wide=True)
        if not isinstance(record, Group):
            return None
        columns, constants, rows = write_table(record, full)
        bare_columns, _, bare_rows = write_table(record, _marked(bare, full))
        if _COUNTED.findall(columns) != _COUNTED.findall(bare_columns):
            return None  # the header counts rows of inner tables, and these would differ by row
        is_named, size = is_object(self.value), len(self.value)
        columns = f"{{{size}}}{columns}" if is_named else f"[{size}]{columns}"
        return Widening(
            ROWS.name,
            (header(columns) + constants,),
            rows,
            bare_rows,
            self.full.worths,
            self.bare.worths,
            list(self.value) if is_named else range(size),
            self.order,
            self.lost,
            self.kept,
            tail,
            keeps_all,
        )

    def kept(self, full: int, kept: int) -> Any:
        """Return the data that a reader gets if `full` rows are full and `kept` rows are kept."""
        first, names = frozenset(self.order[:full]), self.full.records().names
        versions = self.bare.records(), self.full.records()
        rows = sorted(self.order[:kept])
        records = [versions[row in first].value(row) for row in rows]
        if names is None:
            return records
        return {names[row]: value for row, value in zip(rows, records, strict=True)}


def _mixed(column: Column, bare: Records, key: str, first: frozenset[int]) -> Column:
    """Return a column with some of its rows, and the other rows from the column in `bare`."""
    values = {row: raw for raw, row in zip(column.raw, column.rows, strict=True) if row in first}
    if (below := bare.columns.get(key)) is not None:
        values |= {r: raw for raw, r in zip(below.raw, below.rows, strict=True) if r not in first}
    rows = sorted(values)
    return _left_in(column, [values[row] for row in rows], rows)


def _order(full: Narrow) -> range | tuple[int, ...]:
    """Return all records of a table: those that tell far more than most come first."""
    worths = full.worths
    least = TELLING * median(worths)
    telling = [row for row, worth in enumerate(worths) if worth > least]
    if not telling or len(telling) > len(worths) // 4:
        return range(len(worths))
    first = frozenset(telling)
    return *telling, *(row for row in range(len(worths)) if row not in first)


def _marked(bare: Records, full: Records) -> Records:
    """Return the bare records, with `CUT` where full records of the table have a value."""
    columns: dict[str, Column] = {}
    for key, column in full.columns.items():
        bare_column = bare.columns.get(key)
        if bare_column is not column:
            cells = (ABSENT if bare_column is None else bare_column.get(row) for row in column.rows)
            raw = list(map(_marks, cells, column.raw))
            column = Column(raw, column.rows, column.size, column.cut)
        columns[key] = column
    return full.with_columns(columns)


def _marks(left: Any, whole: Any) -> Any:
    """Return the kept part of a value, with `CUT` for each missing member."""
    if left is ABSENT:
        return CUT
    if left is not whole and is_array(whole) and len(whole) == len(left):
        return list(map(_marks, left, whole))
    if left is whole or not is_object(whole):
        return left
    inner = {key: _marks(left.get(key, ABSENT), value) for key, value in whole.items()}
    shown = whole.shown if isinstance(whole, CutObject) else ()
    return left_of(left, {**left, **inner}, shown=shown)


class _Places(NamedTuple):
    """The leaves of a member in an order of its records."""

    rows: Sequence[int]
    """Of each leaf the place of its record, ascending."""
    leaves: Sequence[int]
    """The number of each leaf."""


def _places(rows: Sequence[int], place: Sequence[int]) -> _Places:
    """Return the leaves of some records in an order of these; without a `place` in their own."""
    if not place:
        return _Places(rows, range(len(rows)))
    places = [place[row] for row in rows]
    leaves = sorted(range(len(places)), key=places.__getitem__)
    return _Places([places[leaf] for leaf in leaves], leaves)


class Narrower:
    """The narrower versions of one container; the arguments are those of `Chain`.

    Examples
    --------
    >>> data = [{"id": n, "note": "some longer text"} for n in range(3)]
    >>> versions = Narrower(data, 0, None, lambda texts: list(map(len, texts))).versions()
    >>> [(version.part.names, version.value()) for version in versions]
    [(('note',), [{'id': 0}, {'id': 1}, {'id': 2}])]
    """

    def __init__(
        self,
        value: Any,
        at: int,
        worth: Weights | None,
        count: Count,
        records: Records | None = None,
    ) -> None:
        self._given, self._value = records, value
        self._is_table = is_records(value)
        self._chain = Chain(value, at, worth, count)
        self._root, self._members = self._chain.root, self._chain.members
        self._names = {member: member.name for member in self._members}
        self._is_ambiguous = any(member.is_ambiguous for member in self._members)
        self._facts = sum(len(member.leaves) for member in self._members)
        self._columns: dict[tuple[object, ...], Column] = {}
        self._places: dict[range | tuple[int, ...], Mapping[Member, _Places]] = {}
        steps = self._chain.steps if worth is not None else []
        self._paths = {member: set(with_above(member.path)) for member in self._members}
        self._naming = self._named(steps, count)

    def _named(self, steps: Sequence[tuple[Member, Level]], count: Count) -> Naming:
        """Return the names of the members, with remarks on their values."""
        shortest: dict[Member, Level] = {}
        longest: dict[Member, Level] = {}
        for member, level in steps:  # the forms of one member come from the shortest on
            shortest.setdefault(member, level)
            longest[member] = level
        whole = longest.values()
        rate = sum(sum(level.worths) for level in whole) / max(
            1.0, sum(level.tokens for level in whole)
        )
        named = (
            Nameable(member.path, level.worths, member.rows, self._remark(member))
            for member, level in shortest.items()
            if not member.is_ambiguous
        )
        return Naming(named, rate, count)

    def _remark(self, member: Member) -> Remark | None:
        """Return what a note may say of the values of a member of records in an array."""
        if not (self._is_table and is_array(self._value)) or member.path.count(ANY) != 1:
            return None
        return remark(member.leaves, member.rows, len(self._value))

    def versions(self) -> list[Narrow]:
        """Return the versions of prefixes of the chain, the narrowest first.

        There are up to `WIDTHS`, more if records are few. A prefix that lacks nothing is left out:
        records that are empty are kept besides, and they may be all that it lacked.
        """
        steps, most = self._chain.steps, max(WIDTHS, FILLINGS // self._chain.rows)
        candidates = (self._version(dict(steps[:size])) for size in self._sizes(most))
        return [version for version in candidates if version.part.hints]

    def between(self, versions: Sequence[Narrow]) -> Iterator[Wider]:
        """Yield each version paired with the next one, and the last with the whole value."""
        if not self._is_table or not versions:
            return
        whole = self._version(dict(self._chain.steps))
        for bare, full in pairwise([*versions, whole]):
            wider = {k: v for k, v in full.kept.items() if bare.kept.get(k) is not v}
            order = range(self._chain.rows) if self._is_ambiguous else _order(full)
            made = Wider(bare, full, self._lost(bare, wider, order), self._value, order)
            yield self._named_exactly(made) if self._is_ambiguous else made

    def _named_exactly(self, wider: Wider) -> Wider:
        """Return two versions to be mixed whose names stand for nothing that was kept."""

        def names(full: int, kept: int) -> Iterable[str]:
            value, left = self._value, wider.kept(full, kept)
            first = {key: value[key] for key in left} if is_object(value) else value[: len(left)]
            return cut_names(first, left)

        return wider._replace(lost=wider.lost._replace(names=names))

    def _lost(
        self, bare: Narrow, wider: Mapping[Member, Level], order: range | tuple[int, ...]
    ) -> Lost:
        facts = self._facts
        known = {member for member in self._members if member in bare.kept or member in wider}
        gone = tuple(self._names[member] for member in self._members if member not in known)
        remarks = self._told(known) if gone else ()
        places = self._placed(order)

        def ends(member: Member, full: int, kept: int) -> tuple[int, int]:
            rows = places[member].rows
            return bisect_left(rows, full) if member in wider else 0, bisect_left(rows, kept)

        def forms_of(member: Member, level: Level, ends: slice) -> Iterable[Shortened | None]:
            leaves = places[member].leaves
            return [level.forms[leaf] for leaf in leaves[ends]] if level.forms else ()

        def hints(full: int, kept: int) -> tuple[Overflow, ...]:
            missing = 0
            forms: list[Shortened | None] = []
            for member in self._members:
                full_leaves, size = ends(member, full, kept)
                before = bare.kept.get(member)
                if full_leaves:
                    forms += forms_of(member, wider[member], slice(full_leaves))
                if before is not None:
                    forms += forms_of(member, before, slice(full_leaves, size))
                else:
                    missing += max(0, size - full_leaves)
            return notes(Overflow(missing, facts, "facts"), filter(None, forms))

        def names(full: int, count: int) -> Iterator[str]:
            yield from gone
            for member in self._members:
                shown, size = ends(member, full, count)
                if member in known and member not in bare.kept and shown < size:
                    if shown:
                        rows = [member.rows[leaf] for leaf in places[member].leaves[shown:size]]
                        yield from self._behind(member, rows, 1 + max(order[:count]))
                    else:
                        yield self._names[member]

        return Lost(hints, names, remarks)

    def _placed(self, order: range | tuple[int, ...]) -> Mapping[Member, _Places]:
        """Return the places of all members in an order of the records; most versions share it."""
        by_member = self._places.get(order)
        if by_member is None:
            is_own = isinstance(order, range)
            place = () if is_own else sorted(range(len(order)), key=order.__getitem__)
            by_member = {member: _places(member.rows, place) for member in self._members}
            self._places[order] = by_member
        return by_member

    def _behind(self, member: Member, rows: Sequence[int], size: int) -> list[str]:
        """Return names for the lost values of a member in some of the first `size` records."""
        inner = member.steps[1:]
        if not is_object(self._value):
            return [name_of([run, *inner]) for run in runs(sorted(set(rows)), size)]
        keys = list(self._value)
        return [name_of([keys[row], *inner]) for row in sorted(set(rows))]

    def _sizes(self, most: int) -> list[int]:
        """Return the number of chain steps of each version, so that tokens grow by even ratios.

        Each version has all that is pinned, or keys of two with what they are keys of.
        """
        steps = self._chain.steps
        first = max(1, self._chain.least)
        sizes = list(range(first, len(steps)))
        total, tokens = 0.0, [0.0]
        known: dict[Member, float] = {}
        for member, level in steps:
            total += level.tokens - known.get(member, 0.0)
            known[member] = level.tokens
            tokens.append(max(1.0, total))
        if len(sizes) > 4 * most:
            ratio = max(1.001, (tokens[-2] / tokens[first]) ** (0.25 / most))
            sizes = list({int(log(tokens[size], ratio)): size for size in sizes}.values())
        while len(sizes) > most:  # drop the size whose neighbours are closest
            gaps = [tokens[b] / tokens[a] for a, b in zip(sizes, sizes[2:], strict=False)]
            del sizes[1 + gaps.index(min(gaps))]
        return sizes

    def _with_empty(self, levels: Mapping[Member, Level]) -> dict[Member, Level]:
        """Return the kept members, with empty records in tables of which other records are kept."""
        completed = dict(levels)
        for member, level in self._chain.steps:
            if member.key == ANY and not any(member.leaves) and member not in levels:
                is_top = self._is_table and member.above is self._root
                if is_top or any(inner in levels for inner in member.walk()):
                    completed[member] = level
        return completed

    def _version(self, some: Mapping[Member, Level]) -> Narrow:
        kept = self._with_empty(some)
        worths = [0.0] * self._chain.rows
        every = [*range(self._chain.rows)]
        for member, level in kept.items():
            if member.rows == every:
                worths = list(map(add, worths, level.worths))
                continue
            for row, worth in zip(member.rows, level.worths, strict=True):
                worths[row] += worth
        project = Projection(self._root, kept, self._chain.form)
        return Narrow(
            self._part(kept, project),
            worths,
            lambda: project.of(self._value),
            kept,
            lambda: self._left_records(kept, project),
        )

    @cached_property
    def _records(self) -> Records:
        records = self._given or as_records(self._value)
        assert records is not None, "records"
        return records

    def _left_records(self, levels: Mapping[Member, Level], project: Projection) -> Records:
        """Return the kept part of the records; versions that keep the same of a column share it."""
        columns: dict[str, Column] = {}
        inner = self._root.below[ANY]
        for key, column in self._records.columns.items():
            member = inner.below[key]
            if member in project.whole:
                columns[key] = column
            elif member in project.some:
                state = tuple(levels.get(inner) for inner in member.walk())
                name = key, *map(id, state)
                if name not in self._columns:
                    self._columns[name] = _left_column(column, member, project)
                columns[key] = self._columns[name]
        return self._records.with_columns(columns)

    def _told(self, kept: Iterable[Member]) -> tuple[Told, ...]:
        """Return what a note may say if only these members are kept."""
        return self._naming.told(set[tuple[str, ...]]().union(*(self._paths[e] for e in kept)))

    def _part(self, levels: Mapping[Member, Level], project: Projection) -> Part:
        """Return what is left out if only these members are kept."""
        gone = [member for member in self._members if member not in levels]
        names = tuple(self._names[member] for member in gone)
        if self._is_ambiguous:
            names = cut_names(self._value, project.of(self._value))
        hint = Overflow(sum(len(member.leaves) for member in gone), self._facts, "facts")
        if self._is_table:
            hint = Overflow(len(gone), len(self._members), "columns")
        remarks = self._told(levels) if hint.missing else ()
        forms = (form for level in levels.values() for form in level.forms if form is not None)
        return Part(notes(hint, forms), names, remarks)


def _left_column(column: Column, member: Member, project: Projection) -> Column:
    raw: list[Any] = []
    rows: list[int] = []
    for value, row in zip(column.raw, column.rows, strict=True):
        left = project.left(value, member)
        if left is not GONE:
            raw.append(left)
            rows.append(row)
    return _left_in(column, raw, rows)


def _left_in(column: Column, raw: Sequence[Any], rows: Sequence[int]) -> Column:
    """Return a column with some of its rows, and the kept part of the value of each."""
    return Column(raw, rows, column.size, column.cut.union(column.rows).difference(rows))
