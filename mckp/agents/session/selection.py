"""Selects parts of data by patterns: the values that match, or the data without everything else."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.hints import is_name
from mckp.errors import PathError
from mckp.jsontext import is_array, is_object, path_text
from mckp.paths import content_at, missing_text
from mckp.weights.keys import NAMES
from mckp.weights.patterns import Wild, read_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.paths import Path
    from mckp.plain import JsonValue
    from mckp.weights.patterns import Step

    Steps = tuple[Step | slice, ...]
    State = tuple[int, int]
    States = frozenset[State]
    _Kept = dict[Any, Any] | bool | None
    """What is kept of a value: all of it, nothing, or parts by their keys."""


def selected(document: Any, pattern: str) -> Any:
    """Return the value that a pattern names, or a list if it may name several.

    If nothing matches, a `PathError` names what is there instead.

    Examples
    --------
    >>> users = [{"login": "ann"}, {"login": "bob"}, {"login": "cyd"}]
    >>> selected(users, "$[1:]"), selected(users, "[*].login"), selected(users, "[0].login")
    ([{'login': 'bob'}, {'login': 'cyd'}], ['ann', 'bob', 'cyd'], 'ann')
    """
    matching = _Matching([pattern])
    (steps,) = matching.patterns
    if all(isinstance(step, str | int) for step in steps):
        return content_at(document, tuple(step for step in steps if isinstance(step, str | int)))
    values: list[Any] = []
    closest: tuple[Path, Any] = ((), document)
    farthest = -1
    unvisited: list[tuple[Path, Any, States]] = [((), document, matching.start)]
    while unvisited:
        path, value, states = unvisited.pop()
        place = max(place for _, place in states)
        if place > farthest:
            closest, farthest = (path, value), place
        if place == len(steps):
            values.append(value)
            continue  # everything below it is part of the value
        below = [
            ((*path, key), child, child_states)
            for key, child, child_states in matching.below(states, value)
        ]
        unvisited += reversed(below)
    if farthest < len(steps):
        raise PathError(pattern, missing_text(*closest))
    return values


def members(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the members of an object with their names, or the items of an array with indexes."""
    if is_object(value):
        return list(value.items())
    return list(enumerate(value)) if is_array(value) else []


MAX_FIELDS: Final = 64
"""The most patterns of one request, so that other requests need not wait for it."""


def checked_fields(fields: JsonValue) -> tuple[str, ...]:
    """Return the patterns of a request as a tuple.

    A `PathError` is raised unless they are a list of at most `MAX_FIELDS` texts, and a
    `PatternError` if one is not valid.
    """
    if not is_array(fields) or not all(isinstance(pattern, str) for pattern in fields):
        raise PathError("fields", "this must be a list of patterns, such as items[*].title")
    if len(fields) > MAX_FIELDS:
        raise PathError("fields", f"got {len(fields)} patterns; give at most {MAX_FIELDS}")
    for pattern in fields:
        read_selection(pattern)
    return tuple(fields)


class _Matching:
    """Follows several patterns at once, as an automaton: a state is a pattern and a place in it."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Read the patterns."""
        self.patterns: list[Steps] = [
            _collapse_deep(read_selection(pattern)) for pattern in patterns
        ]
        self.start = self._closure((number, 0) for number in range(len(self.patterns)))
        self._next_states: dict[tuple[States, str], States] = {}

    def is_end(self, states: States) -> bool:
        """Whether any of the states is at the end of its pattern."""
        return any(place == len(self.patterns[number]) for number, place in states)

    def below(self, states: States, value: JsonValue) -> Iterator[tuple[str | int, Any, States]]:
        """Yield the members or items at or below which a pattern may match, with their states."""
        if is_array(value):
            yield from self._item_states(states, value)
        elif is_object(value):
            for key, child in value.items():
                if (states, key) not in self._next_states:
                    self._next_states[states, key] = self._closure(self._member_states(states, key))
                if inner := self._next_states[states, key]:
                    yield key, child, inner

    def _member_states(self, states: States, key: str) -> Iterator[State]:
        """Yield the states that are reached by a step to the member `key`."""
        for number, place, step in self._next_steps(states):
            if step is Wild.DEEP:
                yield number, place
            elif step is Wild.STEP or step == key:
                yield number, place + 1

    def _item_states(
        self, states: States, value: list[JsonValue]
    ) -> Iterator[tuple[int, Any, States]]:
        """Yield each item that a pattern may lead to: its index, the item, and its states."""
        common_states: set[State] = set()
        states_by_index: dict[int, set[State]] = {}
        for number, place, step in self._next_steps(states):
            if isinstance(step, Wild):
                common_states.add((number, place + (step is not Wild.DEEP)))
            elif isinstance(step, int | slice):
                span = step if isinstance(step, slice) else slice(step, step + 1)
                for index in range(*span.indices(len(value))):
                    states_by_index.setdefault(index, set()).add((number, place + 1))
        common = self._closure(common_states)
        for index in range(len(value)) if common_states else sorted(states_by_index):
            states_here = states_by_index.get(index)
            yield (
                index,
                value[index],
                self._closure(common_states | states_here) if states_here else common,
            )

    def _next_steps(self, states: States) -> Iterator[tuple[int, int, Step | slice]]:
        """Yield each state that is not at the end of its pattern, with the next step."""
        for number, place in states:
            if place < len(self.patterns[number]):
                yield number, place, self.patterns[number][place]

    def _closure(self, states: Iterable[State]) -> States:
        """Return states with those reached without a step, since ``**`` also matches no step."""
        reached = set(states)
        for number, place in list(reached):
            if self.patterns[number][place : place + 1] == (Wild.DEEP,):
                reached.add((number, place + 1))
        return frozenset(reached)


