"""What a hint may tell of what was cut, and what that is worth: names, or counts of groups.

A name tells a reader what to ask for, so it is worth a share of what it names. Counts are those of
``> [+18 rows status done 13 failed 5]``: each is worth an average leaf of the row that is worth
most. Both cost tokens, so they are options, and the solver decides.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.hints import is_name
from mckp.jsontext import is_array, is_object
from mckp.menu.chain import SHORTEST
from mckp.menu.classes import Told
from mckp.menu.members import ANY
from mckp.result import SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from mckp.weights import Weights

    Names: TypeAlias = tuple[str, ...]

NAME_SHARE: Final = 4
"""A name is worth the most valuable leaf that it stands for, divided by this.

So a name, or a call for what is missing, is told only if so many times its tokens are missing."""


def told_worth(worths: Iterable[float]) -> float:
    """Return what the name of a cut part is worth, from the worths of its leaves."""
    return float(max(worths, default=0.0) // NAME_SHARE)


def fields_named(
    worth: Weights | None,
    fields: Iterable[tuple[str | int, Any, int]],
    count: Callable[[Any], int],
) -> dict[str, float]:
    """Return, by name, what it is worth to name each field of an object if it is cut.

    A field is its name, its value, and the number of leaves of the document before it. Without
    weights no name is worth anything.
    """
    if worth is None:
        return {}
    found: dict[str, float] = {}
    for key, value, at in fields:
        own = told_worth(worth.of(at + n, 1) * _part(value) for n in range(count(value)))
        if own and is_name(str(key)):
            found[str(key)] = own
    return dict(sorted(found.items(), key=lambda each: -each[1])[:SHOWN])


def _part(value: Any) -> float:
    """Return the share that the shortest form of a long text has of it; 1 for other values."""
    return min(1.0, SHORTEST / len(value)) if isinstance(value, str) and value else 1.0


class Naming:
    """The names of the members of a container, the most valuable first.

    `worths` has, for each form of each member, its path and the worths of its leaves.
    """

    def __init__(self, worths: Iterable[tuple[Names, Sequence[float]]]) -> None:
        # A name must be worth less than the shortest form of a long text, which has the name, too.
        least: dict[Names, float] = {}
        for path, own in worths:
            told = told_worth(own)
            least[path] = min(told, least.get(path, told))
        found: dict[Names, float] = {}
        for path, told in least.items():
            for above in with_above(path):
                found[above] = max(told, found.get(above, 0.0))
        named = [
            (path, _open_above(path), ".".join(step for step in path if step != ANY), worth)
            for path, worth in found.items()
            if worth and path[-1] != ANY
        ]
        # A member comes before the members in it.
        named.sort(key=lambda each: (-each[3], len(each[0])))
        self._named = [each for each in named if is_name(each[2])]

    def told(self, some: Container[Names]) -> Told | None:
        """Return the names of the most valuable members of which nothing is kept.

        `some` has the paths of all members of which something is kept, and of what contains them.
        """
        names: list[str] = []
        total = 0.0
        for path, above, name, worth in self._named:
            if path not in some and (not above or above in some):
                names.append(name)
                total += worth
                if len(names) == SHOWN:
                    break
        return Told(tuple(names), total) if names else None


def with_above(path: Names) -> Iterator[Names]:
    """Yield a path and the paths of the containers around it, without the root."""
    return (path[:size] for size in range(len(path), 0, -1))


def _open_above(path: Names) -> Names:
    """Return the path of the object around a member, whose name is told if some of that stays."""
    above = path[:-1]
    while above and above[-1] == ANY:
        above = above[:-1]
    return above


class Groups(NamedTuple):
    """A column with few different values, which sorts rows into groups."""

    name: str
    values: list[str]
    """The group of each row."""
    most: float
    """The most that counts of missing rows, by group, can be worth."""

    def worth(self, missing: float) -> float:
        """Return the worth of counting missing rows, which are themselves worth `missing`.

        It is at most half of `missing`: a count must not be worth more than what it counts.
        """
        return min(self.most, missing // 2)

    def told(self, missing: Iterable[int]) -> str:
        """Return the part of a note that counts missing rows by group.

        Examples
        --------
        >>> Groups("state", ["open", "done", "open"], 1.0).told([1, 2])
        'state done 1 open 1'
        """
        counts = Counter(map(self.values.__getitem__, missing))
        return " ".join([self.name, *(f"{value} {count}" for value, count in counts.items())])


def groups_of(records: Any, worths: Sequence[float]) -> Groups | None:
    """Return the groups by the first column that has few words or flags, if there is one.

    Examples
    --------
    >>> rows = [{"id": n, "state": "open" if n % 3 else "done"} for n in range(9)]
    >>> groups_of(rows, [40.0] * 9).told(range(6, 9))
    'state done 1 open 2'
    """
    if not is_array(records) or not records or not is_object(records[0]):
        return None
    for key in filter(is_name, records[0]):
        values = _words(records, key)
        # A reader sees the counts of so few rows at a glance.
        if values and 1 < len(set(values)) <= SHOWN < len(values) / 2:
            worth = len(set(values)) * max(worths) // len(records[0])
            return Groups(key, values, worth)
    return None


def _words(records: list[Any], key: str) -> list[str] | None:
    """Return the word or flag of each record under a key, if there are few different ones."""
    found: list[str] = []
    known: set[str] = set()
    for record in records:
        value = record.get(key) if is_object(record) else None
        word = str(value).lower() if isinstance(value, bool) else value
        if not isinstance(word, str) or (word not in known and not is_name(word)):
            return None
        known.add(word)
        if len(known) > SHOWN:
            return None
        found.append(word)
    return found
