"""Repair texts with bytes of another encoding or with halves of surrogate pairs.

Only bytes that are no text raise an error, and nothing is dropped: each byte that is not UTF-8
becomes a character, and a note says how many there were.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

from mckp.errors import ParseError
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


_SIGNATURES: Final = {
    b"\x89PNG\r\n": "a PNG image", b"\xff\xd8\xff": "a JPEG image", b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document", b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a Zstandard file", b"\xfd7zXZ\x00": "an xz file",
    b"BZh": "a bzip2 file", b"7z\xbc\xaf": "a 7-Zip archive", b"\x7fELF": "a program",
    b"SQLite format 3\x00": "an SQLite database",
    b"PAR1": "a Parquet file", b"ARROW1": "an Arrow file", b"ORC": "an ORC file",
    b"Obj\x01": "an Avro file", b"\x89HDF": "an HDF5 file", b"\x93NUMPY": "a NumPy file",
    b"RIFF": "a media file", b"OggS": "a media file", b"ID3": "a media file",
}  # fmt: skip
"""What files begin with that are no texts."""
_SURE: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b")
"""Of these, the ones that no text begins with, though they are valid UTF-8 or may end after it."""
_LOOKED_AT: Final = 8192
"""Bytes of a file that say whether it is a text."""
_NO_TEXT: Final = regex(rb"[\x01-\x06\x0e-\x1a\x7f]")
"""Bytes that are no signs of a text, nor of terminals, nor part its fields."""
_MOST_NO_TEXT: Final = 0.05
"""Largest share of such bytes in a text."""
_MOST_WRONG: Final = 0.25
"""Largest share of bytes that are no UTF-8 in a text with NUL."""


def binary_name(raw: bytes | bytearray) -> str | None:
    r"""Return what a binary file is, or None if the bytes are a text.

    A file is binary if it begins like one and has NUL, if many of its bytes are neither UTF-8 nor
    signs of a text, or if it begins like a PDF document or an archive. NUL alone parts the names
    that ``find -print0`` prints.

    Examples
    --------
    >>> binary_name(b"PAR1\x15\x04\x15\0\xff"), binary_name(b"a.py\0b.py\0")
    ('a Parquet file', None)
    """
    sample = bytes(raw[:_LOOKED_AT])
    if sample.startswith(tuple(mark for mark, _ in _MARKS)):
        return None
    name = next((name for sign, name in _SIGNATURES.items() if sample.startswith(sign)), None)
    no_text = len(_NO_TEXT.findall(sample))
    is_text = no_text <= _MOST_NO_TEXT * len(sample)
    if b"\0" in sample:
        most = 0 if name else 8 + _MOST_WRONG * len(sample)
        is_text = is_text and no_text <= most and _wrong_bytes(sample) <= most
    if is_text and not sample.startswith(_SURE):
        return None
    return name or "a binary file"


def refuse_binary(raw: bytes | bytearray) -> None:
    """Raise a `ParseError` if bytes are a binary file."""
    if (name := binary_name(raw)) is not None:
        raise ParseError(f"this is {name}; mckp reads JSON, Markdown and text")


def _wrong_bytes(sample: bytes) -> int:
    """Return how many bytes are no UTF-8; a damaged text, or UTF-16 without its mark, has few."""
    return len(_BYTE.findall(sample.decode("utf-8", "surrogateescape")))


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
