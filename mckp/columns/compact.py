"""From a JSON text to the compact JSON of its value, without a value in between.

What this gives is `dumped(parse_json(text).value)` to the byte. Where it is not sure of that, and
where the text is no JSON, it gives nothing: parsing then says what is wrong, and where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import encoded, put, put_byte
from mckp.columns.read_json import json_end
from mckp.columns.read_words import is_exact, put_escape
from mckp.jit import leaf
from mckp.jsontext import dumped, load

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes

_MARK: Final = b"\xef\xbb\xbf"
_AT_ONCE: Final = 1 << 16
"""Bytes of numbers that are written by a library at once."""

LONGEST: Final = 64
"""Characters of a number that is no integer; programs write far fewer."""


def compact_json(text: str | bytes | bytearray) -> Bytes | None:
    r"""Return the compact JSON of an array or object, or None.

    Parameters
    ----------
    text : str, bytes or bytearray
        A text, or that in UTF-8, with or without a byte order mark.

    Examples
    --------
    >>> compact_json(' {"a": [1.5, "\\u00e9"]}').tobytes().decode()
    '{"a":[1.5,"é"]}'
    >>> compact_json('{"a": 1, "a": 2}') is None
    True
    """
    try:
        out = _bytes_of(text)
    except UnicodeError:
        return None
    numbers = np.empty(out.size + 1, np.uint8)
    size, spelled = compact(out, out, numbers)
    if size < 2 or out[0] not in b"[{":
        return None
    # A name takes four bytes and more; brackets have marks, too.
    marks = np.empty(size // 2 + 64, np.int64)
    if json_end(out, 0, size, marks, 0) != size or not _are_spelled_so(numbers[:spelled]):
        return None
    return out[:size]


def _bytes_of(text: str | bytes | bytearray) -> Bytes:
    """Return a text in UTF-8 without a byte order mark, as an array of its own."""
    if not isinstance(text, str):
        if not text.isascii():
            text.decode()
        first = len(_MARK) if text.startswith(_MARK) else 0
        return np.frombuffer(text, np.uint8)[first:].copy()
    return encoded(text.removeprefix("\ufeff"))


def _are_spelled_so(numbers: Bytes) -> bool:
    """Whether a library would write numbers, each with a comma behind, as they are written."""
    first = 0
    while first < numbers.size:
        last = min(first + _AT_ONCE, numbers.size)
        while numbers[last - 1] != ord(","):
            last -= 1
        text = b"[" + numbers[first : last - 1].tobytes() + b"]"
        try:
            if dumped(load(text.decode())) != text:
                return False
        except ValueError:
            return False
        first = last
    return True


@leaf
def compact(text: Bytes, out: Bytes, numbers: Bytes) -> tuple[int, int]:
    """Write a text without blanks and with escapes only where JSON needs them.

    Nothing grows, so `out` may be the text itself.

    Returns
    -------
    int, int
        The size, -1 for what is certainly no JSON; and the size of `numbers`, to which those are
        written that may be spelled otherwise than programs do, with a comma behind each.
    """
    place = n = listed = 0
    # Whether a scalar ended right before blanks: another one must not follow them.
    loose = False
    while place < text.size:
        c = text[place]
        if c == 34:
            place, n = _put_string(text, place + 1, out, put_byte(out, n, 34))
            if n < 0:
                return -1, 0
            loose = False
        elif c in (44, 58, 91, 93, 123, 125):
            n = put_byte(out, n, c)
            place += 1
            loose = False
        elif c in (32, 9, 10, 13):
            place += 1
        else:
            first = place
            while place < text.size and not _ends_word(text[place]):
                place += 1
            if loose or place == first:
                return -1, 0
            # Before it is put, which may be over itself.
            if (c == 45 or 48 <= c <= 57) and not is_exact(text, first, place):
                if place - first > LONGEST:
                    return -1, 0
                listed = put_byte(numbers, put(numbers, listed, text, first, place), 44)
            n = put(out, n, text, first, place)
            loose = True
    return n, listed


@leaf
def _ends_word(c: int) -> bool:
    return c <= 32 or c in (34, 44, 58, 91, 93, 123, 125)


@leaf
def _put_string(text: Bytes, place: int, out: Bytes, n: int) -> tuple[int, int]:
    """Append the rest of a string; return the place behind, and the size, -1 for no string."""
    while place < text.size:
        c = text[place]
        place += 1
        if c != 92:
            out[n] = c
            n += 1
            if c == 34:
                return place, n
        elif place < text.size and text[place] == 117:
            place, code = _code(text, place + 1)
            if code < 0:
                return place, -1
            n = _put_character(out, n, code)
        elif place < text.size:
            if text[place] != 47:
                n = put_byte(out, n, 92)
            n = put_byte(out, n, text[place])
            place += 1
    return place, -1


@leaf
def _hex(text: Bytes, place: int) -> int:
    """Return the number that four digits are, or one below zero."""
    if place + 4 > text.size:
        return -1
    code = 0
    for i in range(4):
        c = int(text[place + i])
        low = c | 32
        if 48 <= c <= 57:
            code = code * 16 + c - 48
        elif 97 <= low <= 102:
            code = code * 16 + low - 87
        else:
            return -1
    return code


@leaf
def _code(text: Bytes, place: int) -> tuple[int, int]:
    """Return the place behind the digits of an escape, and the character; -1 for none."""
    code = _hex(text, place)
    place += 4
    if code < 0xD800 or code > 0xDFFF:
        return place, code
    if code > 0xDBFF or place + 2 > text.size or text[place] != 92 or text[place + 1] != 117:
        return place, -1
    low = _hex(text, place + 2)
    if low < 0xDC00 or low > 0xDFFF:
        return place, -1
    return place + 6, 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00


@leaf
def _put_character(out: Bytes, n: int, code: int) -> int:
    """Append a character as it stands in a string of JSON."""
    if code < 32 or code == 34 or code == 92:
        return put_escape(out, n, code)
    if code < 0x80:
        return put_byte(out, n, code)
    if code < 0x800:
        return put_byte(out, put_byte(out, n, 0xC0 | code >> 6), 0x80 | code & 63)
    if code < 0x10000:
        n = put_byte(out, n, 0xE0 | code >> 12)
    else:
        n = put_byte(out, put_byte(out, n, 0xF0 | code >> 18), 0x80 | code >> 12 & 63)
    return put_byte(out, put_byte(out, n, 0x80 | code >> 6 & 63), 0x80 | code & 63)
