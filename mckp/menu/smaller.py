"""Smaller versions of a value: without its dearest members, with its long texts shortened.

The members of the records of an array are one *part* each, ``labels[*].url``, whatever
records hold them, and so are the members of a nested object. Parts that cost the most for
what they are worth go first; of a long text the rest goes before its first sentences. What
is left after each step is a value of its own, which any format can write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.hints import Overflow
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.reduction import Reduction, share
from mckp.menu.shorten import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.reduction import Weigh
    from mckp.menu.shorten import Shortened

LEAST: Final = 24
"""Tokens, by a rough guess, of a value below which a smaller version is not worth its hint."""

STEPS: Final = (0.82, 0.66, 0.52, 0.41, 0.32, 0.25, 0.19, 0.14, 0.1, 0.06)
"""Shares of the whole down to which versions are made."""

_FORMS: Final = (24, 60, 150, 400, 1200)
"""Characters that shorter forms of a long text within a value may have."""

_NEAR: Final = 12
"""Parts that are put back, one at a time, where a choice leaves tokens over."""

_PIECE: Final = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^\sA-Za-z0-9]")
"""What takes about a token."""

_KEYED: Final = 3
"""Objects under names of their own from which on they are records of a table."""

_Path: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class _Part:
    """What goes together: a member of all records, or what longer forms of its texts add.

    Attributes
    ----------
    cost : float
        Tokens, by a rough guess.
    weight : float
        Information.
    leaves : int
        How many scalars; only those whose shortest form it is count.
    first
        The first of them.
    varies : bool
        Whether another one differs.
    """

    cost: float = 0
    weight: float = 0
    leaves: int = 0
    first: Any = None
    varies: bool = False

    def met(self, path: _Path, leaf: Any) -> None:
        """Take notice of one more scalar."""
        if not self.leaves:
            self.first, self.cost = leaf, _rough(path[-1]) if path else 0
        self.varies = self.varies or type(leaf) is not type(self.first) or leaf != self.first
        self.leaves += 1


_Key: TypeAlias = tuple[_Path, int]
"""A path, and which form of long texts is meant: 0 for the shortest."""


class SmallerValues:
    """The smaller versions of one container, by how many of its parts are missing.

    Parameters
    ----------
    value : dict or list
        The container.
    unit : str
        What hints count: ``columns``, which are parts, or ``facts``, which are scalars.
    weigh : callable
        From a leaf, by its number within the container, to its information.
    pinned : callable, optional
        From a leaf, by its number, to whether it must stay.
    """

    def __init__(
        self,
        value: dict[str, Any] | list[Any],
        unit: str,
        weigh: Weigh,
        pinned: Callable[[int], bool] | None = None,
    ) -> None:
        self.value, self.unit, self.weigh = value, unit, weigh
        self.parts: dict[_Key, _Part] = {}
        self.texts: dict[str, list[Shortened | None]] = {}
        self.pins: set[_Path] = set()
        for number, (path, leaf) in enumerate(_leaves(value, ())):
            self.add(path, leaf, number)
            if pinned is not None and pinned(number):
                self.pins.add(path)
        for (path, _), part in self.parts.items():
            base = self.parts[path, 0]
            if "*" in path and not base.varies and base.leaves > 1:
                part.cost /= base.leaves  # a table writes it once
        self.order = self.in_order()

    def add(self, path: _Path, leaf: Any, number: int) -> None:
        weight, before, kept = self.weigh(number), 0.0, 0.0
        for level, form in enumerate(self.forms(leaf)):
            part = self.parts.setdefault((path, level), _Part())
            if not level:
                part.met(path, leaf)
            cost = _rough(leaf if form is None else form.text)
            held = weight if form is None else share(weight, form.missing, form.total)
            part.cost, part.weight = part.cost + cost - before, part.weight + held - kept
            before, kept = cost, held

    def forms(self, leaf: Any) -> list[Shortened | None]:
        """Return the forms of a scalar, the shortest first; None stands for all of it."""
        if not isinstance(leaf, str) or len(leaf) <= _FORMS[0]:
            return [None]
        if leaf not in self.texts:
            found: list[Shortened | None] = []
            for most in _FORMS:
                form = brief(leaf, most)
                if form is not None and form not in found:
                    found.append(form)
            self.texts[leaf] = [*found, None]
        return self.texts[leaf]

    def places(self) -> list[int]:
        """Return after how many parts left out versions are made, in steps of their cost."""
        total = left = sum(part.cost for part in self.parts.values())
        found: list[int] = []
        steps = iter(STEPS)
        step = next(steps, 0.0)
        for place, key in enumerate(self.order if total >= LEAST else (), 1):
            left -= self.parts[key].cost
            if left < total - 8 and (left <= step * total or len(self.order) <= len(STEPS)):
                found.append(place)
                while left <= step * total:
                    step = next(steps, -1.0)
        return found

    def may_go(self, path: _Path, level: int) -> bool:
        return path not in self.pins and (level > 0 or bool(path))

    def in_order(self) -> list[_Key]:
        """Return the parts that may go, that which is worth the least for its cost first."""

        density: dict[_Key, float] = {}
        for (path, level), part in self.parts.items():
            mine = part.weight / max(part.cost, 0.5)
            # A longer form goes before the shorter one that it builds on.
            density[path, level] = min(mine, density[path, level - 1]) if level else mine

        def worth(key: _Key) -> tuple[float, int, _Path]:
            return density[key], -key[1], key[0]

        return sorted((key for key in self.parts if self.may_go(*key)), key=worth)

    def at(self, place: int) -> Reduction | None:
        return self.without(self.order[:place], place)

    def near(self, part: Reduction, known: Iterable[int]) -> Iterator[Reduction]:
        larger = max((place for place in known if place < part.place), default=0)
        stride = max(1, (part.place - larger) // _NEAR)
        between = map(self.at, range(part.place - 1, larger, -stride))
        gone = [key for key in self.order if key in part.gone]
        back = sorted(gone, key=lambda key: self.parts[key].cost)[:_NEAR]
        put_back = (self.without([key for key in gone if key != each], part.place) for each in back)
        yield from filter(None, chain(between, put_back))

    def without(self, parts: Iterable[_Key], place: int) -> Reduction | None:
        gone = frozenset(parts)
        lowest: dict[_Path, int] = {}
        for path, level in gone:
            lowest[path] = min(level, lowest.get(path, level))
        weights: list[float] = []
        cuts: dict[str, list[int]] = {}
        number = -1

        def project(value: Any, path: _Path) -> Any:
            nonlocal number
            if not is_container(value) or not value:
                number += 1
                return leaf(value, path)
            if is_array(value):
                return items(value, (*path, "*"))
            members = {k: project(value[k], step) for k, step in _steps(value, path)}
            kept = {k: v for k, v in members.items() if v is not _GONE}
            return kept if kept else _GONE

        def items(value: list[Any], path: _Path) -> Any:
            start, found = len(weights), list[Any]()
            for item in value:
                below = project(item, path)
                if below is _GONE:  # the record is still one, if an empty one
                    weights.append(0.0)
                found.append({} if below is _GONE else below)
            if any(weights[start:]) or len(path) == 1:
                return found
            del weights[start:]
            return _GONE

        def leaf(value: Any, path: _Path) -> Any:
            level = lowest.get(_named(path))
            if level == 0:
                return _GONE
            weight, forms = self.weigh(number), self.forms(value)
            form = forms[min(level, len(forms)) - 1] if level is not None else None
            if form is not None:
                weight = share(weight, form.missing, form.total)
                counts = cuts.setdefault(form.unit, [0, 0])
                counts[0] += form.missing
                counts[1] += form.total
                value = form.text
            weights.append(weight)
            return value

        content = project(self.value, ())
        if content is _GONE or not sum(weights):
            return None
        hints = [Overflow(missing, total, name) for name, (missing, total) in cuts.items()]
        out = [path for path, level in gone if not level]
        if out:
            hints.insert(0, self.hint(out))
        names = tuple(map(_name, sorted(out)))
        return Reduction(
            content, sum(weights), tuple(hints), place, names, weights.__getitem__, gone
        )

    def hint(self, gone: list[_Path]) -> Overflow:
        kinds = {key: part for key, part in self.parts.items() if not key[1]}
        if self.unit == "columns":
            return Overflow(len(gone), len(kinds), self.unit)
        missing = sum(kinds[path, 0].leaves for path in gone)
        return Overflow(missing, sum(part.leaves for part in kinds.values()), self.unit)


_GONE: Final = object()


def _leaves(value: Any, path: _Path) -> Iterator[tuple[_Path, Any]]:
    if is_object(value) and value:
        for key, step in _steps(value, path):
            yield from _leaves(value[key], step)
    elif is_array(value) and value:
        for below in value:
            yield from _leaves(below, (*path, "*"))
    else:
        yield _named(path), value


def _steps(value: dict[str, Any], path: _Path) -> Iterator[tuple[str, _Path]]:
    """Yield the members with their paths; records under names of their own are like items."""
    is_keyed = len(value) >= _KEYED and all(map(is_object, value.values()))
    for key in value:
        yield key, (*path, "*" if is_keyed else key)


def _name(path: _Path) -> str:
    """Return what a part is called: ``labels[*].url`` of records that have labels."""
    return ".".join(path).replace(".*", "[*]").removeprefix("*.")


def _named(path: _Path) -> _Path:
    """Return the path to the member that a leaf belongs to: no item goes without its array."""
    end = len(path)
    while end and path[end - 1] == "*":
        end -= 1
    return path[:end]


def _rough(value: Any) -> float:
    """Return about how many tokens a scalar takes, what ends it included."""
    text = value if isinstance(value, str) else dump(value)
    return 1 + sum(1 for _ in _PIECE.finditer(text))
