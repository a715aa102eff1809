r"""The spellings of JSON by programs: the same data, written again, give the same text.

A text is read as data only if one of these spellings gives the exact text. Their writers:

=============  ====================================================================
compact        ``JSON.stringify(x)``, orjson, Go, Rust, PHP
``spaced``     ``json.dumps(x)`` of Python: a blank after each comma and colon
``indent=2``   a line per member and item; this many blanks per level, or ``tabs``
``python``     floats as Python's json writes them, if no blanks show it: ``1e-07``
``js``         floats as JavaScript and Go write them: ``0.000001``, ``1e-7``
``ascii``      ``\u00e9`` for all that is not ASCII: Python by default, PHP
``html``       ``\u003c`` for ``<``, ``>`` and ``&``: Go by default
``slashes``    ``\/`` for ``/``: PHP by default
``newline``    a line feed at the end
=============  ====================================================================
"""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import orjson

from mckp.jsontext import MAX_DEPTH, JsonValue, depth_of, dump_bytes, is_container, load
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence


SHORTEST: Final = 6
"""Fewest characters of a text that is tried."""

_TABS: Final = -1
_INDENTED: Final = regex(r"[\[{]\n( {1,16}|\t)(?=\S)")
_SPACED: Final = regex(r'[\[{]*"(?:[^"\\]|\\.)*+(?:": |", )|\[*+[^"\s,]++, ')
_SMALL: Final = regex(r"[0-9]e[-+][0-9]|[^0-9]0\.0000[0-9]")
"""A possible float that programs write in different ways."""
_HIGH: Final = regex(r"[^\x00-\x7f]")
_HTML: Final = regex("[<>&\u2028\u2029]")
_EXPONENT: Final = regex(r'"(?:[^"\\]|\\.)*+"|(-?)([0-9])(?:\.([0-9]+))?e([-+]?[0-9]+)')
"""A string, or a number with an exponent."""
_WORDS: Final = ("spaced", "tabs", "python", "js", "ascii", "html", "slashes", "newline")
_INDENT_WORD: Final = regex(r"indent=([1-9]|1[0-6])")


class Spelling(NamedTuple):
    """A style in which a program writes JSON, such as its indent and its escapes."""

    indent: int = 0
    """Blanks per level; 0 if all is on one line, -1 for tabs."""
    spaced: bool = False
    python: bool = False
    js: bool = False
    ascii: bool = False
    html: bool = False
    slashes: bool = False
    newline: bool = False

    def write(self, value: JsonValue) -> str:
        """Return data as JSON in this spelling."""
        if self.indent in (0, 2) and not (self.spaced or self.python):
            text = dump_bytes(value, orjson.OPT_INDENT_2 if self.indent else 0).decode()
        else:
            text = _encoder(self.indent, self.spaced).encode(value)
        if self.js:
            text = _EXPONENT.sub(_as_javascript, text)
        if self.slashes:
            text = text.replace("/", "\\/")
        if self.html:
            text = _HTML.sub(_escape, text)
        if self.ascii:
            text = _HIGH.sub(_escape, text)
        return f"{text}\n" if self.newline else text

    def read(self, text: str) -> JsonValue:
        """Parse an array or object in exactly this spelling; return None for other texts."""
        if not may_be_data(text):
            return None
        try:
            value: JsonValue = load(text)
        except (ValueError, RecursionError):  # not JSON, a lone surrogate, or too deep
            return None
        is_data = is_container(value) and value and depth_of(value) <= MAX_DEPTH
        return value if is_data and self.write(value) == text else None

    def __str__(self) -> str:
        words = [f"indent={self.indent}"] if self.indent > 0 else []
        is_so = (self.spaced, self.indent == _TABS, *self[2:])
        return " ".join(
            words + [word for word, is_named in zip(_WORDS, is_so, strict=True) if is_named]
        )


@cache
def _encoder(indent: int, spaced: bool) -> json.JSONEncoder:
    """Return a cached JSON encoder, since `json.dumps` would make a new one for each call."""
    separators = (",", ": ") if indent else (", ", ": ") if spaced else (",", ":")
    by = None if not indent else "\t" if indent == _TABS else indent
    return json.JSONEncoder(ensure_ascii=False, indent=by, separators=separators)


