"""A list or dictionary as Python prints it, on one line."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, dump, is_container, is_json, load
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from re import Match

_REPR: Final = regex(r"[\[{]\s*(?:[\[{]\s*)*(?:'|\"|\}|\]|[-0-9TFN])")


_LITERAL: Final = regex(
    r"'([^'\\]*(?:\\[\s\S][^'\\]*)*)(?:'|\\?\Z)"
    r'|"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?\Z)'
    r"|\b(?:True|False|None)\b"
)
"""A string, which may be unclosed so that none is looked at twice, or a word."""
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def is_known(words: Iterable[str]) -> bool:
    """Whether the words are those of this form: ``open`` or none."""
    return set(words) <= {"open"}


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    """Read a text that is the ``repr`` of a Python list or dictionary; None for other texts."""
    if _REPR.match(text) is None or text.count("\n") > 1 or is_json(text):
        return None
    body = text.removesuffix("\n")
    try:
        value = load(_LITERAL.sub(_as_json, body))
    except (ValueError, SyntaxError, RecursionError, TypeError):  # the last for lone surrogates
        return None
    return (value, () if body != text else ("open",)) if is_container(value) else None


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return data as Python prints it."""
    return repr(value)


def _as_json(match: Match[str]) -> str:
    """Return a string or word of Python as JSON.

    Whether Python writes the value like this is checked later, when the whole text is compared.
    """
    text, single_quoted = match[0], match[1]
    if single_quoted is None:
        return _WORDS[text] if text in _WORDS else dump(ast.literal_eval(text))
    return (
        dump(ast.literal_eval(text))
        if "\\" in single_quoted
        else '"' + single_quoted.replace('"', '\\"') + '"'
    )
