"""Repair texts with bytes of another encoding or with halves of surrogate pairs.

Nothing here raises an error and nothing is dropped: each byte that is not UTF-8 becomes a
character, and a note says how many there were.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    import re


REPLACED: Final = "\ufffd"
"""The character in place of an invalid one."""

_SURROGATE: Final = regex("[\ud800-\udfff]")
_BYTE: Final = regex("[\udc80-\udcff]")
"""A byte of a text that was decoded by Python's ``surrogateescape``."""
_MARKS: Final = (  # UTF-32 first: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_of(raw: bytes | bytearray) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of bytes, without a byte order mark, and notes on what was replaced.

    A byte order mark of UTF-16 or UTF-32 determines the encoding. All other bytes are UTF-8, and
    each byte that is not part of a character is read as cp1252, so nearly all texts in either
    encoding, and texts that mix them, are read correctly. What is invalid even so becomes U+FFFD.

    Examples
    --------
    >>> text_of("naïve".encode("utf-16"))
    ('naïve', ())
    >>> text_of("é".encode() + b" and \xe9")
    ('é and é', ('1 byte that is not UTF-8 was read as cp1252, the first at byte 7',))
    """
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    try:
        return raw.decode(encoding or "utf-8-sig"), ()
    except UnicodeDecodeError as error:
        if encoding is not None:
            note = (
                f"bytes that are not {encoding.upper()} were replaced by U+FFFD, from byte "
                f"{error.start} on"
            )
            return raw.decode(encoding, "replace"), (note,)
        start = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
        text = bytes(raw[start:]).decode("utf-8", "surrogateescape")
        return _repair_surrogates(text, f"byte {start + error.start}")


def repair_text(text: str) -> tuple[str, tuple[str, ...]]:
    r"""Return a text that can be encoded in UTF-8, and notes on what was replaced.

    A pair of surrogates becomes the character that it encodes. Bytes that Python decoded with
    ``surrogateescape`` are read as in `text_of`. Other surrogates become U+FFFD.

    Examples
    --------
    >>> repair_text("caf\udce9 \ud83d\ude00")[0]
    'café 😀'
    >>> repair_text("a \ud83d")
    ('a �', ('1 lone surrogate was replaced by U+FFFD, the first at character 2',))
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return _repair_surrogates(text, f"character {error.start}")
    return text, ()


def repair_data(value: JsonValue) -> JsonValue:
    r"""Return a copy of plain data in which all strings and names can be encoded in UTF-8.

    They are repaired as by `repair_text`.

    Examples
    --------
    >>> repair_data({"a": ["caf\udce9", 1]})
    {'a': ['café', 1]}
    """
    if is_object(value):
        return {repair_text(key)[0]: repair_data(item) for key, item in value.items()}
    if is_array(value):
        return [repair_data(item) for item in value]
    return repair_text(value)[0] if isinstance(value, str) else value


def _repair_surrogates(text: str, place: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without lone surrogates, and notes on what was replaced.

    `place` is where the first of them is, such as ``byte 7``; a note names it.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    text, byte_count = _BYTE.subn(_cp1252_character, text)
    text, surrogate_count = _SURROGATE.subn(REPLACED, text)
    notes: list[str] = []
    if byte_count:
        noun = "byte that is not UTF-8 was" if byte_count == 1 else "bytes that are not UTF-8 were"
        notes.append(f"{byte_count} {noun} read as cp1252, the first at {place}")
    if surrogate_count:
        noun = "lone surrogate was" if surrogate_count == 1 else "lone surrogates were"
        first = "" if byte_count else f", the first at {place}"
        notes.append(f"{surrogate_count} {noun} replaced by U+FFFD{first}")
    return text, tuple(notes)


def _cp1252_character(escaped: re.Match[str]) -> str:
    """Return the cp1252 character of a byte that Python escaped as a surrogate; else U+FFFD."""
    return bytes([ord(escaped[0]) - 0xDC00]).decode("cp1252", "replace")
