"""What stands in a call of our own form: ``Austin,"New York",units=metric``, or an object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_object
from mckp.tools.calls.grammar import SPREAD
from mckp.tools.calls.values import bracketed_at, skip, word_end
from mckp.tools.calls.wire_body import read_object
from mckp.tools.calls.words import SyntaxProblem, some, string_at, typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.tools.calls.schema import Place

_KEY: Final = re.compile(r"([^\s,:={}\[\]()\"'*]+)\s*(?:=(?!=)|:(?=[\s\"'\[{]))\s*")
_AFTER: Final = re.compile(r"\s*(?:,|\Z)")
_EQUALS: Final = re.compile(r"\s*[=:]\s*")


def read_native(body: str, place: Place) -> dict[str, Any]:
    """Return the arguments of a call in our own form.

    Examples
    --------
    >>> from mckp.tools.calls.schema import Place
    >>> place = Place({"properties": {"city": {}, "units": {}}})
    >>> read_native('"New York", units=metric', place)
    {'city': 'New York', 'units': 'metric'}
    """
    at = skip(body, 0)
    if body.startswith(SPREAD, at):
        return read_object(body, skip(body, at + len(SPREAD)), place)
    arguments: dict[str, Any] = {}
    order, named = parameters(place), False
    while at < len(body):
        key, at = _name(body, at)
        if key is None:
            key = _next_parameter(order, len(arguments), named)
        else:
            named = True
        if key in arguments:
            raise SyntaxProblem(f"{key} is given twice")
        arguments[key], at = _value(body, at, place.member(key), key)
        at = _comma(body, at, key)
    return arguments


def parameters(place: Place) -> tuple[str, ...] | None:
    """Return the parameters in order, None where no schema tells them."""
    properties = place.schema.get("properties") if is_object(place.schema) else None
    return tuple(properties) if is_object(properties) else None


def _next_parameter(order: Sequence[str] | None, number: int, named: bool) -> str:
    """Return the parameter that a value without a name is for."""
    if named:
        raise SyntaxProblem("a value without a name stands after one with a name; write key=value")
    if order is None:
        raise SyntaxProblem("values need names, as in key=value: no parameters are known")
    if number >= len(order):
        raise SyntaxProblem(f"{number + 1} values, but there are {len(order)} parameters")
    return order[number]


def _name(body: str, at: int) -> tuple[str | None, int]:
    """Return the name of the argument that begins at a place, if it has one."""
    if body.startswith(('"', "'"), at):
        key, end = string_at(body, at)
        equals = _EQUALS.match(body, end)
        return (None, at) if equals is None else (key, equals.end())
    match = _KEY.match(body, at)
    return (None, at) if match is None else (match[1], match.end())


def _value(body: str, at: int, place: Place, name: str) -> tuple[Any, int]:
    if body.startswith(('"', "'"), at):
        return string_at(body, at)
    if body.startswith(("[", "{"), at):
        return bracketed_at(body, at, place, _AFTER, word_end)
    end = word_end(body, at)
    word = body[at:end].rstrip()
    if not word:
        raise SyntaxProblem(f'{name} has no value; write "" for an empty text')
    return typed(word, place), end


def _comma(body: str, at: int, name: str) -> int:
    """Return the place of the next argument, after a comma, or of the end."""
    at = skip(body, at)
    if at < len(body) and body[at] != ",":
        raise SyntaxProblem(f"a comma is missing after {name}, before {some(body[at:])}")
    return skip(body, at + 1)
