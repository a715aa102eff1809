"""Smaller versions of a value: without its dearest members, with its long texts shortened.

The members of the records of an array are one *part* each, ``labels[*].url``, whatever
records hold them, and so are the members of a nested object. Parts that cost the most for
what they are worth go first; of a long text the rest goes before its first sentences. What
is left after each step is a value of its own, which any format can write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.hints import Hint
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.menu.shorten import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.menu.shorten import Shortened

    Weigh: TypeAlias = Callable[[int], float]

LEAST: Final = 24
"""Tokens, by a rough guess, of a value below which a smaller version is not worth its hint."""

STEPS: Final = (0.82, 0.66, 0.52, 0.41, 0.32, 0.25, 0.19, 0.14, 0.1, 0.06)
"""Shares of the whole down to which versions are made."""

_BRIEF: Final = 120
"""Characters that the shorter form of a text in a table may have."""

_KEYED: Final = 3
"""Objects under names of their own from which on they are records of a table."""

_Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reduction:
    """A part of a value that may stand for it.

    Attributes
    ----------
    content
        What is left.
    weight : float
        Information that is left.
    hints : tuple of Hint
        What is said about that which is missing.
    names : tuple of str
        What was left out, if that has names.
    worth : callable
        From a leaf of `content`, by its number, to its information.
    """

    content: Any
    weight: float
    hints: tuple[Hint, ...]
    names: tuple[str, ...] = ()
    worth: Weigh = field(default=lambda _: 1.0, compare=False)

    @property
    def note(self) -> str:
        """The lines that tell what is missing."""
        return "".join(f"{hint}\n" for hint in self.hints)


def share(weight: float, missing: int, total: int) -> float:
    """Return the weight of a text of which parts are missing, in multiples of 2**-20."""
    return float(int(weight * (total - missing) / total * 2**20)) / 2**20


def shorter_texts(text: str, weight: float) -> list[Reduction]:
    """Return shorter forms of a string, the longest first."""
    return [
        Reduction(form.text, share(weight, *form[1:3]), (Hint(*form[1:]),))
        for form in shortened(text)
    ]


@dataclass(slots=True)
class _Part:
    """What goes together: a member of all records, or the rest of its long texts.

    Attributes
    ----------
    cost : float
        Tokens, by a rough guess.
    weight : float
        Information.
    leaves : int
        How many scalars; those that are only shortened do not count.
    """

    cost: float = 0
    weight: float = 0
    leaves: int = 0


_Key: TypeAlias = tuple[_Path, bool]
"""A path and whether the rest of long texts is meant."""


class Reducer:
    """The smaller versions of one container.

    Parameters
    ----------
    value : dict or list
        The container.
    weigh : callable
        From a leaf, by its number within the container, to its information.
    pinned : callable, optional
        From a leaf, by its number, to whether it must stay.
    """

    def __init__(
        self,
        value: dict[str, Any] | list[Any],
        weigh: Weigh,
        pinned: Callable[[int], bool] | None = None,
    ) -> None:
        self.value, self.weigh = value, weigh
        self.parts: dict[_Key, _Part] = {}
        self.briefs: dict[str, Shortened | None] = {}
        self.pins: set[_Path] = set()
        for number, (path, leaf) in enumerate(_leaves(value, ())):
            self.add(path, leaf, number)
            if pinned is not None and pinned(number):
                self.pins.add(path)

    def add(self, path: _Path, leaf: Any, number: int) -> None:
        weight, cost = self.weigh(number), _rough(leaf)
        part = self.parts.setdefault((path, False), _Part())
        if (brief := self.brief(leaf)) is not None:
            left, below = share(weight, brief.missing, brief.total), _rough(brief.text)
            rest = self.parts.setdefault((path, True), _Part())
            rest.cost, rest.weight = rest.cost + cost - below, rest.weight + weight - left
            weight, cost = left, below
        part.cost, part.weight, part.leaves = part.cost + cost, part.weight + weight, part.leaves + 1

    def brief(self, leaf: Any) -> Shortened | None:
        if not isinstance(leaf, str) or len(leaf) < 2 * _BRIEF:
            return None
        if leaf not in self.briefs:
            forms = shortened(leaf)
            short = (form for form in forms if len(form.text) <= _BRIEF)
            last = forms[-1] if forms and len(forms[-1].text) * 2 < len(leaf) else None
            self.briefs[leaf] = next(short, last)
        return self.briefs[leaf]

    def versions(self, unit: str) -> Iterator[Reduction]:
        """Yield smaller versions, the largest first, with hints that count in a unit.

        Parameters
        ----------
        unit : str
            ``columns`` to count parts, ``facts`` to count scalars.
        """
        total = left = sum(part.cost for part in self.parts.values())
        order = [key for key in self.order() if self.may_go(*key)]
        if total < LEAST or not order:
            return
        gone: set[_Key] = set()
        for key, after in zip(order, [*order[1:], None], strict=True):
            gone.add(key)
            left -= self.parts[key].cost
            step = next((share_ for share_ in STEPS if share_ * total >= left), STEPS[-1])
            coming = left - self.parts[after].cost if after else 0
            is_last_of_step = after is None or coming < total * _below(step)
            if left < total - 8 and (is_last_of_step or len(order) <= len(STEPS)):
                version = self.version(gone, unit)
                if version is not None:
                    yield version

    def may_go(self, path: _Path, rest: bool) -> bool:
        return path not in self.pins and (rest or bool(path))

    def order(self) -> list[_Key]:
        """Return the parts, that which is worth the least for its cost first."""

        def worth(key: _Key) -> tuple[float, bool, _Path]:
            part = self.parts[key]
            density = part.weight / max(part.cost, 0.5)
            base = self.parts[key[0], False]
            if key[1]:
                density = min(density, base.weight / max(base.cost, 0.5))
            return density, not key[1], key[0]

        return sorted(self.parts, key=worth)

    def version(self, gone: set[_Key], unit: str) -> Reduction | None:
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
            path = _named(path)
            if (path, False) in gone:
                return _GONE
            weight = self.weigh(number)
            brief = self.brief(value) if (path, True) in gone else None
            if brief is not None:
                weight = share(weight, brief.missing, brief.total)
                counts = cuts.setdefault(brief.unit, [0, 0])
                counts[0] += brief.missing
                counts[1] += brief.total
                value = brief.text
            weights.append(weight)
            return value

        content = project(self.value, ())
        if content is _GONE or not sum(weights):
            return None
        hints = [Hint(missing, total, name) for name, (missing, total) in cuts.items()]
        out = [path for path, rest in gone if not rest]
        if out:
            hints.insert(0, self.hint(out, unit))
        names = tuple(".".join(path) for path in sorted(out))
        return Reduction(content, sum(weights), tuple(hints), names, weights.__getitem__)

    def hint(self, gone: list[_Path], unit: str) -> Hint:
        kinds = {key: part for key, part in self.parts.items() if not key[1]}
        if unit == "columns":
            return Hint(len(gone), len(kinds), unit)
        missing = sum(kinds[path, False].leaves for path in gone)
        return Hint(missing, sum(part.leaves for part in kinds.values()), unit)


_GONE: Final = object()


def _below(step: float) -> float:
    """Return the step after one."""
    later = [share_ for share_ in STEPS if share_ < step]
    return later[0] if later else 0.0


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


def _named(path: _Path) -> _Path:
    """Return the path to the member that a leaf belongs to: no item goes without its array."""
    end = len(path)
    while end and path[end - 1] == "*":
        end -= 1
    return path[:end]


def _rough(value: Any) -> float:
    """Return about how many tokens a scalar takes, what is around it included."""
    text = value if isinstance(value, str) else dump(value)
    return 1.5 + len(text) / 3.5
