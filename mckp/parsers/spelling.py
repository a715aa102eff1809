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
            text = _cached_encoder(self.indent, self.spaced).encode(value)
        if self.js:
            text = _EXPONENT.sub(_javascript_number, text)
        if self.slashes:
            text = text.replace("/", "\\/")
        if self.html:
            text = _HTML.sub(_escaped_character, text)
        if self.ascii:
            text = _HIGH.sub(_escaped_character, text)
        return f"{text}\n" if self.newline else text

    def read(self, text: str) -> JsonValue:
        """Return the array or object in a text of exactly this spelling, or None.

        None means that the text is not JSON of this spelling, has an empty array or object, or is
        nested too deeply.
        """
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
        flags = (self.spaced, self.indent == _TABS, *self[2:])
        return " ".join(
            words + [word for word, is_named in zip(_WORDS, flags, strict=True) if is_named]
        )


@cache
def _cached_encoder(indent: int, spaced: bool) -> json.JSONEncoder:
    """Return a JSON encoder; it is cached, since `json.dumps` would make one for each call."""
    separators = (",", ": ") if indent else (", ", ": ") if spaced else (",", ":")
    json_indent = None if not indent else "\t" if indent == _TABS else indent
    return json.JSONEncoder(ensure_ascii=False, indent=json_indent, separators=separators)


def _escaped_character(match: re.Match[str]) -> str:
    r"""Return the escape of a character, such as ``\u00e9``; two escapes beyond U+FFFF."""
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


def _javascript_number(match: re.Match[str]) -> str:
    """Return a number with an exponent as JavaScript writes it (ECMA-262, Number::toString).

    A string that the pattern matches instead is returned unchanged.
    """
    if match[4] is None:
        return match[0]
    sign, digits, exponent = match[1], match[2] + (match[3] or ""), int(match[4])
    if -7 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 0 <= exponent < 21:
        whole = digits.ljust(exponent + 1, "0")
        return (
            sign
            + whole[: exponent + 1]
            + ("." if whole[exponent + 1 :] else "")
            + whole[exponent + 1 :]
        )
    fraction = f".{match[3]}" if match[3] else ""
    return f"{sign}{match[2]}{fraction}e{exponent:+d}"


def read_spelling(words: str) -> Spelling | None:
    """Parse the words of a spelling, as `Spelling` writes them; return None for any other words.

    Examples
    --------
    >>> str(read_spelling("indent=2 ascii")), str(read_spelling("")), read_spelling("big")
    ('indent=2 ascii', '', None)
    """
    word_list = words.split(" ") if words else []
    indent = _INDENT_WORD.fullmatch(word_list[0]) if word_list else None
    flags = {word: word in word_list for word in _WORDS if word != "tabs"}
    spelling = Spelling(int(indent[1]) if indent else _TABS if "tabs" in word_list else 0, **flags)
    return spelling if str(spelling) == words else None


def may_be_data(text: str) -> bool:
    """Whether a text may be an array or object, judged by its length and its ends."""
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
    r"""Return the spelling that several texts may share, or None if no examined text is data.

    A few texts are examined, and those with escapes or unusual floats first of all, since a text
    without special characters does not show how they are escaped. So the spelling of the other
    texts has to be checked; see `Spelling.read`.

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
    flags = ("python", "js", "ascii", "html", "slashes")
    return spellings[0]._replace(
        **{flag: any(getattr(spelling, flag) for spelling in spellings) for flag in flags}
    )


def _likely_spellings(text: str) -> Iterator[Spelling]:
    """Yield the spellings that a text may have, as its beginning and characters suggest."""
    if not may_be_data(text):
        return
    indented = _INDENTED.match(text)
    flags = {
        "ascii": text.isascii() and "\\u" in text,
        "html": "\\u003" in text or "\\u0026" in text or "\\u202" in text,
        "slashes": "\\/" in text,
        "newline": text.endswith("\n"),
    }
    if indented:
        indent = _TABS if indented[1] == "\t" else len(indented[1])
        bases = [Spelling(indent, **flags)]
    else:
        spaced, compact = Spelling(spaced=True, **flags), Spelling(**flags)
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
