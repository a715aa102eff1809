"""``prose``: a flat value as one sentence, a long string as its own lines.

An object reads ``name is Ann; age is 7.``, an array ``red; green; 3.``. A string of
several lines stands as it is, and the header says how many lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.scalars import is_bare, read_key, read_value, write_key
from mckp.jsontext import STRING, dump, is_array, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_IS = " is "
_QUOTED = regex(STRING)
_BARE = regex(r"[^;]*?(?=; |\.\Z)")


def body(value: Any) -> Body | None:
    """Write a flat object or array, or a string of several lines."""
    if isinstance(value, str):
        return _lines(value) if "\n" in value else None
    if is_object(value) and _flat(value.values()):
        text = "; ".join(f"{_key(key)}{_IS}{_value(item)}" for key, item in value.items())
        return Body(f"{{{len(value)}}}", text + ".\n")
    if is_array(value) and _flat(value):
        text = "; ".join(_value(item) for item in value)
        return Body(f"[{len(value)}]", text + ".\n")
    return None


def _lines(text: str) -> Body:
    return Body(f"({text.count(chr(10)) + 1})", text + "\n")


def _flat(values: Collection[Any]) -> bool:
    return bool(values) and not any(map(is_container, values))


def _key(key: str) -> str:
    text = write_key(key)
    return dump(key) if _IS in f"{text} " else text


def _value(value: Any) -> str:
    if isinstance(value, str) and is_bare(value) and ";" not in value and value[-1] != ".":
        return value
    return dump(value)


def read(lines: Lines, header: Header) -> Any:
    """Read the value back."""
    bracket, count = header.bracket, header.size
    if bracket == "(":
        return "\n".join(lines.take() for _ in range(count))
    sentence = lines.take()
    parts = list(_parts(sentence, count, bracket == "{", lines))
    if bracket == "[":
        return [value for _, value in parts]
    members = {read_key(key): value for key, value in parts}
    return members if len(members) == count else lines.fail("a name stands twice")


def _parts(sentence: str, count: int, named: bool, lines: Lines) -> Iterator[tuple[str, Any]]:
    place, key = 0, ""
    for number in range(1, count + 1):
        if named:
            key, place = _until(sentence, place, _IS, lines)
        text, place = _until(sentence, place, "", lines)
        end = "; " if number < count else "."
        if not sentence.startswith(end, place) or not text:
            lines.fail(f"a sentence of {count} parts was expected")
        place += len(end)
        yield key, read_value(text)
    if place != len(sentence):
        lines.fail(f"a sentence of {count} parts was expected")


def _until(sentence: str, place: int, end: str, lines: Lines) -> tuple[str, int]:
    """Return the key or value at a place, and the place after it and its `end`."""
    if match := _QUOTED.match(sentence, place):
        return match[0], match.end() + len(end)
    if end and (stop := sentence.find(end, place)) >= 0:
        return sentence[place:stop], stop + len(end)
    if not end and (match := _BARE.match(sentence, place)):
        return match[0], match.end()
    return lines.fail("a sentence such as 'name is Ann; age is 7.' was expected")


PROSE = Format("prose", DataLoss.NONE, body, read)
