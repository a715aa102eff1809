"""Names for what is cut from a value: patterns such as ``jobs[*].url`` that match only that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.scalars import CUT, Cut, ItemGap
from mckp.jsontext import is_array, is_object
from mckp.menu.members import is_keyed, name_of
from mckp.weights.patterns import Wild

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from mckp.menu.members import PatternStep

    Steps: TypeAlias = tuple[PatternStep, ...]


def cut_names(value: object, left: object) -> tuple[str, ...]:
    """Return the names of what is in `value` but not in `left`, its kept part.

    An array in `left` has the first items, or an `ItemGap` in the place of others. A text
    that was shortened counts as kept.

    Examples
    --------
    >>> value = {"pay": [1, 2, 3], "jobs": [{"id": 1, "a.b": 2}, {"id": 3, "a.b": 4}]}
    >>> cut_names(value, {"pay": [1], "jobs": [{"id": 1}, {"id": 3}]})
    ('pay[1:]', 'jobs[*]["a.b"]')
    >>> cut_names(value, {"jobs": [{"id": 1, "a.b": 2}, {"id": 3}]})
    ('pay', 'jobs[1:]["a.b"]')
    """
    return tuple(map(name_of, _lost_steps(value, left)))


def _lost_steps(value: Any, left: Any) -> Iterator[Steps]:
    """Yield the steps to what is in `value` but not in `left`, its kept part."""
    if is_array(value) and value:
        items, gaps, size = _numbered(left)
        reached = _Reached(items.values())
        for steps, rows in _group_lost_steps(items.items(), value):
            if reached.leads_nowhere(steps):
                yield slice(None), *steps
            else:
                yield from ((run, *steps) for run in runs(rows, size))
        for gap in gaps:
            yield (gap.first if gap.first == gap.last else slice(gap.first, gap.last + 1),)
        if size < len(value):
            yield (slice(size, None),)
    elif is_object(value) and is_keyed(value):
        reached = _Reached(left.values())
        for steps, keys in _group_lost_steps(left.items(), value):
            if len(keys) > 1 and reached.leads_nowhere(steps):
                yield Wild.STEP, *steps
            else:
                yield from ((key, *steps) for key in keys)
        yield from ((key,) for key in value if key not in left)
    elif is_object(value):
        for key, below in value.items():
            inner = _lost_steps(below, left[key]) if key in left else [()]
            yield from ((key, *steps) for steps in inner)


def _numbered(left: Sequence[Any]) -> tuple[dict[int, Any], list[ItemGap], int]:
    """Return the kept items of an array by their numbers, the gaps, and the number after these."""
    items: dict[int, Any] = {}
    gaps: list[ItemGap] = []
    place = 0
    for item in left:
        if isinstance(item, ItemGap):
            gaps.append(item)
            place = item.last + 1
        elif item is not CUT:
            items[place] = item
            place += 1
    return items, gaps, place


def _part(value: Sequence[Any], part: slice) -> Sequence[Any]:
    """Return the kept items of an array that had the numbers of a slice."""
    if not any(isinstance(item, Cut) for item in value):
        return value[part]
    items, _, size = _numbered(value)
    return [items[number] for number in range(size)[part] if number in items]


def _group_lost_steps(
    pairs: Iterable[tuple[Any, Any]], value: Any
) -> Iterable[tuple[Steps, list[Any]]]:
    """Return each pattern of cuts in kept items or members, with the keys of these."""
    by_pattern: dict[str, tuple[Steps, list[Any]]] = {}
    for key, below in pairs:
        for steps in _lost_steps(value[key], below):
            by_pattern.setdefault(repr(steps), (steps, []))[1].append(key)
    return by_pattern.values()


class _Reached:
    """The values that the same steps lead to, from any of some values.

    What lies one step further is found once, however many patterns share that step.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)
        self._by_key: dict[str, list[Any]] | None = None
        self._below: dict[str, _Reached] = {}

    def leads_nowhere(self, steps: Steps) -> bool:
        """Whether the steps of a pattern lead to nothing from here."""
        reached = self
        for step in steps:
            reached = reached.after(step)
        return not reached.values

    def after(self, step: PatternStep) -> _Reached:
        """Return what lies one step further."""
        name = repr(step)
        if name not in self._below:
            self._below[name] = _Reached(self._step(step))
        return self._below[name]

    def _step(self, step: PatternStep) -> Iterable[Any]:
        if isinstance(step, str):
            if self._by_key is None:
                self._by_key = {}
                for key, member in self._members():
                    self._by_key.setdefault(key, []).append(member)
            return self._by_key.get(step, ())
        if step is Wild.STEP:
            return (member for _, member in self._members())
        assert not isinstance(step, Wild), "it has one member"
        part = step if isinstance(step, slice) else slice(step, step + 1)
        return (item for value in self.values if is_array(value) for item in _part(value, part))

    def _members(self) -> Iterator[tuple[str, Any]]:
        return (pair for value in self.values if is_object(value) for pair in value.items())


def runs(rows: Sequence[int], size: int) -> Iterator[int | slice]:
    """Yield ascending row numbers, with each run as a slice.

    `size` is the number of rows; a run up to the last one is an open slice, such as ``3:``.
    """
    first = 0
    for place, row in enumerate(rows, 1):
        if place == len(rows) or rows[place] > row + 1:
            start = rows[first]
            if row + 1 == size:
                yield slice(start, None)
            else:
                yield start if start == row else slice(start, row + 1)
            first = place
