"""Values in brackets: JSON, and what is nearly JSON.

Strings may be bare words or in single quotes, keys bare, blanks anywhere, ``True`` and ``None``
are known, and a comma may stand before the closing bracket.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import MAX_DEPTH, depth_of
from mckp.tools.calls.schema import only_text
from mckp.tools.calls.words import HALF_A_PAIR, SyntaxProblem, number, some, string_at, typed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.tools.calls.schema import Place

_BLANKS: Final = re.compile(r"\s*")
_PUNCTUATION: Final = re.compile(r"[,()\[\]{}]")
_KEY: Final = re.compile(r"[^\s,:={}\[\]()\"']+")
_SEPARATOR: Final = re.compile(r"\s*[:=]\s*")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_DEEP: Final = f"arrays and objects are nested deeper than {MAX_DEPTH}"


def strict_at(text: str, at: int) -> tuple[Any, int] | None:
    """Return the strict JSON that begins at a place, and the place after it, None for none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        return None
    except RecursionError:
        raise SyntaxProblem(_TOO_DEEP) from None
    if _SURROGATE.search(text, at, end) is not None:
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


def bracketed_at(
    text: str,
    at: int,
    place: Place,
    after: re.Pattern[str],
    word_end: Callable[[str, int], int],
) -> tuple[Any, int]:
    """Return what begins with a bracket, and the place after it.

    That is an array or object; or, where only a string may stand, or where something else than
    `after` follows, the word that it is the beginning of.
    """
    try:
        value, end = exact_or_loose(text, at, place)
    except SyntaxProblem:
        if not only_text(place):
            raise
        value, end = None, at
    if not only_text(place) and after.match(text, end):
        return value, end
    end = word_end(text, end)
    return typed(text[at:end].rstrip(), place), end


def skip(text: str, at: int) -> int:
    """Return the place of the next character that is no blank."""
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def value_at(text: str, at: int, place: Place, depth: int = 0) -> tuple[Any, int]:
    """Return the value that begins at a place, and the place after it.

    Examples
    --------
    >>> from mckp.tools.calls.schema import Place
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
        separator = _SEPARATOR.match(text, at)
        if separator is None:
            raise SyntaxProblem(f"a colon is missing after {key} in an object")
        if key in members:
            raise SyntaxProblem(f"{key} is given twice")
        members[key], at = value_at(text, separator.end(), place.member(key), depth)
        at = _next(text, at, "}")
    return members, at + 1


def key_at(text: str, at: int) -> tuple[str, int]:
    """Return the key that begins at a place, and the place after it."""
    if text[at : at + 1] in ('"', "'"):
        return string_at(text, at)
    match = _KEY.match(text, at)
    if match is None:
        raise SyntaxProblem(f"a name is missing before {some(text[at:])}")
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
        mark = match[0]
        if mark in "([{":
            depth += 1
        elif mark == ",":
            if not depth:
                return match.start()
        elif not depth:
            return match.start()
        else:
            depth -= 1
    return len(text)
