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
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints import Overflow
from mckp.jsontext import dump
from mckp.menu.projection import Projection, leaves, name_of
from mckp.menu.reduction import Reduction, share
from mckp.menu.shorten import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.projection import Part, Path
    from mckp.menu.reduction import Weigh
    from mckp.menu.shorten import Shortened

LEAST: Final = 24
"""Tokens, by a rough guess, of a value below which a smaller version is not worth its hint."""

STEPS: Final = {
    "columns": (0.75, 0.52, 0.36, 0.25, 0.17, 0.1, 0.05),
    "facts": (0.82, 0.66, 0.52, 0.41, 0.32, 0.25, 0.19, 0.14, 0.1, 0.06),
}
"""Shares of the whole down to which versions are made, by the unit of their hints."""

_FORMS: Final = (24, 60, 150, 400, 1200)
"""Characters that shorter forms of a long text within a value may have."""

_NEAR: Final = 8
"""Parts that are put back, alone and together, where a choice leaves tokens over."""

_PIECE: Final = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[^\sA-Za-z0-9]")
"""What takes about a token."""


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

    def met(self, path: Path, leaf: Any) -> None:
        """Take notice of one more scalar."""
        if not self.leaves:
            self.first, self.cost = leaf, _rough(path[-1]) if path else 0
        self.varies = self.varies or type(leaf) is not type(self.first) or leaf != self.first
        self.leaves += 1


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
        self.parts: dict[Part, _Part] = {}
        self.texts: dict[str, list[Shortened | None]] = {}
        self.pins: set[Path] = set()
        for number, (path, leaf) in enumerate(leaves(value)):
            self.add(path, leaf, number)
            if pinned is not None and pinned(number):
                self.pins.add(path)
        for (path, _), part in self.parts.items():
            base = self.parts[path, 0]
            if "*" in path and not base.varies and base.leaves > 1:
                part.cost /= base.leaves  # a table writes it once
        self.order = self.in_order()

    def add(self, path: Path, leaf: Any, number: int) -> None:
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
        shares = STEPS[self.unit]
        steps = iter(shares)
        step = next(steps, 0.0)
        for place, key in enumerate(self.order if total >= LEAST else (), 1):
            left -= self.parts[key].cost
            if left < total - 8 and (left <= step * total or len(self.order) <= len(shares)):
                found.append(place)
                while left <= step * total:
                    step = next(steps, -1.0)
        return found

    def may_go(self, path: Path, level: int) -> bool:
        return path not in self.pins and (level > 0 or path[-1:] not in ((), ("*",)))

    def in_order(self) -> list[Part]:
        """Return the parts that may go, that which is worth the least for its cost first."""
        density: dict[Part, float] = {}
        for (path, level), part in self.parts.items():
            mine = part.weight / max(part.cost, 0.5)
            # A longer form goes before the shorter one that it builds on.
            density[path, level] = min(mine, density[path, level - 1]) if level else mine

        def worth(key: Part) -> tuple[float, int, Path]:
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
        sets = [{key} for key in back] + [set(back[:count]) for count in range(2, len(back))]
        put_back = (
            self.without([key for key in gone if key not in each], part.place) for each in sets
        )
        yield from filter(None, chain(between, put_back))

    def without(self, parts: Iterable[Part], place: int) -> Reduction | None:
        gone = frozenset(parts)
        left = Projection(self.value, gone, self.weigh, self.forms)
        weight = sum(left.weights)
        if not weight:
            return None
        hints = [Overflow(missing, total, unit) for unit, (missing, total) in left.cuts.items()]
        out = sorted(path for path, level in gone if not level)
        if out:
            hints.insert(0, self.hint(out))
        return Reduction(
            content=left.content,
            weight=weight,
            hints=tuple(hints),
            place=place,
            names=tuple(map(name_of, out)),
            worth=left.weights.__getitem__,
            gone=gone,
        )

    def hint(self, gone: list[Path]) -> Overflow:
        kinds = {key: part for key, part in self.parts.items() if not key[1]}
        if self.unit == "columns":
            return Overflow(len(gone), len(kinds), self.unit)
        missing = sum(kinds[path, 0].leaves for path in gone)
        return Overflow(missing, sum(part.leaves for part in kinds.values()), self.unit)


def _rough(value: Any) -> float:
    """Return about how many tokens a scalar takes, what ends it included."""
    text = value if isinstance(value, str) else dump(value)
    return 1 + sum(1 for _ in _PIECE.finditer(text))
