"""Texts as programs really write them: bytes of another encoding, halves of surrogate pairs.

Nothing here raises and nothing is dropped: each byte that is not UTF-8 is a character afterwards,
and a note says how many there were.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    import re

REPLACED: Final = "\ufffd"
"""The character in place of what is no character."""

_SURROGATE: Final = regex("[\ud800-\udfff]")
_BYTE: Final = regex("[\udc80-\udcff]")
"""A byte of a text that was decoded by Python's ``surrogateescape``."""
_MARKS: Final = (  # that of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(raw: bytes | bytearray) -> tuple[str, tuple[str, ...]]:
    r"""Return the text that bytes are, without a byte order mark, and notes on what was replaced.

    A byte order mark of UTF-16 or UTF-32 says the encoding. All else is UTF-8, in which each byte
    that is not part of a character is read as cp1252, so texts of one encoding or the other and
    texts that mix them are read right.

    Examples
    --------
    >>> text_of("naïve".encode("utf-16"))
    ('naïve', ())
    >>> text_of("é".encode() + b" and \xe9")
    ('é and é', ('1 byte that is not UTF-8 was read as cp1252, the first at byte 7',))
    """
    known = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    try:
        return raw.decode(known or "utf-8-sig"), ()
    except UnicodeDecodeError as error:
        if known is not None:
            note = f"what is no {known.upper()} was replaced by U+FFFD, from byte {error.start} on"
            return raw.decode(known, "replace"), (note,)
        start = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
        text = bytes(raw[start:]).decode("utf-8", "surrogateescape")
        return _repaired(text, f"byte {start + error.start}")


def repaired(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Return a text that has an encoding in UTF-8, and notes on what was replaced in it.

    Two surrogates that are a pair become the character they stand for. Bytes that Python has
    decoded by ``surrogateescape`` are read as in `text_of`. Any other surrogate is U+FFFD.

    Examples
    --------
    >>> repaired("caf\udce9 \ud83d\ude00")[0]
    'café 😀'
    >>> repaired("a \ud83d")
    ('a �', ('1 lone surrogate was replaced by U+FFFD, the first at character 2',))
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return _repaired(text, f"character {error.start}")
    return text, ()


def repaired_data(value: Any) -> Any:
    r"""Return plain data whose texts and names are `repaired`.

    Examples
    --------
    >>> repaired_data({"a": ["caf\udce9", 1]})
    {'a': ['café', 1]}
    """
    if is_object(value):
        return {repaired(key)[0]: repaired_data(item) for key, item in value.items()}
    if is_array(value):
        return [repaired_data(item) for item in value]
    return repaired(value)[0] if isinstance(value, str) else value


def _repaired(text: str, place: str) -> tuple[str, tuple[str, ...]]:
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    text, wrong = _BYTE.subn(_as_cp1252, text)
    text, lone = _SURROGATE.subn(REPLACED, text)
    notes: list[str] = []
    if wrong:
        noun = "byte that is not UTF-8 was" if wrong == 1 else "bytes that are not UTF-8 were"
        notes.append(f"{wrong} {noun} read as cp1252, the first at {place}")
    if lone:
        noun = "lone surrogate was" if lone == 1 else "lone surrogates were"
        first = "" if wrong else f", the first at {place}"
        notes.append(f"{lone} {noun} replaced by U+FFFD{first}")
    return text, tuple(notes)


def _as_cp1252(escaped: re.Match[str]) -> str:
    return bytes([ord(escaped[0]) - 0xDC00]).decode("cp1252", "replace")
