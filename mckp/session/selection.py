"""What a pattern names in data: one value, or a list of what stands at several places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.errors import PathError
from mckp.jsontext import is_array, is_object
from mckp.paths import content_at, missing
from mckp.weights.patterns import Wild, read_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.paths import Path
    from mckp.weights.patterns import Step


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
        if is_at(step, key, value):
            yield (*path, key), child


def members(value: Any) -> Iterable[tuple[str | int, Any]]:
    if is_object(value):
        return list(value.items())
    return list(enumerate(value)) if is_array(value) else []


def is_at(step: Step | slice, key: str | int, value: Any) -> bool:
    if isinstance(step, slice):
        return isinstance(key, int) and key in range(*step.indices(len(value)))
    return step is Wild.STEP or (step is Wild.ELEMENT and isinstance(key, int)) or step == key
