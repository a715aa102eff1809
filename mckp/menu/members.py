"""The members of a value, wherever their records stand, and what each of them takes and holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANY: Final = "*"
"""The name of any item of an array of records, or of any record under a name of its own."""

KEYED: Final = 3
"""Objects under names of their own from which on they are records of a table."""


@dataclass(slots=True, eq=False)
class Member:
    """One member of all records in a place.

    An array that holds anything but objects is one with all that is in it, since no item goes
    without the others.

    Attributes
    ----------
    key : str
        Its name.
    above : Member or None
        Of what it is a member.
    below : dict of str to Member
        Its own members.
    leaves : list
        Scalars and empty containers in it that are no member's.
    numbers : list of int
        How many leaves of the value are before each of them.
    records : int
        How many containers stand in its place.
    names : list of str
        Names of their own, under which records stand.
    is_column : bool
        Whether many records have it.
    is_fixed : bool
        Whether it stays if what it is a member of does.
    is_pinned : bool
        Whether its texts stay whole.
    levels : list of (int, float)
        Tokens, by a guess, and weight of its own leaves in their shortest forms, and in longer.
    """

    key: str
    above: Member | None
    below: dict[str, Member] = field(default_factory=dict["str", "Member"])
    leaves: list[Any] = field(default_factory=list[Any])
    numbers: list[int] = field(default_factory=list[int])
    records: int = 0
    names: list[str] = field(default_factory=list[str])
    is_column: bool = False
    is_fixed: bool = False
    is_pinned: bool = False
    levels: list[tuple[int, float]] = field(default_factory=list["tuple[int, float]"])

    def member(self, key: str) -> Member:
        """Return a member of this one."""
        found = self.below.get(key)
        if found is None:
            found = self.below[key] = Member(key, self)
            found.is_fixed = key == ANY
            found.is_column = self.is_column or key == ANY
        return found

    def walk(self) -> Iterator[Member]:
        """Yield this and all below, each after that of which it is a member."""
        ahead: list[Member] = [self]
        while ahead:
            member = ahead.pop()
            yield member
            ahead.extend(reversed(member.below.values()))

    def line(self) -> Iterator[Member]:
        """Yield this, of what it is a member, and so on."""
        member: Member | None = self
        while member is not None:
            yield member
            member = member.above

    @property
    def path(self) -> tuple[str, ...]:
        """The names from the root to this one."""
        return tuple(each.key for each in self.line())[-2::-1]

    @property
    def name(self) -> str:
        """What it is called: ``labels[*].url`` of records that have labels."""
        return name_of(self.path)

    @property
    def varies(self) -> bool:
        """Whether one of its leaves differs from another."""
        first = self.leaves[0]
        return any(type(leaf) is not type(first) or leaf != first for leaf in self.leaves)


def name_of(path: tuple[str, ...]) -> str:
    """Return what a member is called, by the names from the root to it.

    Examples
    --------
    >>> name_of(("*", "labels", "*", "url"))
    'labels[*].url'
    """
    return ".".join(path).replace(f".{ANY}", f"[{ANY}]").removeprefix(f"{ANY}.")


def members_of(value: Any, order: list[Member]) -> Member:
    """Return all of a value as a member, and what is below it.

    The members of which the value, and each one in it, is a value are added to `order`.
    """
    root = Member("", None, is_fixed=True)
    _add(value, root, 0, order)
    return root


def _add(value: Any, member: Member, number: int, order: list[Member]) -> int:
    """Add a value to a member, and return how many leaves are behind it."""
    order.append(member)
    if is_object(value) and value:
        member.records += 1
        inner = member.member(ANY) if is_keyed(value) else None
        if inner is not None:
            inner.names += value
        for key, below in value.items():
            number = _add(below, inner or member.member(key), number, order)
        return number
    if is_array(value) and value:
        member.records += 1
        if is_table(value):
            member = member.member(ANY)
            for below in value:
                number = _add(below, member, number, order)
            return number
        return _add_all(value, member, number, order)
    member.leaves.append(value)
    member.numbers.append(number)
    return number + 1


def _add_all(value: Any, member: Member, number: int, order: list[Member]) -> int:
    """Add all leaves of an array to a member."""
    for each in values(value):
        order.append(member)
        if not (is_container(each) and each):
            member.leaves.append(each)
            member.numbers.append(number)
            number += 1
    order.pop()  # the array has its place already
    return number


def values(value: Any) -> Iterator[Any]:
    """Yield a value and all values in it, containers before what they contain.

    Examples
    --------
    >>> list(values([1, ["a", {}]]))
    [[1, ['a', {}]], 1, ['a', {}], 'a', {}]
    """
    yield value
    below: Iterable[Any] = ()
    if is_object(value):
        below = value.values()
    elif is_array(value):
        below = value
    for each in below:
        yield from values(each)


def is_table(array: list[Any]) -> bool:
    """Whether an array holds objects and nothing else."""
    return all(map(is_object, array))


def is_keyed(value: dict[str, Any]) -> bool:
    """Whether an object holds records under names of their own, which are like items."""
    return len(value) >= KEYED and all(map(is_object, value.values()))
