"""What may stand bare: the patterns of `scalars`, `words` and `free_text`, on bytes of UTF-8.

All take a piece of a buffer. White space is Python's, 29 characters; letters are those of the
running Python.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.tape import KEY_BEGIN, KEY_END, KEY_START, KEY_STOP
from mckp.jit import leaf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Tape


NO_VALUE: Final = 1
"""Flags of bytes in `CLASSES`: no bare value of `scalars` has it."""
NO_KEY: Final = 2
"""No bare key of `scalars` has it."""
NO_WORD: Final = 4
"""It is no part of a bare word, or begins what may be white space."""
NO_NAME: Final = 8
"""The same for a bare name of `words`."""
NO_TEXT: Final = 16
"""No free text has it."""
NO_INLINE: Final = 32
"""No free text within a line has it."""


def _classes() -> NDArray[np.uint8]:
    controls = "".join(map(chr, range(32)))
    table = np.zeros(256, np.uint8)
    for flag, characters in (
        (NO_VALUE, controls),
        (NO_KEY, controls + ':[]{}()"|\\'),
        (NO_WORD, controls + '\x7f "\\{}[];'),
        (NO_NAME, controls + '\x7f "\\{}[]();=?<>*,~'),
        (NO_TEXT, controls + "\x7f"),
        (NO_INLINE, controls + '\x7f";{}[]'),
    ):
        table[list(characters.encode())] |= flag
    table[[0xC2, 0xE1, 0xE2, 0xE3]] |= NO_WORD | NO_NAME
    return table


def _letters() -> NDArray[np.int32]:
    r"""Return where runs of characters that match ``\w``, or do not, begin in turn."""
    text = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    # Those that do not match stand in longer runs, which costs less to find.
    bounds = [place for run in re.finditer(r"\W+", text) for place in run.span()]
    return np.array(bounds[1:], np.int32)


CLASSES: Final = _classes()
"""The flags of each byte."""

_LETTERS: Final = _letters()


@leaf
def space_at(text: Bytes, place: int, end: int) -> int:
    """Return how many bytes the white space at a place has, 0 if there is none."""
    c = text[place]
    if c < 128:
        return 1 if c == 32 or 9 <= c <= 13 or 28 <= c <= 31 else 0
    if c == 0xC2:
        return 2 if place + 1 < end and text[place + 1] in (0x85, 0xA0) else 0
    if place + 2 >= end or c > 0xE3 or c < 0xE1:
        return 0
    second, third = text[place + 1], text[place + 2]
    if c == 0xE1:
        found = second == 0x9A and third == 0x80
    elif c == 0xE3:
        found = second == 0x80 and third == 0x80
    elif second == 0x81:
        found = third == 0x9F
    else:
        found = second == 0x80 and (third <= 0x8A or third in (0xA8, 0xA9, 0xAF))
    return 3 if found else 0


@leaf
def ends_in_space(text: Bytes, start: int, end: int) -> bool:
    """Whether the last character of a piece that is not empty is white space."""
    place = end - 1
    while place > start and 128 <= text[place] < 192:
        place -= 1
    return space_at(text, place, end) > 0


@leaf
def _digits(text: Bytes, place: int, end: int) -> int:
    """Return the place behind the digits at a place."""
    while place < end and 48 <= text[place] <= 57:
        place += 1
    return place


@leaf
def is_number(text: Bytes, start: int, end: int) -> bool:
    """Whether a piece is a number of JSON."""
    place = start
    if place < end and text[place] == 45:
        place += 1
    first = place
    place = _digits(text, place, end)
    if place == first or (text[first] == 48 and place > first + 1):
        return False
    if place < end and text[place] == 46:
        first = place + 1
        place = _digits(text, first, end)
        if place == first:
            return False
    if place < end and text[place] | 32 == 101:
        place += 1
        if place < end and text[place] in (43, 45):
            place += 1
        first = place
        place = _digits(text, first, end)
        if place == first:
            return False
    return place == end


@leaf
def is_literal(text: Bytes, start: int, end: int) -> bool:
    """Whether a piece is a number, ``true``, ``false`` or ``null``."""
    if start == end:
        return False
    c = text[start]
    if c == 45 or 48 <= c <= 57:
        return is_number(text, start, end)
    size = end - start
    if size == 4:
        b, d, e = text[start + 1], text[start + 2], text[start + 3]
        if c == 116:
            return bool(b == 114 and d == 117 and e == 101)
        return bool(c == 110 and b == 117 and d == 108 and e == 108)
    if size != 5 or c != 102 or text[start + 1] != 97 or text[start + 2] != 108:
        return False
    return bool(text[start + 3] == 115 and text[start + 4] == 101)


@leaf
def _has(text: Bytes, start: int, end: int, flag: int) -> bool:
    """Whether a piece has a byte with a flag."""
    for place in range(start, end):  # noqa: SIM110
        if CLASSES[text[place]] & flag:
            return True
    return False


@leaf
def is_bare(text: Bytes, start: int, end: int) -> bool:
    """Whether a string may stand without quotation marks, as `scalars.is_bare` says."""
    if start == end:
        return False
    c = text[start]
    if c in (34, 91, 123) or space_at(text, start, end) or ends_in_space(text, start, end):
        return False
    if CLASSES[c] & NO_VALUE or _has(text, start, end, NO_VALUE):
        return False
    return not is_literal(text, start, end)


@leaf
def _is_letter(text: Bytes, start: int, end: int) -> bool:
    r"""Whether the character at a place matches ``\w``."""
    c = np.int64(text[start])
    if c < 128:
        return bool(c == 95 or 48 <= c <= 57 or 97 <= c | 32 <= 122)
    width = 2 if c < 0xE0 else 3 if c < 0xF0 else 4
    if start + width > end:
        return False
    code = c & (0x7F >> width)
    for k in range(1, width):
        code = code << 6 | np.int64(text[start + k]) & 63
    return int(np.searchsorted(_LETTERS, code, side="right")) % 2 == 1


@leaf
def is_bare_key(text: Bytes, start: int, end: int) -> bool:
    """Whether a name may stand without quotation marks, as `scalars.write_key` has it."""
    if start == end or not (text[start] in (36, 46, 64) or _is_letter(text, start, end)):
        return False
    return not (_has(text, start, end, NO_KEY) or ends_in_space(text, start, end))


@leaf
def looks_spelled(text: Bytes, start: int, end: int) -> bool:
    """Whether a piece begins as a string of JSON that stands as what it holds."""
    if end - start < 5 or text[start] != 106 or text[start + 1] != 115:
        return False
    if text[start + 2] != 111 or text[start + 3] != 110:
        return False
    c = text[start + 4]
    if 49 <= c <= 57 and end - start > 5:
        c = text[start + 5]
    return bool(c == 123 or c == 91)


@leaf
def word_end(text: Bytes, start: int, end: int) -> int:
    """Return the place behind the bare word at a place, whatever it means; `start` if none."""
    place = start
    # Brackets stand in pairs, not within one another: where the open one is, and what closes it.
    opened, closing = -1, 0
    while place < end:
        c = text[place]
        if CLASSES[c] & NO_WORD:
            if c >= 128 and not space_at(text, place, end):
                pass
            elif opened >= 0:
                if c != closing:
                    return opened
                opened = -1
            elif (c == 123 or c == 91) and place > start:
                opened, closing = place, c + 2
            else:
                return place
        place += 1
    return opened if opened >= 0 else place


@leaf
def means_else(text: Bytes, start: int, end: int) -> bool:
    """Whether a word that is not empty means, or begins like, something else than its text."""
    c = text[start]
    if c == 61:
        return True
    if c in (45, 64) and end == start + 1:
        return True
    if c == 60:
        return end > start + 1 and _digits(text, start + 1, end) == end
    if c == 106:
        return looks_spelled(text, start, end)
    if not (c in (45, 102, 110, 116) or 48 <= c <= 57):
        return False
    place = _digits(text, start, end)
    if start < place < end and text[place] == 123:
        return True
    while place < end and text[place] != 44:
        place += 1
    return is_literal(text, start, place)


@leaf
def is_word(text: Bytes, start: int, end: int) -> bool:
    """Whether a string stands bare in the native formats."""
    if start == end or word_end(text, start, end) != end:
        return False
    return not means_else(text, start, end)


@leaf
def name_end(text: Bytes, start: int, end: int) -> int:
    """Return the place behind the bare name at a place; `start` if there is none."""
    if start < end and text[start] == 64:
        return start
    place = start
    while place < end and (
        CLASSES[text[place]] & NO_NAME == 0
        or (text[place] >= 128 and not space_at(text, place, end))
    ):
        place += 1
    return place


@leaf
def is_name(text: Bytes, start: int, end: int) -> bool:
    """Whether the name of a member stands bare in the native formats."""
    return start < end and name_end(text, start, end) == end


@leaf
def is_text(text: Bytes, start: int, end: int, inline: bool) -> bool:
    """Whether a string may stand bare as free text, on a line of its own or within one."""
    if start == end:
        return False
    c = text[start]
    if c in (34, 47, 60, 61, 62, 91, 123) or (c == 45 and end == start + 1):
        return False
    if space_at(text, start, end) or ends_in_space(text, start, end):
        return False
    if _has(text, start, end, NO_INLINE if inline else NO_TEXT):
        return False
    return not (looks_spelled(text, start, end) or is_literal(text, start, end))


@leaf
def key_span(tape: Tape, name: int) -> tuple[int, int]:
    """Return where in its tape a name stands as `scalars.write_key` writes it."""
    start, end = tape.keys[name, KEY_BEGIN], tape.keys[name, KEY_STOP]
    if is_bare_key(tape.text, start, end):
        return start, end
    return tape.keys[name, KEY_START], tape.keys[name, KEY_END]


@leaf
def name_span(tape: Tape, name: int) -> tuple[int, int]:
    """Return where in its tape a name stands as `words.write_name` writes it."""
    start, end = tape.keys[name, KEY_BEGIN], tape.keys[name, KEY_STOP]
    if is_name(tape.text, start, end):
        return start, end
    return tape.keys[name, KEY_START], tape.keys[name, KEY_END]
