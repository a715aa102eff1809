"""How names, values and prose are spelled: bare where that is clear; where sentences end."""

from __future__ import annotations

import re
from typing import Any, Final

from mckp.jsontext import LITERAL, dump

TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "num",
    "boolean": "bool",
    "null": "null",
    "object": "obj",
    "array": "arr",
}
"""Types of JSON Schema and what they are called here."""

WORDS: Final = frozenset({*TYPES.values(), "any", "anything", "nothing", "none"})
"""What a bare word never is a value for."""

SIGN: Final = "§"
"""Before the number of a shared text."""

CUT: Final = "…"
"""Says in a tool's lines that there is more."""

_BARE: Final = re.compile(r"[^\s\x00-\x1f\x7f\"'`?:=(){}\[\],|^&@~*!…§<>\ufeff]+")
_LITERAL: Final = re.compile(LITERAL)


def is_bare(word: str) -> bool:
    """Whether a name can stand without quotation marks.

    Examples
    --------
    >>> is_bare("per_page"), is_bare("a b"), is_bare("/path"), is_bare("")
    (True, False, False, False)
    """
    return _BARE.fullmatch(word) is not None and word[0] != "/"


def name(word: str) -> str:
    """Return a name as it is spelled."""
    return word if is_bare(word) else quoted(word)


def label(word: str) -> str:
    """Return the name of a member; a string would be taken for a description.

    Examples
    --------
    >>> print(label("page"), label("a b"))
    page ."a b"
    """
    return word if is_bare(word) else f".{quoted(word)}"


def quoted(text: str) -> str:
    """Return a string of JSON on one line, whatever reads lines."""
    return (
        dump(text)
        .replace("\x7f", "\\u007f")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
        .replace("\x85", "\\u0085")
    )


def is_word(text: str) -> bool:
    """Whether a string can stand as a value without quotation marks."""
    return (
        is_bare(text)
        and not all(part in WORDS for part in text.split("/"))
        and _LITERAL.fullmatch(text) is None
        and ".." not in text
    )


def value(data: Any) -> str:
    """Return a value as it is spelled: a bare word, or JSON.

    Examples
    --------
    >>> [value(data) for data in ("open", "1", 1, "str", "a b", ["x"], None)]
    ['open', '"1"', '1', '"str"', '"a b"', '["x"]', 'null']
    """
    if isinstance(data, str):
        return data if is_word(data) else quoted(data)
    return dump(data)


def bare_end(text: str, start: int) -> int:
    """Return where the bare word that begins here ends."""
    found = _BARE.match(text, start)
    return start if found is None else found.end()


def is_raw(text: str) -> bool:
    """Whether prose can stand as it is up to the end of its line."""
    return (
        text.isprintable()
        and text[:1] not in ('"', " ", "")
        and text[-1] not in (" ", CUT)
        and SIGN not in text
    )


def is_block(text: str) -> bool:
    r"""Whether prose can stand as it is between triple quotation marks."""
    return (
        "\n" in text
        and '"""' not in text
        and SIGN not in text
        and text[-1] not in ('"', CUT)
        and all(line.isprintable() for line in text.split("\n"))
    )


def prose(text: str) -> str:
    r'''Return prose as it is spelled at the end of a line.

    Examples
    --------
    >>> print(prose("Of the file."), prose('"x"'), prose("a\nb"))
    Of the file. "\"x\"" """a
    b"""
    '''
    if is_raw(text):
        return text
    return f'"""{text}"""' if is_block(text) else quoted(text)


_END: Final = re.compile(r"""(?:(?<![.!?])[.!?]++["'\u201d\u2019)\]*`]*+(?=\s)|(?=\n))\s+""")
_SHORT: Final = re.compile(
    r"(?:^|[\s(\[\"'])(?:e\.g|i\.e|etc|vs|cf|ca|approx|incl|resp|fig|no|nr|vol|mr|mrs|ms|dr|st)\.$",
    re.IGNORECASE,
)
_LONGEST: Final = len(" approx.")
_SOLID: Final = re.compile(r"\s*+\S")
_START: Final = re.compile(r"[A-Z0-9\"'\u201c\u2018`*(\[#<>|$/_{-]|[^\x00-\x7f]")


def sentences(text: str) -> list[str]:
    r"""Split prose into sentences, each with the blanks behind it; joined they are the text.

    A full stop ends one if blanks follow and then what can begin one, unless it belongs to
    an abbreviation; so does the end of a line.

    Examples
    --------
    >>> sentences("Edits e.g. config.json in place. Returns a diff.\nFast")
    ['Edits e.g. config.json in place. ', 'Returns a diff.\n', 'Fast']
    """
    pieces: list[str] = []
    start = 0
    for found in _END.finditer(text):
        if _is_end(text, start, found):
            pieces.append(text[start : found.end()])
            start = found.end()
    return [*pieces, text[start:]] if start < len(text) else pieces


def first_sentence(text: str) -> str:
    r"""Return the first sentence, without blanks around it.

    Examples
    --------
    >>> first_sentence("\nCopy a file, e.g. a.txt, to B. Then stop.")
    'Copy a file, e.g. a.txt, to B.'
    """
    return next((piece.strip() for piece in sentences(text) if piece.strip()), "")


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    if "\n" not in found[0] and _SOLID.match(text, start, found.start()) is None:
        return False
    if "\n" in found[0] or found.end() == len(text):
        return True
    stop = found.start() + len(found[0].rstrip())
    if _SHORT.search(text, max(start, stop - _LONGEST), stop) is not None:
        return False
    return _START.match(text, found.end()) is not None
