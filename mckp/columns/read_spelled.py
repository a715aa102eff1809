"""Strings of JSON that stand as what they hold: spelled as the program did that wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.buffer import put_byte
from mckp.columns.read_words import whole
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes

COMPACT: Final = 0
"""Places in `mckp.encoders.embedded.SPELLINGS`."""
BY_TWO: Final = 2
ASCII: Final = 3
BY_FOUR: Final = 4
COMPACT_ASCII: Final = 5
MOST_SPELLINGS: Final = 6


@leaf
def _put_feed(out: Bytes, n: int, blanks: int) -> int:
    """Append a line feed, as it stands in a string, and the indent of the next line."""
    n = put_byte(out, put_byte(out, n, 92), 110)
    for _ in range(blanks):
        n = put_byte(out, n, 32)
    return n


@leaf
def _put_unit(out: Bytes, n: int, unit: int) -> int:
    r"""Append 16 bits as ``\\uXXXX``: an escape within a string within a string."""
    n = put_byte(out, put_byte(out, put_byte(out, n, 92), 92), 117)
    for shift in (12, 8, 4, 0):
        digit = unit >> shift & 15
        n = put_byte(out, n, 48 + digit if digit < 10 else 87 + digit)
    return n


@leaf
def _put_code(source: Bytes, place: int, width: int, out: Bytes, n: int) -> int:
    """Append a character beyond ASCII as one or two escapes."""
    code = whole(source[place]) & (0x7F >> width)
    for k in range(1, width):
        code = code << 6 | whole(source[place + k]) & 63
    if code < 0x10000:
        return _put_unit(out, n, code)
    code -= 0x10000
    n = _put_unit(out, n, 0xD800 + (code >> 10))
    return _put_unit(out, n, 0xDC00 + (code & 1023))


@leaf
def put_spelled(source: Bytes, start: int, end: int, spelling: int, out: Bytes, n: int) -> int:
    """Append compact JSON as the content of a string, in one of the spellings."""
    ascii_only = spelling in (ASCII, COMPACT_ASCII)
    indent = 2 if spelling == BY_TWO else 4 if spelling == BY_FOUR else 0
    blanks = indent == 0 and spelling not in (COMPACT, COMPACT_ASCII)
    depth = 0
    quoted = False
    place = start
    while place < end:
        c = source[place]
        if c >= 127 and ascii_only:
            width = 1 if c == 127 else 2 if c < 0xE0 else 3 if c < 0xF0 else 4
            n = (
                _put_unit(out, n, whole(127))
                if c == 127
                else _put_code(source, place, width, out, n)
            )
            place += width
            continue
        place += 1
        if c == 34 or c == 92:
            n = put_byte(out, put_byte(out, n, 92), c)
            if c == 34:
                quoted = not quoted
            else:
                c = source[place]
                place += 1
                if c == 34 or c == 92:
                    n = put_byte(out, n, 92)
                n = put_byte(out, n, c)
            continue
        if quoted:
            n = put_byte(out, n, c)
            continue
        opens, closes = c == 91 or c == 123, c == 93 or c == 125
        if closes:
            depth -= indent
            if indent and source[place - 2] != 91 and source[place - 2] != 123:
                n = _put_feed(out, n, depth)
        n = put_byte(out, n, c)
        if opens:
            depth += indent
            if indent and source[place] != 93 and source[place] != 125:
                n = _put_feed(out, n, depth)
        elif c == 44 and indent:
            n = _put_feed(out, n, depth)
        elif (c == 44 and blanks) or (c == 58 and (blanks or indent)):
            n = put_byte(out, n, 32)
    return n
