"""The members of a value: keys that its records share, such as ``labels[*].url``."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_container, is_object, step_text
from mckp.weights.patterns import Wild

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mckp.encoders.records import Records

    PatternStep = str | int | slice | Wild


class _Any(str):
    """A name that equals no other string, since a member may have any name, even ``*``."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        """Equal only to itself."""
        return self is other

    def __ne__(self, other: object) -> bool:
        """Unequal to everything else."""
        return self is not other


ANY: Final = _Any("*")
"""The step of a path that leads to each record of an array or of an object of records."""

GONE: Final = object()
"""What is left of a value that is cut whole."""

OPEN_DEPTH: Final = 32
"""Containers nested deeper than this are no blocks of their own: they are cut on a line."""

MOST_INLINE: Final = 8
"""Most records of a table on one line; a longer table has a line for each record.

It is also the most items of an array that may be blocks of their own."""

MOST_IN_ONE: Final = 96
"""Most leaves of an array on a line, or records of a table, that are considered one by one."""

KEYED: Final = 3
"""An object of at least so many objects, and nothing else, is a table of named records."""


_NOTHING: Final[list[Any]] = []
"""What a member without leaves has in place of lists; it stays empty."""


class Member:
    """One key with its values in all records, such as all values of ``labels[*].url``.

    If an array holds anything but objects, all its leaves belong to one member: they are kept or
    cut together.

    Attributes
    ----------
    above
        The member that contains it; None for the root.
    below
        The members that it contains, by their keys.
    leaves, rows, numbers
        Its values: scalars and empty containers. Of each, the number of its record, and its number
        among all leaves of the value.
    holders
        How many of its values are containers that are not empty.
    has_objects
        Whether an array with its leaves holds objects beside other items.
    names
        The names of its values, if they are records of objects, not of arrays.
    place
        The first member that is at the same place for a reader, mostly itself; see `unite`.
    shares
        Whether another member, by another name, is at its place.
    path
        The names from the root to it.
    """

    __slots__ = (
        *("above", "below", "has_objects", "holders", "key", "leaves", "names", "numbers", "path"),
        *("place", "rows", "shares"),
    )

    def __init__(self, key: str, above: Member | None) -> None:
        self.key, self.above = key, above
        self.below: dict[str, Member] = {}
        self.leaves: list[Any] = _NOTHING
        self.rows: list[int] = _NOTHING
        self.numbers: list[int] = _NOTHING
        self.holders, self.has_objects, self.shares = 0, False, False
        self.names: set[str] | frozenset[str] = frozenset()
        self.place: Member = self
        self.path: tuple[str, ...] = () if above is None else (*above.path, key)

    def member(self, key: str) -> Member:
        """Return the member under a key; it is made if there is none."""
        child = self.below.get(key)
        if child is None:
            child = self.below[key] = Member(key, self)
        return child

    def add(self, leaf: object, row: int, number: int) -> None:
        """Add a leaf of the record `row`; `number` is its place among all leaves of the value."""
        if self.leaves is _NOTHING:
            self.leaves, self.rows, self.numbers = [], [], []
        self.leaves.append(leaf)
        self.rows.append(row)
        self.numbers.append(number)

    def add_names(self, records: object) -> None:
        """Add the names of records, if they are in an object."""
        if isinstance(self.names, set):
            self.names.update(records if is_object(records) else ())
        elif is_object(records):
            self.names = set(records)

    def walk(self) -> Iterator[Member]:
        """Yield this member and all below it, parents first."""
        pending: list[Member] = [self]
        while pending:
            member = pending.pop()
            yield member
            pending.extend(reversed(member.below.values()))

    def lineage(self) -> Iterator[Member]:
        """Yield this member, then its ancestors up to the root."""
        member: Member | None = self
        while member is not None:
            yield member
            member = member.above

    @property
    def is_ambiguous(self) -> bool:
        """Whether its name also matches values of another member; see `unite`."""
        return any(ancestor.shares for ancestor in self.lineage())

    @property
    def steps(self) -> list[PatternStep]:
        """The steps of a pattern that matches its values."""
        members = list(self.lineage())[-2::-1]
        return [
            Wild.STEP if member.names else slice(None) if member.key == ANY else member.key
            for member in members
        ]

    @property
    def name(self) -> str:
        """Its name as a pattern, such as ``labels[*].url``."""
        return name_of(self.steps)


def name_of(steps: Sequence[PatternStep]) -> str:
    """Return the name of a part of a value: a pattern for its path.

    A first step to all records of an array is left out.

    Examples
    --------
    >>> name_of(["labels", slice(2, None), "my url"]), name_of([slice(None), "a"])
    ('labels[2:]["my url"]', 'a')
    """
    if len(steps) > 1 and steps[0] == slice(None) and isinstance(steps[1], str | Wild):
        steps = steps[1:]
    text = "".join(".*" if isinstance(part, Wild) else step_text(part) for part in steps)
    return text.removeprefix(".")


def members_of(value: Any) -> Member:
    """Return the members of a container.

    Examples
    --------
    >>> root = members_of([{"id": 1, "tags": ["a", "b"]}, {"id": 2}])
    >>> [(member.name, member.leaves, member.rows) for member in root.walk() if member.leaves]
    [('id', [1, 2], [0, 1]), ('tags', ['a', 'b'], [0, 0])]
    """
    root, numbers = Member("", None), count()
    if is_records(value):
        records = root.member(ANY)
        for row, record in enumerate(contents_of(value)):
            _add_value(record, records, row, numbers, is_record=True)
        root.holders, records.holders = 1, len(value)
        records.add_names(value)
    else:
        _add_value(value, root, 0, numbers)
    unite([root])
    return root


def _add_value(
    value: object, member: Member, row: int, numbers: Iterator[int], *, is_record: bool = False
) -> None:
    """Add the leaves of a value to a member and the members below it.

    `row` is the number of the record that has the value, and `numbers` counts the leaves. A value
    that `is_record` is not taken for a table of named records.
    """
    if not (is_container(value) and value):
        member.add(value, row, next(numbers))
        return
    member.holders += 1
    if is_object(value) and (is_record or not is_keyed(value)):
        inner = member.below
        for key, below in value.items():
            _add_value(below, inner.get(key) or member.member(key), row, numbers)
    elif is_records(value):
        member = member.member(ANY)
        member.add_names(value)
        for below in contents_of(value):
            _add_value(below, member, row, numbers, is_record=True)
    else:
        for item in values(value):
            if not (is_container(item) and item):
                member.add(item, row, next(numbers))
            member.has_objects |= is_object(item)


def unite(members: Sequence[Member]) -> None:
    """Set `place` of all members below the given ones, equal for members that share a place.

    One record may have three objects as a table of named records where another has one of them as a
    plain member. What is cut from either must not look as if it had never been there.

    Examples
    --------
    >>> table, plain = {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 3}}, {"a": {"n": 4}}
    >>> root = members_of([{"x": table}, {"x": plain}])
    >>> [(m.name, m.place.name) for m in root.walk() if m.place is not m]
    [('x.a', 'x.*'), ('x.a.n', 'x.*.n')]
    """
    names = set[str]().union(
        *(member.below[ANY].names for member in members if ANY in member.below)
    )
    places: dict[str, list[Member]] = {}
    for member in members:
        for key, below in member.below.items():
            places.setdefault(ANY if key in names else key, []).append(below)
    for place in places.values():
        for alike in place:
            alike.place = place[0]
            alike.shares = any(other.key != alike.key for other in place)
        unite(place)


def contents_of(value: object) -> Collection[Any]:
    """Return the items or member values of a container; () for any other value."""
    return value.values() if is_object(value) else value if is_array(value) else ()


def values(value: object) -> Iterator[Any]:
    """Yield a value and all values in it, each container before its contents."""
    yield value
    for item in contents_of(value):
        yield from values(item)


def is_keyed(value: dict[str, Any]) -> bool:
    """Whether an object is a table of named records: three objects or more, and nothing else."""
    return len(value) >= KEYED and all(map(is_object, value.values()))


def is_records(value: object) -> bool:
    """Whether a value is an array of objects, which is not empty, or an object of named records."""
    if is_array(value):
        return bool(value) and all(map(is_object, value))
    return is_object(value) and is_keyed(value)


def are_too_many(records: Records) -> bool:
    """Whether there are too many records for a class each; the limit is higher for nested ones."""
    is_nested = any(column.has_containers for column in records.columns.values())
    return records.size > (MOST_IN_ONE if is_nested else MOST_INLINE)
