"""What it is worth to call what was cut by its name, and which names a hint has.

A name tells a reader what to ask for, so it is worth a share of what it stands for. It costs
tokens as well: whether it pays is for the solver to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints import is_name
from mckp.menu.chain import SHORTEST
from mckp.menu.classes import Told
from mckp.menu.members import ANY

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from mckp.menu.worth import Worth

    Names: TypeAlias = tuple[str, ...]

MOST_NAMED: Final = 4
"""Fields or members that a hint calls by name."""

NAME_SHARE: Final = 4
"""Names that are worth as much as the worthiest leaf of what they stand for."""


def told_worth(worths: Iterable[float]) -> float:
    """Return what it is worth to name what is cut, from the worths of its leaves.

    Examples
    --------
    >>> told_worth([7.0, 300.0, 20.0]), told_worth([1.0, 1.0])
    (75.0, 0.0)
    """
    return float(max(worths, default=0.0) // NAME_SHARE)


def fields_named(
    worth: Worth | None,
    fields: Iterable[tuple[str | int, Any, int]],
    count: Callable[[Any], int],
) -> dict[str, float]:
    """Return what it is worth to call each field of an object by its name where it is cut.

    Fields have name, value, and how many leaves of the document stand before each. Without weights
    no name is worth anything.
    """
    if worth is None:
        return {}
    named = (
        (
            str(key),
            told_worth(worth.of(at + number, 1) * _part(value) for number in range(count(value))),
        )
        for key, value, at in fields
    )
    found = {name: own for name, own in named if own and is_name(name)}
    return dict(sorted(found.items(), key=lambda each: -each[1])[:MOST_NAMED])


def _part(value: Any) -> float:
    """Return which part of a value its shortest form has, if it is a long text."""
    return min(1.0, SHORTEST / len(value)) if isinstance(value, str) and value else 1.0


class Naming:
    """The names of the members of a container, the worthiest first.

    Parameters
    ----------
    worths : iterable of (tuple of str, list of float)
        The path of each member, and the worth of each of its leaves, once for each form of them.
    """

    def __init__(self, worths: Iterable[tuple[Names, Sequence[float]]]) -> None:
        # The name of a long text is worth less than the shortest of its forms, which names it too.
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
        # Of a member and those in it, the member comes first.
        named.sort(key=lambda each: (-each[3], len(each[0])))
        self._named = [each for each in named if is_name(each[2])]

    def told(self, some: Container[Names]) -> Told | None:
        """Return the names of what is worth most of the members of which nothing is kept.

        `some` are the paths of which something is, those of what they stand in among them.
        """
        names: list[str] = []
        total = 0.0
        for path, above, name, worth in self._named:
            if path not in some and (not above or above in some):
                names.append(name)
                total += worth
                if len(names) == MOST_NAMED:
                    break
        return Told(tuple(names), total) if names else None


def with_above(path: Names) -> Iterator[Names]:
    """Yield a path and those of what it stands in, but for the root."""
    return (path[:size] for size in range(len(path), 0, -1))


def _open_above(path: Names) -> Names:
    """Return the path of the object of which something is kept where a member needs a name."""
    above = path[:-1]
    while above and above[-1] == ANY:
        above = above[:-1]
    return above