def _escape(match: re.Match[str]) -> str:
    """Return the escape of a character beyond ASCII, as two units if necessary."""
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def _as_javascript(match: re.Match[str]) -> str:
    """Return a number with an exponent as JavaScript writes it (ECMA-262, Number::toString).

    A string is returned as it is.
    """
    if match[4] is None:
        return match[0]
    sign, digits, power = match[1], match[2] + (match[3] or ""), int(match[4])
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    if 0 <= power < 21:
        whole = digits.ljust(power + 1, "0")
        return sign + whole[: power + 1] + ("." if whole[power + 1 :] else "") + whole[power + 1 :]
    fraction = f".{match[3]}" if match[3] else ""
    return f"{sign}{match[2]}{fraction}e{power:+d}"


def read_spelling(words: str) -> Spelling | None:
    """Parse the words of a spelling, as `Spelling` writes them; return None for any other words.

    Examples
    --------
    >>> str(read_spelling("indent=2 ascii")), str(read_spelling("")), read_spelling("big")
    ('indent=2 ascii', '', None)
    """
    listed = words.split(" ") if words else []
    indent = _INDENT_WORD.fullmatch(listed[0]) if listed else None
    flags = {word: word in listed for word in _WORDS if word != "tabs"}
    spelling = Spelling(int(indent[1]) if indent else _TABS if "tabs" in listed else 0, **flags)
    return spelling if str(spelling) == words else None


def may_be_data(text: str) -> bool:
    """Whether a text begins and ends like an array or object, which is a cheap check."""
    return len(text) >= SHORTEST and text[0] in "{[" and text[-1] in "}]\n"


def spelling_of(text: str) -> Spelling | None:
    r"""Return the spelling in which a text is data, or None if there is none.

    Examples
    --------
    >>> str(spelling_of('{"a": 1, "b": "\\u00e9"}')), spelling_of('{"a":1,"a":2}')
    ('spaced ascii', None)
    """
    return next(
        (spelling for spelling in _likely_spellings(text) if spelling.read(text) is not None), None
    )


SAMPLES: Final = 4
"""Most texts of each sort that are examined to find a common spelling."""


_TELLING: Final = regex(r"\\[u/]|[0-9]e[-+]|[^0-9]0\.0000")
"""A sign of how characters are escaped or floats written."""


def common_spelling(texts: Sequence[str]) -> Spelling | None:
    r"""Return the spelling that several texts may share, or None if there is none.

    A text without special characters says nothing about how they are escaped.

    Examples
    --------
    >>> str(common_spelling(['{"a": 1}', r'{"a": "\u00e9"}']))
    'spaced ascii'
    """
    escaped = (text for text in texts if _TELLING.search(text))
    samples = [*texts[:SAMPLES], *islice(escaped, SAMPLES)]
    spellings = list(filter(None, map(spelling_of, samples)))
    if not spellings:
        return None
    signs = ("python", "js", "ascii", "html", "slashes")
    return spellings[0]._replace(
        **{sign: any(getattr(escape_word, sign) for escape_word in spellings) for sign in signs}
    )


def _likely_spellings(text: str) -> Iterator[Spelling]:
    """Yield the spellings that a text may have, by its beginning and its characters."""
    if not may_be_data(text):
        return
    indented = _INDENTED.match(text)
    signs = {
        "ascii": text.isascii() and "\\u" in text,
        "html": "\\u003" in text or "\\u0026" in text or "\\u202" in text,
        "slashes": "\\/" in text,
        "newline": text.endswith("\n"),
    }
    if indented:
        indent = _TABS if indented[1] == "\t" else len(indented[1])
        bases = [Spelling(indent, **signs)]
    else:
        spaced, compact = Spelling(spaced=True, **signs), Spelling(**signs)
        bases = [spaced, compact] if _SPACED.match(text) else [compact, spaced]
    has_floats = _SMALL.search(text) is not None
    for base in bases:
        if has_floats and not base.spaced:
            yield base._replace(js=True)
        if base.ascii and base.html:  # either may account for the escapes
            yield base._replace(ascii=False)
            yield base._replace(html=False)
        yield base
        if base.ascii:
            yield base._replace(ascii=False)
        if base.indent in (0, 2) and not base.spaced:
            yield base._replace(python=True)
