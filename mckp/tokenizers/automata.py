r"""The patterns that cut texts into pieces, as automata over classes of characters.

A piece ends where the automaton was last in a state that lets it end; it stops where there is
no way on. o200k_base, where U are letters but small ones, L letters but capitals, M marks::

    [^\r\n\p{L}\p{N}]?[UM]*[LM]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    [^\r\n\p{L}\p{N}]?[UM]+[LM]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    \p{N}{1,3}
     ?[^\s\p{L}\p{N}]+[\r\n/]*
    \s*[\r\n]+
    \s+(?!\S)
    \s+

cl100k_base::

    '(?i:[sdmt]|ll|ve|re)
    [^\r\n\p{L}\p{N}]?+\p{L}++
    \p{N}{1,3}+
     ?[^\s\p{L}\p{N}]++[\r\n]*+
    \s++$
    \s*[\r\n]
    \s+(?!\S)
    \s
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.tokenizers.classes import (
    APOSTROPHE,
    BLANK,
    BREAK,
    CAPITAL,
    CAPITAL_E,
    CAPITAL_L,
    CAPITAL_RV,
    CAPITAL_SDMT,
    LETTER,
    MARK,
    NUMBER,
    OTHER,
    SLASH,
    SMALL,
    SMALL_E,
    SMALL_L,
    SMALL_RV,
    SMALL_SDMT,
    SPACE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    Ways: TypeAlias = Iterable[tuple[Iterable[int], str]]
    Moves = NDArray[np.uint8]

STATE: Final = 31
"""The bits of a move that say which state it leads to."""
AFTER: Final = 32
"""Set in moves to states that let the piece end behind the character."""
BEFORE: Final = 64
"""Set in moves to states that let the piece end in front of it."""
FINALLY: Final = 128
"""Set in moves to states that let the piece end where the text does."""
CLASSES: Final = 32
"""Moves of one state, one a class; 0 is no way on."""

_CAPITALS: Final = range(CAPITAL, CAPITAL_L + 1)
_SMALLS: Final = range(SMALL, SMALL_L + 1)
_LETTERS: Final = range(LETTER, CAPITAL_L + 1)
_BOTH: Final = (LETTER, MARK)
_SYMBOLS: Final = (OTHER, APOSTROPHE, SLASH)
_MARKED: Final = (*_SYMBOLS, MARK)
_BLANKS: Final = (SPACE, BLANK)
_SDMT: Final = (SMALL_SDMT, CAPITAL_SDMT)
_RV: Final = (SMALL_RV, CAPITAL_RV)
_L: Final = (SMALL_L, CAPITAL_L)
_E: Final = (SMALL_E, CAPITAL_E)

_AROUND: Final[dict[str, Ways]] = {
    "digit": [((NUMBER,), "2 digits")],
    "2 digits": [((NUMBER,), "3 digits")],
    "3 digits": [],
    "blanks": [(_BLANKS, "blanks"), ((BREAK,), "line end")],
    "line end": [((BREAK,), "line end"), (_BLANKS, "indent")],
    "indent": [((BREAK,), "line end"), (_BLANKS, "indent")],
    "contracted": [],
}
_WORD: Final = [(_CAPITALS, "capitals"), (_SMALLS, "smalls"), (_BOTH, "both")]
_O200K: Final[dict[str, Ways]] = {
    "start": [
        *_WORD,
        ((NUMBER,), "digit"),
        (_SYMBOLS, "symbol"),
        ((SPACE,), "space"),
        ((BLANK,), "blank"),
        ((BREAK,), "line end"),
    ],
    # With no small letter behind them, capitals are given back down to a letter that is both.
    "capitals": [*_WORD, ((APOSTROPHE,), "short")],
    "both": [(_CAPITALS, "given back"), *_WORD[1:], ((APOSTROPHE,), "short")],
    "given back": [(_CAPITALS, "given back"), *_WORD[1:]],
    "smalls": [((*_SMALLS, *_BOTH), "smalls"), ((APOSTROPHE,), "short")],
    "short": [(_SDMT, "contracted"), (_RV, "short r"), (_L, "short l")],
    "short r": [(_E, "contracted")],
    "short l": [(_L, "contracted")],
    "symbol": [*_WORD, (_SYMBOLS, "symbols"), ((BREAK,), "tail")],
    "symbols": [(_MARKED, "symbols"), ((BREAK,), "tail")],
    "tail": [((BREAK, SLASH), "tail")],
    "space": [*_WORD, (_SYMBOLS, "symbols"), (_BLANKS, "blanks"), ((BREAK,), "line end")],
    "blank": [*_WORD, (_BLANKS, "blanks"), ((BREAK,), "line end")],
    **_AROUND,
}
_CL100K: Final[dict[str, Ways]] = {
    "start": [
        (_LETTERS, "letters"),
        ((NUMBER,), "digit"),
        (_MARKED, "symbol"),
        ((APOSTROPHE,), "short"),
        ((SPACE,), "space"),
        ((BLANK,), "blank"),
        ((BREAK,), "line end"),
    ],
    "letters": [(_LETTERS, "letters")],
    "short": [
        (_LETTERS, "letters"),
        (_SDMT, "contracted"),
        (_RV, "short r"),
        (_L, "short l"),
        (_MARKED, "symbols"),
        ((BREAK,), "tail"),
    ],
    "short r": [(_LETTERS, "letters"), (_E, "contracted")],
    "short l": [(_LETTERS, "letters"), (_L, "contracted")],
    "symbol": [(_LETTERS, "letters"), (_MARKED, "symbols"), ((BREAK,), "tail")],
    "symbols": [(_MARKED, "symbols"), ((BREAK,), "tail")],
    "tail": [((BREAK,), "tail")],
    "space": [
        (_LETTERS, "letters"),
        (_MARKED, "symbols"),
        (_BLANKS, "blanks"),
        ((BREAK,), "line end"),
    ],
    "blank": [(_LETTERS, "letters"), (_BLANKS, "blanks"), ((BREAK,), "line end")],
    **_AROUND,
}


def _moves(states: Mapping[str, Ways], ends: Mapping[str, int]) -> Moves:
    """Write states, the first being where pieces start, as a table; later ways go over earlier.

    A piece may end behind every character whose state is not among `ends`.
    """
    number = {name: place for place, name in enumerate(states)}
    table = np.zeros((len(states), CLASSES), np.uint8)
    for name, ways in states.items():
        for kinds, target in ways:
            table[number[name], list(kinds)] = number[target] | ends.get(target, AFTER)
    return table.reshape(-1)


AUTOMATA: Final = {
    "o200k_base": _moves(
        _O200K,
        {"given back": 0, "short": 0, "short r": 0, "short l": 0, "blanks": BEFORE | FINALLY}
        | {"indent": 0},
    ),
    "cl100k_base": _moves(_CL100K, {"blanks": BEFORE | FINALLY, "indent": FINALLY}),
}
"""The moves of each vocabulary: `CLASSES` a state, the first state being where pieces start."""
