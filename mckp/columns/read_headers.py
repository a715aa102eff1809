"""The line above a block; the way of `encoders.headers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.columns.read_words import digits_end, number_of, whole
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes

UNKNOWN: Final = -1
"""Formats of blocks."""
LINES: Final = 0
CSV: Final = 1
MARKDOWN: Final = 2
PROSE: Final = 3
FENCE: Final = 4
RECORDS: Final = 5


@leaf
def _format(text: Bytes, place: int, end: int) -> int:
    """Return the format that a word stands for."""
    size = end - place
    c = text[place] if size > 1 else 0
    b = text[place + 1] if size > 1 else 0
    if size == 2:
        return LINES if c == 107 and b == 118 else UNKNOWN
    if size == 3:
        return CSV if c == 99 and b == 115 and text[end - 1] == 118 else UNKNOWN
    if size != 5 or not (c == 112 or c == 116 or c == 102):
        return UNKNOWN
    third, fourth = text[place + 2], text[place + 3]
    if text[end - 1] != 101:
        return UNKNOWN
    if c == 112:
        return PROSE if b == 114 and third == 111 and fourth == 115 else UNKNOWN
    if c == 116:
        return MARKDOWN if b == 97 and third == 98 and fourth == 108 else UNKNOWN
    return FENCE if b == 101 and third == 110 and fourth == 99 else UNKNOWN


@leaf
def header_at(text: Bytes, place: int, end: int) -> tuple[int, int, int, int]:
    """Return bracket, size and format that stand behind a name, and where columns begin."""
    if place == end:
        return 123, -1, LINES, place
    c = text[place]
    closing = 41 if c == 40 else 125 if c == 123 else 93
    stop = digits_end(text, place + 1, end)
    if not (c == 40 or c == 123 or c == 91) or stop == place + 1 or stop >= end:
        return 0, 0, UNKNOWN, place
    if text[stop] != closing:
        return 0, 0, UNKNOWN, place
    size = number_of(text, place + 1, stop)
    place = stop + 1
    if place == end:
        form = LINES
    elif text[place] == 32:
        form = _format(text, place + 1, end)
    else:
        last = text[end - 1]
        braces = end - place > 2 and text[place] == 123 and last == 125
        angles = end - place > 2 and text[place] == 60 and last == 62
        plain = end - place == 2 and text[place] == 91 and last == 93
        form = RECORDS if braces or angles or plain else UNKNOWN
    if c == 40 and form != PROSE and form != FENCE:
        form = UNKNOWN
    if form in (CSV, MARKDOWN) and c != 91:
        form = UNKNOWN
    if form == FENCE and c != 40:
        form = UNKNOWN
    return whole(c), size, form, place


@leaf
def heading_at(text: Bytes, place: int, depth: int) -> int:
    """Return where the name begins in a heading of so many ``#`` at a place; else -1."""
    stop = place
    while stop < text.size and text[stop] == 35:
        stop += 1
    return stop + 1 if stop == place + depth and stop < text.size and text[stop] == 32 else -1
