"""The text within a call as arguments: the wire form, our own form, and values in brackets."""

from __future__ import annotations

import json
import re
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import MAX_DEPTH, depth_of, is_object
from mckp.tools.calls.grammar import (
    HALF_A_PAIR,
    SPREAD,
    SyntaxProblem,
    number,
    some,
    string_at,
    typed,
)
from mckp.tools.calls.validate import Place
from mckp.tools.schema import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool

_BLANKS: Final = re.compile(r"\s*")
_PUNCTUATION: Final = re.compile(r"[,()\[\]{}]")
_MEMBER_KEY: Final = re.compile(r"[^\s,:={}\[\]()\"']+")
_MEMBER_SEPARATOR: Final = re.compile(r"\s*[:=]\s*")
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_DEEP: Final = f"arrays and objects are nested deeper than {MAX_DEPTH}"


def strict_at(text: str, at: int) -> tuple[Any, int] | None:
    """Return the strict JSON that begins at a place, and the place after it, None for none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        return None
    except RecursionError:
        raise SyntaxProblem(_TOO_DEEP) from None
    if _ESCAPED_SURROGATE.search(text, at, end) is not None:
        _check_pairs(value)
    if text.count("[", at, end) + text.count("{", at, end) > MAX_DEPTH < depth_of(value):
        raise SyntaxProblem(_TOO_DEEP)
    return value, end


def _check_pairs(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SyntaxProblem(HALF_A_PAIR) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise SyntaxProblem(f"{next(key for key in keys if keys.count(key) > 1)} is given twice")
    return members


def _refused(word: str) -> Any:
    # Python's reader knows NaN; here it is a word like any other, and those are `value_at`'s.
    raise ValueError(word)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=number, parse_float=number, parse_constant=_refused
)


def exact_or_loose(text: str, at: int, place: Place) -> tuple[Any, int]:
    """Return the array or object that begins at a place, and the place after it.

    Strict JSON is taken as it is; in all else, what the schema says counts.
    """
    return strict_at(text, at) or value_at(text, at, place)


def _argument(
    text: str, at: int, place: Place, name: str, word_end: Callable[[str, int], int]
) -> tuple[Any, int]:
    """Return the value of an argument, and the place after it."""
    if text.startswith(('"', "'"), at):
        return string_at(text, at)
    end = at
    if text.startswith(("[", "{"), at):
        # A bracket may begin a word, where only a string may stand or the word goes on after it.
        only_text = place.only_text()
        try:
            value, end = exact_or_loose(text, at, place)
        except SyntaxProblem:
            if not only_text:
                raise
        else:
            if not only_text and not text[end : word_end(text, end)].strip():
                return value, end
    end = word_end(text, end)
    word = text[at:end].rstrip()
    if not word:
        sign = f"{name}=" if word_end is _blank_end else ""
        raise SyntaxProblem(f'{name} has no value; write {sign}"" for an empty text')
    return typed(word, place), end


def skip(text: str, at: int) -> int:
    """Return the place of the next character that is no blank."""
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def value_at(text: str, at: int, place: Place, depth: int = 0) -> tuple[Any, int]:
    """Return the value that begins at a place, and the place after it.

    Examples
    --------
    >>> from mckp.tools.calls.validate import Place
    >>> value_at("[x, 'y z', {a: 1}], b", 0, Place(None))
    (['x', 'y z', {'a': 1}], 18)
    """
    mark = text[at : at + 1]
    if depth > MAX_DEPTH:
        raise SyntaxProblem(_TOO_DEEP)
    if mark in ('"', "'"):
        return string_at(text, at)
    if mark == "[":
        return _array(text, at + 1, place, depth + 1)
    if mark == "{":
        return _object(text, at + 1, place, depth + 1)
    return _word(text, at, place)


def _array(text: str, at: int, place: Place, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = skip(text, at)
    while text[at : at + 1] != "]":
        item, at = value_at(text, at, place.item(len(items)), depth)
        items.append(item)
        at = _next(text, at, "]")
    return items, at + 1


def _object(text: str, at: int, place: Place, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    at = skip(text, at)
    while text[at : at + 1] != "}":
        key, at = key_at(text, at)
        separator = _MEMBER_SEPARATOR.match(text, at)
        if separator is None:
            raise SyntaxProblem(f"a colon is missing after {key} in an object")
        if key in members:
            raise SyntaxProblem(f"{key} is given twice")
        members[key], at = value_at(text, separator.end(), place.member(key), depth)
        at = _next(text, at, "}")
    return members, at + 1


def key_at(
    text: str, at: int, word: re.Pattern[str] = _MEMBER_KEY, advice: str = ""
) -> tuple[str, int]:
    """Return the key that begins at a place, and the place after it."""
    if text[at : at + 1] in ('"', "'"):
        return string_at(text, at)
    match = word.match(text, at)
    if match is None:
        raise SyntaxProblem(f"a name is missing before {some(text[at:])}{advice}")
    return match[0], match.end()


def _next(text: str, at: int, closing: str) -> int:
    """Return the place of the next item or of the closing bracket."""
    at = skip(text, at)
    mark = text[at : at + 1]
    if mark == ",":
        return skip(text, at + 1)
    if mark != closing:
        found = f"before {some(text[at:])}" if mark else "at the end"
        raise SyntaxProblem(f"a comma or {closing} is missing {found}")
    return at


def _word(text: str, at: int, place: Place) -> tuple[Any, int]:
    end = word_end(text, at)
    word = text[at:end].rstrip()
    if not word:
        raise SyntaxProblem(f"a value is missing before {some(text[at:])}")
    return typed(word, place), end


def word_end(text: str, at: int) -> int:
    """Return where a word ends: at a comma or a closing bracket that is not its own."""
    depth = 0
    for match in _PUNCTUATION.finditer(text, at):
        if match[0] in "([{":
            depth += 1
        elif not depth:
            return match.start()
        elif match[0] != ",":
            depth -= 1
    return len(text)


_STEP: Final = re.compile(r"[^\s=:.\"'<>{}\[\](),]+(?::[^\s=:.\"'<>{}\[\](),]+(?=\s*=))*+")
"""One step of a path; a colon is part of it where an equals sign comes after."""
_WIRE_SEPARATOR: Final = re.compile(r"\s*[=:]\s*")
_WORD: Final = re.compile(r"\S*")


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
        name = ".".join(path)
        value, at = _argument(body, at, reduce(Place.member, path, place), name, _blank_end)
        if body[at : at + 1].strip():
            raise SyntaxProblem(f"{name} goes on after its closing quote: {some(body[at:])}")
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
        at += bool(keys)
        quoted |= body.startswith(('"', "'"), at)
        key, at = key_at(body, at, _STEP, "; write key=value")
        keys.append(key)
    separator = _WIRE_SEPARATOR.match(body, at)
    if separator is None:
        alone = some(body[begin:at])
        raise SyntaxProblem(f"{alone} stands alone; write key=value, texts with blanks in quotes")
    return tuple(keys) if quoted else steps(keys, place), separator.end()


def _blank_end(body: str, at: int) -> int:
    match = _WORD.match(body, at)
    return at if match is None else match.end()


_ARGUMENT_NAME: Final = re.compile(r"([^\s,:={}\[\]()\"'*]+)\s*(?:=(?!=)|:(?=[\s\"'\[{]))\s*")
_EQUALS: Final = re.compile(r"\s*[=:]\s*")


def read_native(body: str, place: Place) -> dict[str, Any]:
    """Return the arguments of a call in our own form.

    Examples
    --------
    >>> from mckp.tools.calls.validate import Place
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
        arguments[key], at = _argument(body, at, place.member(key), key, word_end)
        at = _comma(body, at, key)
    return arguments


