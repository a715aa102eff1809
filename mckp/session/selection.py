"""Parts of data by patterns: what stands there, and the data without all else."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from mckp.encoders.hints import is_name
from mckp.encoders.scalars import ABSENT
from mckp.errors import PathError
from mckp.jsontext import is_array, is_object, path_text
from mckp.paths import content_at, missing
from mckp.weights.patterns import Wild, read_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.paths import Path
    from mckp.weights.patterns import Step

    Steps = tuple[Step | slice, ...]
    States = frozenset[tuple[int, int]]


def selected(document: Any, pattern: str) -> Any:
    """Return what a pattern names: one value, or a list if it may name several.

    Raises
    ------
    PathError
        If nothing is there; it names what is.
    PatternError
        If it is no pattern.

    Examples
    --------
    >>> users = [{"login": "ann"}, {"login": "bob"}, {"login": "cyd"}]
    >>> selected(users, "$[1:]"), selected(users, "[*].login"), selected(users, "[0].login")
    ([{'login': 'bob'}, {'login': 'cyd'}], ['ann', 'bob', 'cyd'], 'ann')
    """
    steps = read_selection(pattern)
    if all(isinstance(step, str | int) for step in steps):
        return content_at(document, tuple(step for step in steps if isinstance(step, str | int)))
    found: list[tuple[Path, Any]] = [((), document)]
    for step in steps:
        # One place may be reached in several ways if there are several ``**``.
        below = {path: value for above in found for path, value in _taken(step, *above)}
        if not below:
            raise PathError(pattern, missing(*found[0]))
        found = list(below.items())
    return [value for _, value in found]


def _taken(step: Step | slice, path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if step is Wild.DEEP:
        yield path, value
        for key, child in members(value):
            yield from _taken(step, (*path, key), child)
        return
    for key, child in members(value):
        if _is_at(step, key, value):
            yield (*path, key), child


def members(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return what stands directly in a value, with its names or places."""
    if is_object(value):
        return list(value.items())
    return list(enumerate(value)) if is_array(value) else []


def _is_at(step: Step | slice, key: str | int, value: Any) -> bool:
    if isinstance(step, slice):
        return isinstance(key, int) and key in range(*step.indices(len(value)))
    return step is Wild.STEP or (step is Wild.ELEMENT and isinstance(key, int)) or step == key


def projected(document: Any, patterns: Sequence[str]) -> Any:
    """Return the data without what no pattern names; records stay, however little they have.

    Raises
    ------
    PathError
        If no pattern names anything; it says what is there.
    PatternError
        If one is no pattern.

    Examples
    --------
    >>> projected({"items": [{"id": 1, "url": "x"}], "next": 2}, ["items[*].id"])
    {'items': [{'id': 1}]}
    """
    projection = _Projection([read_selection(each) for each in patterns])
    found = projection.of(document, projection.start)
    if not projection.is_used:
        known = ", ".join(islice(outline(document), 8)) or "no names"
        raise PathError(", ".join(patterns), f"there are {known}")
    return found


class _Projection:
    """Follows several patterns at once: a state is a pattern, and how far it has come."""

    def __init__(self, patterns: Sequence[Steps]) -> None:
        self._patterns, self.is_used = patterns, False
        self.start = self._closed((number, 0) for number in range(len(patterns)))

    def of(self, value: Any, states: States) -> Any:
        if any(place == len(self._patterns[number]) for number, place in states):
            self.is_used = True
            return value
        kept = [
            (key, self.of(child, below), child)
            for key, child in members(value)
            if (below := self._below(states, key, value))
        ]
        if all(found is ABSENT for _, found, _ in kept):
            return ABSENT
        if is_object(value):
            return {key: found for key, found, _ in kept if found is not ABSENT}
        # Records stay, so that there are as many as before.
        empty = [dict[str, Any]() if is_object(child) else ABSENT for *_, child in kept]
        found = [
            rest if each is ABSENT else each for rest, (_, each, _) in zip(empty, kept, strict=True)
        ]
        return [each for each in found if each is not ABSENT]

    def _below(self, states: States, key: str | int, value: Any) -> States:
        return self._closed(
            (number, place + (step is not Wild.DEEP))
            for number, place in states
            if _is_at(step := self._patterns[number][place], key, value) or step is Wild.DEEP
        )

    def _closed(self, states: Iterable[tuple[int, int]]) -> States:
        """Add states that are reached without a step."""
        found = set(states)
        for number, place in list(found):
            steps, after = self._patterns[number], place
            while after < len(steps) and steps[after] is Wild.DEEP:
                after += 1
                found.add((number, after))
        return frozenset(found)


def outline(value: Any, path: str = "") -> Iterator[str]:
    """Yield patterns of what is there; of arrays those of the first element.

    Examples
    --------
    >>> list(outline({"items": [{"id": 1, "user": {"login": "ann"}}], "next": None}))
    ['items[*].id', 'items[*].user.login', 'next']
    """
    if is_object(value) and value:
        for name, child in value.items():
            if is_name(name):
                yield from outline(child, f"{path}{path_text((name,))[1:]}".removeprefix("."))
    elif is_array(value) and value:
        yield from outline(value[0], f"{path}[*]")
    elif path:
        yield path
