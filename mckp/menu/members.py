"""The members of a value: what its records have in common, wherever they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_container, is_object, step
from mckp.weights.patterns import Wild

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mckp.encoders.records import Records

    PatternStep = str | int | slice | Wild


class _Any(str):
    """A name that equals no other, since a member may be called anything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


ANY: Final = _Any("*")
"""The name of any item of an array of records, or of any record under a name of its own."""

GONE: Final = object()
"""What is left of a value of which everything is dropped or cut."""

OPEN_DEPTH: Final = 12
"""Levels of containers that may be blocks of their own, or of which a line may have a part."""

MOST_INLINE: Final = 8
"""Records of a table that are read with ease on one line; longer ones have lines.

Items of an array may be blocks of their own up to the same number."""

MOST_IN_ONE: Final = 96
"""Leaves of a line's array, or records of a table, that are looked at each by itself."""

KEYED: Final = 3
"""Objects under names of their own from which on they are records of a table."""


@dataclass(slots=True, eq=False)
class Member:
    """One member of all records in a place.

    All items of an array that does not hold objects alone are leaves of one member: they are kept
    or cut together.
    """

    key: str
    above: Member | None
    """The member that it is a member of."""
    below: dict[str, Member] = field(default_factory=dict["str", "Member"])
    """Its own members."""
    leaves: list[Any] = field(default_factory=list[Any])
    """Scalars and empty containers in its place."""
    rows: list[int] = field(default_factory=list[int])
    """The record of the value that each leaf stands in."""
    numbers: list[int] = field(default_factory=list[int])
    """The number of each leaf among those of the value."""
    holders: int = 0
    """How many containers stand in its place."""
    is_named: bool = False
    """Whether these are records under names of their own, which are their keys."""

    def member(self, key: str) -> Member:
        """Return a member of this one."""
        found = self.below.get(key)
        if found is None:
            found = self.below[key] = Member(key, self)
        return found

    def add(self, leaf: Any, row: int, number: int) -> None:
        """Add a leaf in its place."""
        self.leaves.append(leaf)
        self.rows.append(row)
        self.numbers.append(number)

    def walk(self) -> Iterator[Member]:
        """Yield this and all below, each after the one it is a member of."""
        ahead: list[Member] = [self]
        while ahead:
            member = ahead.pop()
            yield member
            ahead.extend(reversed(member.below.values()))

    def line(self) -> Iterator[Member]:
        """Yield this, the one it is a member of, and so on."""
        member: Member | None = self
        while member is not None:
            yield member
            member = member.above

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the root to it."""
        return tuple(each.key for each in self.line())[-2::-1]

    @property
    def steps(self) -> list[PatternStep]:
        """The steps of a pattern that covers its leaves and what it has below."""
        members = list(self.line())[-2::-1]
        return [
            Wild.STEP if each.is_named else slice(None) if each.key == ANY else each.key
            for each in members
        ]

    @property
    def name(self) -> str:
        """What it is called: ``labels[*].url`` of records that have labels."""
        return name_of(self.steps)


def name_of(steps: Sequence[PatternStep]) -> str:
    """Return what a part of a value is called: a pattern on its path, from the value on.

    The records of an array need not be told.

    Examples
    --------
    >>> name_of(["labels", slice(2, None), "my url"]), name_of([slice(None), "a"])
    ('labels[2:]["my url"]', 'a')
    """
    if len(steps) > 1 and steps[0] == slice(None) and isinstance(steps[1], str | Wild):
        steps = steps[1:]
    text = "".join(".*" if isinstance(each, Wild) else step(each) for each in steps)
    return text.removeprefix(".")


def members_of(value: Any) -> Member:
    """Return the members of a container.

    Examples
    --------
    >>> root = members_of([{"id": 1, "tags": ["a", "b"]}, {"id": 2}])
    >>> [(each.name, each.leaves, each.rows) for each in root.walk() if each.leaves]
    [('id', [1, 2], [0, 1]), ('tags', ['a', 'b'], [0, 0])]
    """
    root, numbers = Member("", None), count()
    if not is_records(value):
        _add(value, root, 0, numbers)
        return root
    records = root.member(ANY)
    for row, record in enumerate(inside(value)):
        _add(record, records, row, numbers, is_record=True)
    root.holders, records.holders, records.is_named = 1, len(value), is_object(value)
    return root


def _add(
    value: Any, member: Member, row: int, numbers: Iterator[int], *, is_record: bool = False
) -> None:
    """Add a value to a member; a record of a table is no table itself."""
    if not (is_container(value) and value):
        member.add(value, row, next(numbers))
        return
    member.holders += 1
    if is_object(value) and (is_record or not is_keyed(value)):
        inner = member.below
        for key, below in value.items():
            _add(below, inner.get(key) or member.member(key), row, numbers)
    elif is_records(value):
        member = member.member(ANY)
        member.is_named |= is_object(value)
        for below in inside(value):
            _add(below, member, row, numbers, is_record=True)
    else:
        for each in values(value):
            if not (is_container(each) and each):
                member.add(each, row, next(numbers))


def inside(value: Any) -> Collection[Any]:
    """Return what stands in a value, if it is a container."""
    return value.values() if is_object(value) else value if is_array(value) else ()


def values(value: Any) -> Iterator[Any]:
    """Yield a value and all values in it, containers before what they contain."""
    yield value
    for each in inside(value):
        yield from values(each)


def is_table(array: list[Any]) -> bool:
    """Whether an array holds objects and nothing else."""
    return all(map(is_object, array))


def is_keyed(value: dict[str, Any]) -> bool:
    """Whether an object holds records under names of their own, which are like items."""
    return len(value) >= KEYED and all(map(is_object, value.values()))


def is_records(value: Any) -> bool:
    """Whether a value is an array of records, or an object of records under names."""
    if is_array(value):
        return bool(value) and is_table(value)
    return is_object(value) and is_keyed(value)


def is_one_class(records: Records) -> bool:
    """Whether one class is enough for records: there are many, and rows say all of them well."""
    is_nested = any(column.has_containers for column in records.columns.values())
    return records.size > (MOST_IN_ONE if is_nested else MOST_INLINE)
