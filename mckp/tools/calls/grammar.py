r"""The marks and words of calls, and what a parser of calls reports.

::

    call   = "<call>" blanks name [ blanks ( pairs | object ) ] "</call>"
    pairs  = [ path "=" value *( blanks path "=" value ) ]
    path   = key *( "." key )                   ; nested objects, one step a key
    value  = string | array | object | word     ; array and object of JSON
    string = '"' … '"' | "'" … "'"              ; escapes of JSON, and \'
    name, key = word | string

A word is ``true``, ``false``, ``null``, a number of JSON, or else a string; a schema may say that
it is a string anyhow. The start of a quoted string is a quote after a blank or one of ``=:,.([{``;
anywhere else a quote is a letter. Blanks are free around punctuation.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.jsontext import NUMBER
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.plain import JsonValue
    from mckp.tools.calls.validate import ArgumentPlace


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text between calls, as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call has begun; a `Call` or a `CallError` follows."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A whole call of a tool."""

    name: str
    arguments: dict[str, Any]
    """Plain values by parameter."""
    source: str = field(default="", compare=False)
    """The text of the call, marks included."""


@dataclass(frozen=True, slots=True)
class CallError:
    """Text that begins like a call but is not valid; nothing in it may be run."""

    name: str | None
    """The tool, if its name could be read."""
    message: str
    """What is wrong, where, and what to do, for a model to read."""
    source: str
    """The text that was read."""


Event: TypeAlias = Text | CallStart | Call | CallError


def source_of(event: Event) -> str:
    """Return the source text of an event; joined over all events, it is the whole input."""
    if isinstance(event, Text):
        return event.text
    return "" if isinstance(event, CallStart) else event.source


OPEN: Final = "<call>"
CLOSE: Final = "</call>"

LONGEST_NAME: Final = 200
"""Characters of the longest name of a tool that is read or written."""

_LETTER: Final = r"[^\s<>\"'=(){}\[\],:\\]"
NAME: Final = regex(rf"{_LETTER}{{1,{LONGEST_NAME}}}(?!{_LETTER})")
"""A name without quotes, to its end."""
_QUOTED: Final = rf'"(?:[^"\\\n]|\\.){{0,{6 * LONGEST_NAME}}}'
QUOTED_NAME: Final = regex(_QUOTED + '"')
QUOTED_NAME_BEGUN: Final = regex(rf"(?:{_QUOTED}\\?)?")
"""What may become a name in quotes, nothing included."""
QUOTE_START: Final = r"(?<=[\s=:,.(\[{])[\"']"
"""A quote that begins a string, where what is before it is known."""
STRING_REST: Final = {
    '"': re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL),
    "'": re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+", re.DOTALL),
}
"""The inside of a string, by its quote."""

SAFE: Final = regex(r"[\w./@+\-?!#$%&*~:;]+")
"""A string that may be without quotes, if it is not read as something else."""
SAFE_KEY: Final = regex(r"[\w$@\-/#+]+")
"""A key that may be without quotes."""
_WORDS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
"""Words that are not strings, with those of Python, which models confuse with ours."""


class SyntaxProblem(Exception):  # noqa: N818 - a finding within a text, not a failure of ours
    """A problem in the text of a call, worded for a model."""


_NUMBER: Final = regex(NUMBER)
_BLANKS: Final = regex(r"\s*")
_ESCAPE: Final = regex(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {
    **{'"': '"', "'": "'", "\\": "\\", "/": "/"},
    **{"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"},
}
SURROGATE: Final = regex("[\ud800-\udfff]")
HALF_A_PAIR: Final = "a lone surrogate is not a character; write both"
LONGEST_NUMBER: Final = sys.int_info.default_max_str_digits
"""Characters of the longest number that Python reads."""


def skip(text: str, at: int) -> int:
    """Return the index of the first non-blank character from `at` on, or of the text's end."""
    match = _BLANKS.match(text, at)
    return at if match is None else match.end()


def plain_value(word: str) -> JsonValue:
    """Return the value of a bare word when no schema says how to read it.

    Raises a `SyntaxProblem` for a number that Python cannot hold.

    Examples
    --------
    >>> [plain_value(word) for word in ("1", "1.0", "-0", "null", "01", "Austin")]
    [1, 1.0, 0, None, '01', 'Austin']
    """
    if word in _WORDS:
        return _WORDS[word]
    return read_number(word) if _NUMBER.fullmatch(word) else word


def read_number(word: str) -> int | float:
    """Read a JSON number; raise `SyntaxProblem` if Python cannot hold it."""
    if len(word) > LONGEST_NUMBER:
        raise SyntaxProblem(f"a number of {len(word)} characters is too long; give it as a string")
    value = int(word) if word.lstrip("-").isdigit() else float(word)
    if isinstance(value, float) and math.isinf(value):
        raise SyntaxProblem(f"{word} is beyond the range of numbers; give it as a string")
    return value


def typed_value(word: str, place: ArgumentPlace) -> JsonValue:
    """Return the value of a bare word: a string if the schema there allows nothing else for it.

    Raises a `SyntaxProblem` as `plain_value` does.

    Examples
    --------
    >>> from mckp.tools.calls.validate import ArgumentPlace
    >>> place = ArgumentPlace({"type": ["string", "null"]})
    >>> typed_value("123", place), typed_value("1", ArgumentPlace({"enum": ["1"]}))
    ('123', '1')
    >>> typed_value("null", place), typed_value("123", ArgumentPlace(None))
    (None, 123)
    """
    if len(word) > LONGEST_NUMBER and place.schema is not None and place.takes(word):
        return word
    value = plain_value(word)
    if isinstance(value, str) or place.schema is None or place.takes(value):
        return value
    return word if place.takes(word) else value


def string_at(text: str, at: int) -> tuple[str, int]:
    """Return the quoted string that begins at an index, and the index after it.

    A quote that is not closed, or half of a surrogate pair, raises a `SyntaxProblem`.
    """
    quote = text[at]
    match = STRING_REST[quote].match(text, at + 1)
    if match is None or text[match.end() : match.end() + 1] != quote:
        raise SyntaxProblem(
            f"the quote {quote} before {beginning_in_quotes(text[at + 1 :])} is never closed"
        )
    return unescape(match[0]), match.end() + 1


def unescape(inside: str) -> str:
    r"""Resolve the escapes in the content of a quoted string.

    A backslash is kept as it is unless it begins a JSON escape or ``\'``. Raises a `SyntaxProblem`
    for half of a surrogate pair.

    Examples
    --------
    >>> unescape(r"C:\\new \d \u00e9")
    'C:\\new \\d é'
    """
    value = _ESCAPE.sub(_escaped_character, inside)
    if SURROGATE.search(value) is None:
        return value
    try:
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise SyntaxProblem(HALF_A_PAIR) from None


def _escaped_character(match: re.Match[str]) -> str:
    """Return the character that an escape means, or the escape itself if it has no meaning."""
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _ESCAPES.get(escape, match[0])


def beginning_in_quotes(text: str, most: int = 20) -> str:
    """Return the first `most` characters of a text in quotes, for a message."""
    return repr(text if len(text) <= most else text[:most] + "…")