def _collapse_deep(steps: Steps) -> Steps:
    """Return a pattern in which one ``**`` replaces several in a row."""
    pairs = zip(steps, (None, *steps), strict=False)
    return tuple(step for step, before in pairs if not (step is before is Wild.DEEP))


def projected(document: Any, patterns: Sequence[str], *, is_even: bool = False) -> Any:
    """Return the data without everything that no pattern names.

    Records without the named members stay, empty, if others have them. If the patterns name nothing
    at all, a `PathError` names what is there instead.

    Parameters
    ----------
    document : object
        Plain data.
    patterns : sequence of str
        The patterns.
    is_even : bool
        Whether the records of an array all keep what is named of any of them, and their key, so
        that what is left out of a record does not look like what it never had.

    Examples
    --------
    >>> projected({"items": [{"id": 1, "url": "x"}], "next": 2}, ["items[*].id"])
    {'items': [{'id': 1}]}
    >>> rows = [{"id": 1, "at": "x", "by": 3}, {"id": 2, "at": "y", "by": 4}]
    >>> projected(rows, ["[0].at"], is_even=True), projected(rows, ["[0].at", "[1].by"])
    ([{'id': 1, 'at': 'x'}], [{'at': 'x'}, {'by': 4}])
    """
    matching = _Matching(patterns)

    def kept_tree(value: Any, states: States) -> _Kept:
        """Return what is kept of a value."""
        if matching.is_end(states):
            return True
        children = {
            key: kept_tree(child, below) for key, child, below in matching.below(states, value)
        }
        if all(kept is None for kept in children.values()):
            return None
        if is_array(value):  # empty records stay, so that the number of records does
            records = {key for key in children if is_object(value[int(key)])}
            children = {
                key: {} if kept is None and key in records else kept
                for key, kept in children.items()
            }
        return {key: kept for key, kept in children.items() if kept is not None}

    kept = kept_tree(document, matching.start)
    if kept is None:
        known = ", ".join(islice(outline(document), 8)) or "no names"
        raise PathError(", ".join(patterns), f"the data has {known}")
    names: dict[tuple[str, ...], set[str]] = {}
    if is_even:
        _collect_names(document, kept, (), names)
    return _built(document, kept, (), names)


def _collect_names(
    value: Any, kept: _Kept, place: tuple[str, ...], names: dict[tuple[str, ...], set[str]]
) -> None:
    """Add the names of members that are kept of records, and of their keys, to `names`.

    `place` is the path of the value, with ``[*]`` for each index; the names are by this path.
    """
    if is_array(value):
        for index in range(len(value)) if kept is True else kept or ():
            _collect_names(value[index], _kept_in(kept, index), (*place, "[*]"), names)
        return
    if not is_object(value):
        return
    kept_names = list(value) if kept is True else list(map(str, kept or ()))
    if "[*]" in place:
        key = [name for name in value if name in NAMES][: place[-1] == "[*]"]
        names.setdefault(place, set()).update(kept_names, key)
    for name in kept_names:
        _collect_names(value[name], _kept_in(kept, name), (*place, name), names)


def _kept_in(kept: _Kept, key: str | int) -> _Kept:
    """Return what is kept of a member or item."""
    return kept.get(key) if isinstance(kept, dict) else kept


def _built(
    value: Any, kept: _Kept, place: tuple[str, ...], names: Mapping[tuple[str, ...], set[str]]
) -> Any:
    """Return the part of a value that is kept; of records whose names are known, these members."""
    if is_array(value):
        indexes = kept if isinstance(kept, dict) else range(len(value))
        below = (*place, "[*]")
        return [_built(value[int(n)], _kept_in(kept, int(n)), below, names) for n in indexes]
    if is_object(value):
        chosen = names.get(place, kept if isinstance(kept, dict) else value)
        return {
            name: _built(child, _kept_in(kept, name), (*place, name), names)
            for name, child in value.items()
            if name in chosen
        }
    return value


def outline(value: JsonValue, path: str = "") -> Iterator[str]:
    """Yield a pattern for each leaf of a value; `path` is the pattern of the value itself.

    Of an array, only the first item is looked at. Members whose names cannot be in a note are left
    out.

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
