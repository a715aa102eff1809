"""The proof that a text says what a document says: it is read back and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.columns.buffer import encoded
from mckp.columns.read_blocks import DEEPEST, read
from mckp.columns.read_columns import WIDTH
from mckp.columns.read_equal import equal, matches
from mckp.columns.read_frames import FRAME, HEAVIEST
from mckp.columns.read_lines import SECTION
from mckp.columns.read_words import NO_ROOM, STATE
from mckp.columns.tape import END, START, scan
from mckp.encoders import dictionary, hands
from mckp.encoders.lines import LARGEST
from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes
    from mckp.columns.tape import Tape

MOST_COLUMNS: Final = 1 << 16
"""Columns of all tables that are open at once; more are left to the twin."""

SPARE: Final = 4096
"""Bytes of room beyond what a text is expected to need."""

TIMES: Final = 4
"""How much more room there is each time that it was too small."""


def reads_as(text: str, wanted: Tape) -> bool | None:
    """Whether an encoded text is read back as a document.

    Parameters
    ----------
    text : str
        The text, with a dictionary above it or none.
    wanted : Tape
        The document, as it is or as it was cut.

    Returns
    -------
    bool or None
        None where the text is damaged, or of a kind that `mckp.reading.decode` has to judge.
    """
    if (source := _source(text)) is None:
        return None
    found = json_of(source, SPARE + 2 * int(wanted.spans[0, END] - wanted.spans[0, START]))
    if found is None:
        return None
    if matches(found, wanted, MAX_DEPTH):
        return True
    tape, _, spare = scan(found)
    return equal(tape, wanted) if spare >= 0 else None


def _source(text: str) -> Bytes | None:
    """Return the bytes of a text, without the dictionary above it."""
    if dictionary.opens(text.partition("\n")[0]):
        try:
            phrases, text, _ = dictionary.split(text)
        except ParseError:
            return None
        text = hands.of(len(text)).spell(text, phrases)
        if len(text) + sum(map(len, phrases.values())) > LARGEST:
            return None
        if dictionary.opens(text.partition("\n")[0]):
            return None
    try:
        return encoded(text)
    except UnicodeEncodeError:
        return None


def json_of(text: Bytes, room: int) -> Bytes | None:
    """Return the compact JSON of an encoded text; None where the twin has to judge.

    Parameters
    ----------
    text : array of uint8
        The text.
    room : int
        Bytes that the JSON is expected to have.
    """
    cols = np.empty((min(MOST_COLUMNS, text.size) + 64, WIDTH), np.int64)
    stack = np.empty((HEAVIEST + 8, FRAME), np.int64)
    marks = np.empty(text.size + 64, np.int64)
    sections = np.empty((DEEPEST, SECTION), np.int64)
    st = np.empty(STATE, np.int64)
    for _ in range(TIMES):
        out, store = np.empty(room, np.uint8), np.empty(room, np.uint8)
        size = read(text, out, store, cols, stack, marks, sections, st)
        if size != NO_ROOM:
            return out[:size] if size >= 0 else None
        room *= TIMES
    return None
