"""``prose``: a flat value as one sentence, a string of several lines as it is.

An object reads ``name is Ann; age is 7.``, an array ``red; green; 3.``. A string of
several lines is written as it is, and the header says how many lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format, shape_of
from mckp.encoders.scalars import is_bare, read_key, read_value, write_key
from mckp.jsontext import STRING, dump, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_IS = " is "
_END = r"(?:; (?!\Z)|\.\Z)"
_ITEM = regex(rf"()({STRING}|[^;]+?){_END}")
_MEMBER = regex(rf"({STRING}|.+?){_IS}({STRING}|[^;]+?){_END}")


def body(value: object) -> Body | None:
    """Write a flat object or array as a sentence, and a string of several lines as it is.

    Returns None for any other value.
    """
    if isinstance(value, str):
        return Body(shape_of(value), value + "\n") if "\n" in value else None
    if not is_container(value) or not value:
        return None
    if any(map(is_container, value.values() if is_object(value) else value)):
        return None
    if is_object(value):
        parts = [f"{_key_words(key)}{_IS}{_value_words(item)}" for key, item in value.items()]
    else:
        parts = list(map(_value_words, value))
    return Body(shape_of(value), f"{'; '.join(parts)}.\n")


def _key_words(key: str) -> str:
    """Return a name as words, or as JSON if it would not read back."""
    text = write_key(key)
    return dump(key) if _IS in f"{text} " else text


def _value_words(value: object) -> str:
    """Return a value as words, or as JSON if it would not read back."""
    if isinstance(value, str) and is_bare(value) and ";" not in value and value[-1] != ".":
        return value
    return dump(value)


def read(lines: Lines, header: Header) -> Any:
    """Read the value; fail if it does not have as many parts or lines as its header says."""
    bracket, count = header.bracket, header.size
    if bracket == "(":
        return "\n".join(lines.take() for _ in range(count))
    sentence, place = lines.take(), 0
    parts: list[tuple[str, Any]] = []
    while place < len(sentence):
        match = (_MEMBER if bracket == "{" else _ITEM).match(sentence, place)
        if match is None:
            lines.fail("a sentence such as 'name is Ann; age is 7.' was expected")
        parts.append((match[1], read_value(match[2])))
        place = match.end()
    if len(parts) != count:
        lines.fail(f"a sentence of {count} parts was expected")
    if bracket == "[":
        return [value for _, value in parts]
    members = {read_key(key): value for key, value in parts}
    return members if len(members) == count else lines.fail("a name occurs twice")


PROSE = Format("prose", DataLoss.NONE, body, read)