def parameters(place: Place) -> tuple[str, ...] | None:
    """Return the parameters in order, None where no schema tells them."""
    known = is_object(place.schema) and is_object(place.schema.get("properties"))
    return tuple(members(place.schema)) if known else None


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
    match = _ARGUMENT_NAME.match(body, at)
    return (None, at) if match is None else (match[1], match.end())


def _comma(body: str, at: int, name: str) -> int:
    """Return the place of the next argument, after a comma, or of the end."""
    at = skip(body, at)
    if at < len(body) and body[at] != ",":
        raise SyntaxProblem(f"a comma is missing after {name}, before {some(body[at:])}")
    return skip(body, at + 1)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_body(body: str, form: Form, tool: Tool | None) -> dict[str, Any]:
    """Return the arguments that the body of a call gives.

    Raises
    ------
    SyntaxProblem
        If it is no body of a call, with what to do.
    """
    if not body.isascii() and _SURROGATE.search(body) is not None:
        raise SyntaxProblem("half of a surrogate pair is no character")
    place = Place(None if tool is None else tool.parameters)
    if form == "native":
        return read_native(body, place)
    if body.startswith("(") and body.rstrip().endswith(")"):
        # A model that mixes up both forms.
        return read_native(body.rstrip()[1:-1], place)
    return read_wire(body, place)


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
    >>> from mckp.tools.calls.validate import Place
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
    for depth, key in enumerate(above):
        if key not in arguments:
            arguments[key] = {}
            made.add(id(arguments[key]))
        arguments = arguments[key]
        if id(arguments) not in made:
            raise SyntaxProblem(f"{'.'.join(path[: depth + 1])} is given as a value and in parts")
    if last in arguments:
        parts = " and in parts" if id(arguments[last]) in made else ""
        raise SyntaxProblem(f"{'.'.join(path)} is given twice{parts and ', as a value' + parts}")
    arguments[last] = value
