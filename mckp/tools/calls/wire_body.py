"""What stands in a call of the wire form, after its name: ``key=value a.b="x y"`` or an object."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any, Final

from mckp.jsontext import is_object
from mckp.tools.calls.paths import put, steps
from mckp.tools.calls.schema import Place
from mckp.tools.calls.values import bracketed_at, exact_or_loose, skip
from mckp.tools.calls.words import SyntaxProblem, some, string_at, typed

_STEP: Final = re.compile(r"[^\s=:.\"'<>{}\[\](),]+(?::[^\s=:.\"'<>{}\[\](),]+(?=\s*=))*+")
"""One step of a path; a colon is part of it where an equals sign comes after."""
_SEPARATOR: Final = re.compile(r"\s*[=:]\s*")
_WORD: Final = re.compile(r"\S*")
_AFTER: Final = re.compile(r"\s|\Z")


def read_wire(body: str, place: Place) -> dict[str, Any]:
    """Return the arguments of a call in the wire form.

    Examples
    --------
    >>> read_wire("to=alice@example.com options.copies=[1, 2]", Place(None))
    {'to': 'alice@example.com', 'options': {'copies': [1, 2]}}
    """
    at = skip(body, 0)
    if body.startswith("{", at):
        return read_object(body, at, place)
    arguments: dict[str, Any] = {}
    made: set[int] = set()
    while at < len(body):
        path, at = _path(body, at, place)
        value, at = _value(body, at, reduce(Place.member, path, place), ".".join(path))
        put(arguments, path, value, made)
        at = skip(body, at)
    return arguments


def read_object(body: str, at: int, place: Place) -> dict[str, Any]:
    """Return the object of all arguments that is the rest of a body."""
    value, end = exact_or_loose(body, at, place)
    rest = body[end:].strip()
    if rest:
        raise SyntaxProblem(f"nothing may follow the object of arguments: {some(rest)}")
    if not is_object(value):
        raise SyntaxProblem(f"arguments are an object, not {some(body[at:])}")
    return value


def _path(body: str, at: int, place: Place) -> tuple[tuple[str, ...], int]:
    """Return the path before an equals sign, and the place after the sign."""
    begin, keys, quoted = at, list[str](), False
    while not keys or body.startswith(".", at):
        key, at, quotes = _key(body, at + bool(keys))
        keys.append(key)
        quoted |= quotes
    separator = _SEPARATOR.match(body, at)
    if separator is None:
        alone = some(body[begin:at])
        raise SyntaxProblem(f"{alone} stands alone; write key=value, texts with blanks in quotes")
    return tuple(keys) if quoted else steps(keys, place), separator.end()


def _key(body: str, at: int) -> tuple[str, int, bool]:
    """Return a step of a path, the place after it, and whether it was in quotes."""
    if body.startswith(('"', "'"), at):
        return *string_at(body, at), True
    match = _STEP.match(body, at)
    if match is None:
        raise SyntaxProblem(f"a name is missing before {some(body[at:])}; write key=value")
    return match[0], match.end(), False


def _value(body: str, at: int, place: Place, name: str) -> tuple[Any, int]:
    """Return the value after an equals sign, and the place after it."""
    if body.startswith(('"', "'"), at):
        value, end = string_at(body, at)
        if body[end : end + 1].strip():
            raise SyntaxProblem(f"{name} goes on after its closing quote: {some(body[end:])}")
        return value, end
    if body.startswith(("[", "{"), at):
        return bracketed_at(body, at, place, _AFTER, _word_end)
    end = _word_end(body, at)
    if end == at:
        raise SyntaxProblem(f'{name} has no value; write {name}="" for an empty text')
    return typed(body[at:end], place), end


def _word_end(body: str, at: int) -> int:
    match = _WORD.match(body, at)
    return at if match is None else match.end()
