"""What characters are, and between which of them a text is cut.

The patterns of `mckp.encoders.atoms` as tables: a part of a text is in some state, and the kind
of the next character either leads to another state or ends the part. A kind is two numbers of
four bits, the lower one for pieces, the upper one for atoms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Kinds: TypeAlias = NDArray[np.uint8]
    Moves: TypeAlias = NDArray[np.int64]
    Steps: TypeAlias = dict[tuple[int, int], int]

# Kinds for pieces. The upper two bits say what a character stands in one run with.
LETTER: Final = 0
DIGIT: Final = 4
MARK: Final = 8
SLASH: Final = 9
SPACE: Final = 12
BLANK: Final = 13
BREAK: Final = 14
RUN: Final = 2
"""Bits by which a kind is shifted to say so."""

# Kinds for atoms.
OTHER: Final = 0
LOWER: Final = 1
UPPER: Final = 2
FIGURE: Final = 3
POINT: Final = 4
GAP: Final = 5
LINE: Final = 6
ATOMS: Final = 4
"""Bits by which a kind is shifted to say what it is for atoms."""

STATE: Final = 4
"""Bits of a state."""
ENDS: Final = 1 << STATE
"""Added to a state by which a new part begins."""

_MARKS = (MARK, SLASH)
_GAPS = (SPACE, BLANK, BREAK)


def kinds_of(distinct: list[int], size: int) -> Kinds:
    """Return a table of what characters are, each of them below `size`; LETTER for others."""
    kinds = np.full(size, LETTER, dtype=np.uint8)
    kinds[distinct] = [_of_piece(chr(char)) | _of_atom(chr(char)) << ATOMS for char in distinct]
    return kinds


def _of_piece(char: str) -> int:
    if char.isspace():
        return BREAK if char in "\r\n" else SPACE if char == " " else BLANK
    if char.isalnum():
        return DIGIT if char.isdecimal() else LETTER
    return SLASH if char == "/" else MARK


def _of_atom(char: str) -> int:
    if char.isspace():
        return LINE if char == "\n" else GAP
    if char.isascii() and char.isalnum():
        return FIGURE if char.isdecimal() else UPPER if char.isupper() else LOWER
    return POINT if char == "." else OTHER


def _moves(first: dict[int, int], steps: Steps) -> Moves:
    """Return to which state each one goes by each kind; a part begins in the states of `first`."""
    moves = np.zeros((ENDS, ENDS), dtype=np.int64)
    for kind, state in first.items():
        moves[0, kind] = state
        moves[1:, kind] = state + ENDS
    for (state, kind), other in steps.items():
        moves[state, kind] = other
    return moves


def _piece_moves() -> Moves:
    word, digit, two, three, space, blank, gap, mark, marks, tail = range(1, 11)
    first = {LETTER: word, DIGIT: digit, SPACE: space, BLANK: blank, BREAK: gap}
    steps = dict.fromkeys([(state, LETTER) for state in (word, space, blank, mark)], word)
    steps |= {(digit, DIGIT): two, (two, DIGIT): three}
    steps |= {(state, kind): gap for state in (space, blank, gap) for kind in _GAPS}
    steps |= {(state, kind): marks for state in (space, mark, marks) for kind in _MARKS}
    steps |= {(mark, BREAK): tail, (marks, BREAK): tail, (tail, BREAK): tail, (tail, SLASH): tail}
    return _moves(first | dict.fromkeys(_MARKS, mark), steps)


def _atom_moves() -> Moves:
    word, capital, capitals, number, point, fraction, gap, other = range(1, 9)
    first = {LOWER: word, UPPER: capital, FIGURE: number, GAP: gap}
    steps = {(word, LOWER): word, (capital, LOWER): word, (gap, GAP): gap}
    steps |= {(capital, UPPER): capitals, (capitals, UPPER): capitals}
    steps |= {(number, FIGURE): number, (number, POINT): point}
    steps |= {(point, FIGURE): fraction, (fraction, FIGURE): fraction}
    return _moves(first | dict.fromkeys((OTHER, POINT, LINE), other), steps)


PIECE_MOVES: Final = _piece_moves()
ATOM_MOVES: Final = _atom_moves()
