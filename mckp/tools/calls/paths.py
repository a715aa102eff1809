"""Dotted paths: ``profile.address.city=Austin`` and the objects that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_object
from mckp.tools.calls.words import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.tools.calls.schema import Place


def flattened(members: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """Yield all that is in nested objects with its path; empty objects are values.

    Examples
    --------
    >>> list(flattened({"a": {"b": 1, "c": {}}, "d": [2]}))
    [(('a', 'b'), 1), (('a', 'c'), {}), (('d',), [2])]
    """
    for key, value in members.items():
        if is_object(value) and value:
            yield from flattened(value, (*path, key))
        else:
            yield (*path, key), value


def steps(words: Sequence[str], place: Place) -> tuple[str, ...]:
    """Return the keys of a path whose words stood between dots.

    Where a schema declares a member whose own name has dots, the words are that name.

    Examples
    --------
    >>> from mckp.tools.calls.schema import Place
    >>> steps(["a", "b", "c"], Place({"properties": {"a.b": {}}}))
    ('a.b', 'c')
    """
    if len(words) < 2:
        return tuple(words)
    size = next((n for n in range(len(words), 1, -1) if place.names(".".join(words[:n]))), 1)
    key = ".".join(words[:size])
    return (key, *steps(words[size:], place.member(key)))


def put(arguments: dict[str, Any], path: Sequence[str], value: Any, made: set[int]) -> None:
    """Set what is at a path, with the objects on the way; `made` knows those by their ids."""
    *above, last = path
    for number, key in enumerate(above):
        if key not in arguments:
            arguments[key] = {}
            made.add(id(arguments[key]))
        arguments = arguments[key]
        if id(arguments) not in made:
            raise SyntaxProblem(f"{'.'.join(path[: number + 1])} is given as a value and in parts")
    if last in arguments:
        parts = " and in parts" if id(arguments[last]) in made else ""
        raise SyntaxProblem(f"{'.'.join(path)} is given twice{parts and ', as a value' + parts}")
    arguments[last] = value
