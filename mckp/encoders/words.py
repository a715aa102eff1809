"""How the native formats write a scalar or a name as one word.

A word ends at a blank, a bracket or a semicolon, so a string is bare if it has none of
them and looks like nothing else; all other strings are JSON. ``-`` is no value at all, and
``…`` is one that was cut.
"""

from __future__ import annotations

from typing import Final

from mckp.jsontext import LITERAL, dump
from mckp.regexes import regex

ABSENT_WORD: Final = "-"
"""Stands where a record lacks a column."""

CUT_WORD: Final = "…"
"""Stands where the value of a record was cut but others of its column were kept."""

GAP: Final = rf"{CUT_WORD}[0-9]{{1,18}}(?:-[0-9]{{1,18}})?"
"""Stands for the items of an array with these numbers, which were cut, as a regular expression."""

NO_WORD: Final = rf"[{ABSENT_WORD}{CUT_WORD}]"
"""Either of them, as a regular expression."""

# URL templates such as /keys{/key_id} are common, and their brackets are in pairs.
_PART = r"[^\s\"\\{}\[\];\x00-\x1f\x7f\ud800-\udfff]"
_BALANCED = rf"(?:{_PART}++|\{{{_PART}*+\}}|\[{_PART}*+\])*+"
WORD: Final = rf"(?:{_PART}){_BALANCED}"
"""A bare word, whatever it means, as a regular expression."""

NAME: Final = r"[^\s\"\\{}\[\]();=?<>*@,~\x00-\x1f\x7f][^\s\"\\{}\[\]();=?<>*,~\x00-\x1f\x7f]*+"
"""A bare name of a member, as a regular expression."""

CELL_END: Final = r"(?=[ \t;\]}]|\Z)"
"""What follows a cell, as a regular expression."""

# Not a literal, not the sign for no value or for a row's name, and none of the prefixes that
# mean something, such as the count of a table; no literal before a comma either, so that
# [1,2] is JSON and nothing else.
_ELSE = rf"(?:{LITERAL})(?:,|\Z)|(?:[-@…]|{GAP})\Z|=|<[0-9]+\Z|[0-9]+\{{"
_BARE = regex(rf"(?!{_ELSE}){WORD}")
WORDS: Final = regex("(?:(?!{}){}\n)*+".format(_ELSE.replace(r"\Z", r"\n"), WORD))
"""Lines of bare words."""
_BARE_NAME = regex(NAME)


def write_gap(first: int, last: int) -> str:
    """Return the sign for the items of an array that were cut, from `first` to `last`."""
    return f"{CUT_WORD}{first}" if first == last else f"{CUT_WORD}{first}-{last}"


def is_word(text: str) -> bool:
    """Whether a string can be written bare, since it cannot mean anything else.

    Examples
    --------
    >>> [is_word(text) for text in ("open", "a{/b}", "two words", "1", "-", "x;y", "")]
    [True, True, False, False, False, False, False]
    """
    return _BARE.fullmatch(text) is not None


def write_name(key: str) -> str:
    """Return the name of a member as a bare word, or as JSON if it would be misread."""
    if key.isascii() and key.isidentifier():  # most names: faster than the pattern
        return key
    return key if _BARE_NAME.fullmatch(key) else dump(key)
